import type { DuckDBConnection } from '@duckdb/node-api';
import { type ErrorKind, FrameholdError } from '../../model/errors.ts';
import { unreadableError } from '../../model/unreadable-column.ts';

/** Begins the text with which an INSERT fails whose value does not fit the column exactly. */
export const inexactMarker = 'framehold: inexact value: ';

/** The kinds of errors that DuckDB writes before the colon. All others are `sql_failed` when rows are made, `sql_invalid` before. */
const kinds: Readonly<Record<string, ErrorKind>> = {
  'Parser Error': 'sql_invalid',
  'Syntax Error': 'sql_invalid',
  'Binder Error': 'sql_invalid',
  'Catalog Error': 'sql_invalid',
  'Parameter Not Resolved Error': 'sql_invalid',
  // Also of a constant, which the engine computes while it binds.
  'Conversion Error': 'sql_failed',
  'Out of Range Error': 'sql_failed',
  'Invalid Input Error': 'sql_failed',
  'Permission Error': 'sql_refused',
  'Out of Memory Error': 'sql_memory',
  'IO Error': 'engine_failed',
  'INTERNAL Error': 'engine_failed',
  'FATAL Error': 'engine_failed',
  'INTERRUPT Error': 'cancelled',
};

/** What the engine's texts contain, under its name of the kind, and the SQLSTATE with which PostgreSQL says the same. The first that fits counts. */
const sqlStates: Readonly<Record<string, readonly (readonly [part: string, sqlState: string])[]>> = {
  'Binder Error': [
    ['Referenced column ', '42703'],
    [' does not have a column named ', '42703'],
    ['Referenced table ', '42P01'],
    ['Ambiguous reference', '42702'],
    ['must appear in the GROUP BY', '42803'],
    ['No function matches', '42883'],
    ['Could not choose a best candidate function', '42725'],
  ],
  'Catalog Error': [
    ['Function with name ', '42883'],
    ['Type with name ', '42704'],
    ['Table with name ', '42P01'],
  ],
  'Conversion Error': [
    ['out of range', '22003'],
    ['Could not cast value ', '22003'],
    ['Could not convert string ', '22P02'],
    ['Malformed JSON', '22P02'],
    ['field format', '22007'],
  ],
  'Out of Range Error': [['', '22003']],
};
/** The range of these is not that of a number. */
const dateStarts = ['date field value', 'time field value', 'timestamp field value'];

/** null: that of the kind of error. */
function sqlStateOf(name: string, text: string): string | null {
  if (name === 'Conversion Error' && dateStarts.some((start) => text.startsWith(start))) return '22008';
  // The reason comes first; behind it is the caller's own text.
  const [reason = ''] = text.split('\n', 1);
  return sqlStates[name]?.find(([part]) => reason.includes(part))?.[1] ?? null;
}

export interface ErrorContext {
  readonly phase: 'bind' | 'run';
  /** The engine's text may show a line of the statement: only if that is the caller's own. */
  readonly showsLine: boolean;
  /** What must never be in a text. */
  readonly paths: readonly string[];
}

/** A failure of DuckDB as one of ours. */
export function fromDuckdb(thrown: unknown, context: ErrorContext): FrameholdError {
  if (thrown instanceof FrameholdError) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const unreadable = unreadableError(message);
  if (unreadable !== null) return unreadable;
  const inexact = message.indexOf(inexactMarker);
  if (inexact >= 0)
    return new FrameholdError('sql_failed', message.slice(inexact + inexactMarker.length), {
      hint: 'Nothing was inserted. If another value is meant, say so in the statement: round(x), x::DATE, x::INTEGER.',
    });
  const head = /^([A-Za-z ]+?Error): ([\s\S]*)$/.exec(message);
  if (head === null)
    return new FrameholdError('engine_failed', 'The engine failed in a way that it does not explain.', {
      cause: thrown,
    });
  const [, name, rest] = head as unknown as [string, string, string];
  const kind = kinds[name] ?? (context.phase === 'bind' ? 'sql_invalid' : 'sql_failed');
  if (kind === 'cancelled') return new FrameholdError(kind, 'The statement was interrupted.');
  if (kind === 'sql_memory')
    return new FrameholdError(kind, 'The statement needs more memory than it may use.', {
      cause: thrown,
      hint: 'Read fewer columns or rows, or group by fewer values; sql.memory_bytes_max and sql.temp_bytes_max are the limits.',
    });
  if (name === 'IO Error' && rest.includes('No space left on device'))
    return new FrameholdError('disk_full', 'There is no room left on the disk for temporary files.', {
      cause: thrown,
      hint: 'Read fewer columns or rows, raise sql.memory_bytes_max, or make room on the disk.',
    });
  const text = withoutPaths(context.showsLine ? rest : withoutLine(rest), context).trim();
  // The name says more than the text alone, but not in the kinds whose titles say the same.
  const sqlState = sqlStateOf(name, rest);
  return new FrameholdError(kind, kind === 'sql_invalid' ? text : `${name}: ${text}`, {
    ...(sqlState === null ? {} : { sqlState }),
    cause: thrown,
  });
}

/** The caller trims what is left. Not `\s*`: from each of many line feeds it would run to the last one. */
function withoutLine(text: string): string {
  const start = text.search(/\n[ \t]*LINE \d+:/);
  return start === -1 ? text : text.slice(0, start);
}

function withoutPaths(text: string, { paths }: ErrorContext): string {
  const longestFirst = [...new Set(paths)].sort((a, b) => b.length - a.length);
  return longestFirst.reduce((shown, path) => shown.replaceAll(path, '…'), text);
}

/**
 * Where in a query that failed to bind the reason is, in bytes; null if the engine does not say. It is planned once more for that, because a message
 * has only a line with a mark below it.
 */
export async function failureLocation(
  connection: DuckDBConnection,
  query: string,
  message: string,
): Promise<number | null> {
  try {
    const reader = await connection.runAndReadAll('SELECT json_serialize_plan($1::VARCHAR)', [query]);
    const answer = JSON.parse(String(reader.value(0, 0))) as FailedPlan;
    // A part of another statement, such as an INSERT, may fail for other reasons than the query by itself.
    const isSame = answer.error === true && message.includes(answer.error_message ?? '\0');
    return isSame && answer.position !== undefined ? Number(answer.position) : null;
  } catch {
    return null;
  }
}

interface FailedPlan {
  readonly error?: boolean;
  readonly error_message?: string;
  readonly position?: string;
}
