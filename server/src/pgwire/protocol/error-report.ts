import { type ErrorKind, errorKinds, type FrameholdError } from '../../model/errors.ts';
import { report } from './server-messages.ts';

export type Severity = 'ERROR' | 'FATAL';

/** Faults that only the log explains: it is found there by the id of the request. */
const withRequestId: ReadonlySet<ErrorKind> = new Set(['internal', 'engine_failed', 'outcome_unknown']);

export function sqlStateOf(error: FrameholdError): string {
  return error.sqlState ?? errorKinds[error.kind].sqlState;
}

/**
 * `text`: the text that the client has sent, in which the place of the error is counted in characters; null if there is none. The stable code is the routine, a field
 * that every driver gives to its callers.
 */
export function errorReport(
  error: FrameholdError,
  severity: Severity,
  text: string | null,
  requestId: string | null,
): Buffer {
  const fields: [string, string][] = [
    ['S', severity],
    ['V', severity],
    ['C', sqlStateOf(error)],
    ['M', withoutExcerpt(error)],
  ];
  if (requestId !== null && withRequestId.has(error.kind)) fields.push(['D', `Request id: ${requestId}`]);
  if (error.hint !== undefined) fields.push(['H', error.hint]);
  if (error.place !== undefined && text !== null)
    fields.push(['P', String(charactersBefore(text, error.place.position) + 1)]);
  fields.push(['R', error.kind]);
  return report('E', fields);
}

export function warning(sqlState: string, detail: string): Buffer {
  return report('N', [
    ['S', 'WARNING'],
    ['V', 'WARNING'],
    ['C', sqlState],
    ['M', detail],
  ]);
}

/** Clients show the line of an error themselves, by its place: without what the engine shows of it. */
function withoutExcerpt({ message, place }: FrameholdError): string {
  const start = place === undefined ? -1 : message.indexOf('\n\nLINE ');
  return start === -1 ? message : message.slice(0, start);
}

/** A character beyond the first plane is two code units. */
function charactersBefore(text: string, units: number): number {
  let count = 0;
  for (let at = 0; at < units && at < text.length; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1)
    count++;
  return count;
}
