import type { Caller } from '../../model/caller.ts';
import type { HttpContext } from '../context.ts';
import type { ToolArguments } from './tool-arguments.ts';

type JsonSchema = Readonly<Record<string, unknown>>;

/** Who calls a tool, and until when it may work. */
export interface ToolCall {
  readonly caller: Caller;
  readonly signal: AbortSignal;
}

export interface Tool {
  readonly name: string;
  readonly title: string;
  /** For the model that chooses among tools. */
  readonly description: string;
  /** The properties of its arguments. */
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required: readonly string[];
  /** Answers a JSON object, as text: of at most about `mcp.bytes_max` bytes. It says if something is missing, and how to get it. */
  run(context: HttpContext, given: ToolArguments, call: ToolCall): Promise<string>;
}

/** As `tools/list` shows it. Every tool reads only, and only what is held here. */
export function shownTool({ name, title, description, properties, required }: Tool): object {
  return {
    name,
    title,
    description,
    inputSchema: { type: 'object', properties, required, additionalProperties: false },
    annotations: {
      title,
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
  };
}
