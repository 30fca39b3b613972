import { FrameholdError } from '../model/errors.ts';
import type { Column } from '../model/version.ts';
import type { WriterOptions } from '../ports/renderer.ts';
import { CellRows } from './cells/cell-rows.ts';
import { jsonStyle } from './cells/cell-style.ts';
import { firstRow, jsonRowSyntax } from './json.ts';
import { renderText } from './render-text.ts';
import type { RowWriter } from './row-writer.ts';
import type { TextFormat } from './text-format.ts';

interface McpLimits {
  readonly rowsMax: number;
  /** Of columns, sources and rows. */
  readonly bytesMax: number;
}

interface McpOptions extends WriterOptions, McpLimits {
  readonly writer: 'mcp';
  /** The members before the rows, as JSON that is not closed. */
  readonly head: string;
}

/** The answer to a query over MCP. It fails before any row is read if the names of the columns leave no room for rows. */
export function mcpOptions(
  rows: { readonly columns: readonly Column[]; readonly sources: readonly string[] },
  limits: McpLimits,
): McpOptions {
  const columns = rows.columns.map(({ name, type }) => ({ name, type }));
  const head = JSON.stringify({ columns, sources: rows.sources }).slice(0, -1);
  if (Buffer.byteLength(head) > limits.bytesMax)
    throw new FrameholdError(
      'bad_request',
      `The result has ${columns.length} columns, whose names do not fit into an answer of ${limits.bytesMax} bytes.`,
      { hint: 'Select fewer columns: select a, b from …. describe_frame lists them.' },
    );
  return { writer: 'mcp', head, ...limits };
}

export const mcp = {
  isByValue: true,
  thread: 'shared',
  write: ({ options, columns, batches }) => renderText(mcpFormat(options, columns), batches),
} satisfies RowWriter<McpOptions>;

/** `{"columns":[…],"sources":[…],"rows":[[…],…],"rowCount":N}`: as many whole rows as fit, with `truncated` if there are more. */
function mcpFormat({ head, rowsMax, bytesMax }: McpOptions, columns: readonly Column[]): TextFormat {
  const style = jsonStyle('exec', true);
  const syntax = jsonRowSyntax(columns);
  let count = 0;
  let bytes = Buffer.byteLength(head);
  let reached: 'rows' | 'bytes' | null = null;
  return {
    begin: () => `${head},"rows":[`,
    rows: (data) => {
      const rows = new CellRows(data, style, syntax);
      return {
        write: (out, from, to) => {
          for (let row = from; row < to; row++) {
            if (count === rowsMax) reached = 'rows';
            if (reached !== null) return row;
            const start = out.at;
            rows.write(out, row, row + 1, count === 0 ? firstRow : syntax.open);
            bytes += out.at - start;
            if (bytes > bytesMax) {
              // Nothing of this slice has left the buffer.
              out.at = start;
              reached = 'bytes';
              return row;
            }
            count++;
            if (out.isFull) return row + 1;
          }
          return to;
        },
      };
    },
    isOver: () => reached !== null,
    end: () => {
      const truncated = reached === null ? {} : { truncated: truncation(reached, count, bytesMax) };
      return `],${JSON.stringify({ rowCount: count, ...truncated }).slice(1)}`;
    },
  };
}

function truncation(reached: 'rows' | 'bytes', count: number, bytesMax: number): string {
  const advice = 'Aggregate, filter, choose fewer columns, or page with ORDER BY, LIMIT and OFFSET.';
  if (reached === 'rows') return `The result has more than ${count} rows; the rest is not here. ${advice}`;
  return `The result is larger than ${bytesMax} bytes; only its first ${count} rows are here. ${advice}`;
}
