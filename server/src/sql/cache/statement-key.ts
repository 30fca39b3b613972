import { hash } from 'node:crypto';
import type { EngineName } from '../../model/engine-name.ts';
import type { VersionRecord } from '../../model/version.ts';
import type { StatementParameters } from '../../ports/engine.ts';

/** A text as one tenant sends it to one engine. */
export interface SentText {
  readonly tenant: string;
  readonly engine: EngineName;
  readonly sql: string;
}

/** Tenants share nothing that is cached, so that none can find out by the time of an answer what another has asked. */
export function textKey({ tenant, engine, sql }: SentText): string {
  return digest([tenant, engine, sql]);
}

/** The text of this key over these versions, in the order in which its shape names the frames. */
export function versionsKey(text: string, records: readonly VersionRecord[]): string {
  return digest([
    text,
    records.map(({ tenant, versionId, incarnation = 0 }) => [tenant, versionId, incarnation]),
  ]);
}

/** The same with values, in one form of its rows. null if it cannot be told from others. */
export function answerKey(
  versions: string,
  parameters: StatementParameters | null,
  form: string | null,
): string | null {
  try {
    return digest([versions, parametersText(parameters), form]);
  } catch (thrown) {
    // Lists within lists, more deeply than the stack.
    if (thrown instanceof RangeError) return null;
    throw thrown;
  }
}

export function parametersText(parameters: StatementParameters | null): string {
  if (parameters === null) return '';
  if (parameters.kind === 'arrow') return `arrow ${hash('sha256', parameters.stream, 'base64')}`;
  return `json ${valueText(parameters.values)}`;
}

/** 1, 1.0 and '1' are three values: the types of the rows can depend on theirs. */
function valueText(value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value);
  if (Array.isArray(value)) return `[${value.map(valueText).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}:${valueText(member)}`,
  );
  return `{${members.join()}}`;
}

/** Short, whatever the length of the text and of the parameters. */
function digest(parts: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(parts), 'base64');
}
