import { FrameholdError } from '../model/errors.ts';
import type { CollectedAnswer } from './answer-collector.ts';
import type { WrappedQuery } from './export-query.ts';

/** Of the database's own text: its errors are a line, but another server's may be a page. */
const messageLengthMax = 500;
/** As much as is read of it: an answer may have megabytes of blanks. */
const messageReadMax = 4 * messageLengthMax;

/** The caller has done nothing wrong and can do nothing about it: the credential is the server's own. */
export function credentialRefused(status: number, hasCredential: boolean): FrameholdError {
  return hasCredential
    ? new FrameholdError(
        'tsdb_failed',
        `The external database refuses the credential that this server has for it (${status}).`,
        { hint: 'Operator: check tsdb.username and tsdb.password, or tsdb.token.' },
      )
    : new FrameholdError(
        'tsdb_failed',
        `The external database wants a credential, and this server has none for it (${status}).`,
        { hint: 'Operator: set tsdb.username and tsdb.password, or tsdb.token.' },
      );
}

/** An answer without rows as an error: the database's own words, and its position within the caller's text if it is there. */
export function queryRefused(answer: CollectedAnswer, wrapped: WrappedQuery, select: string): FrameholdError {
  const { message, position } = problemOf(answer.text);
  if (answer.status === 429) {
    return new FrameholdError('overloaded', 'The external database runs as many exports as it takes.', {
      hint: 'Try again when some have ended, or raise http.export.connection.limit of the database.',
    });
  }
  if (answer.status !== 400 || message === null) {
    return new FrameholdError(
      'tsdb_failed',
      `The external database answered ${answer.status} and no rows${message === null ? '' : `: ${message}`}.`,
      { hint: 'Look into the log of the database.' },
    );
  }
  if (/\btimeout, query aborted\b/.test(message)) {
    return new FrameholdError('tsdb_timeout', `The external database gave up on the query: ${message}.`, {
      hint: 'Make the query in tsdb() smaller.',
    });
  }
  const inside = position - wrapped.offset;
  const where = inside >= 0 && inside <= select.length ? ` (position ${inside} of its text)` : '';
  return new FrameholdError(
    'sql_invalid',
    `The external database refuses the query of tsdb(): ${message}${where}.`,
    { hint: 'The text of tsdb() is in the SQL of that database, not in the SQL around it.' },
  );
}

function problemOf(text: string): { message: string | null; position: number } {
  try {
    const { error, position } = JSON.parse(text) as { readonly error?: unknown; readonly position?: unknown };
    if (typeof error === 'string' && error !== '')
      return { message: shown(error), position: typeof position === 'number' ? position : -1 };
  } catch {
    // No JSON: somebody else answered in its place.
  }
  return { message: null, position: -1 };
}

function shown(message: string): string {
  const line = message
    .slice(0, messageReadMax)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return line.length > messageLengthMax ? `${line.slice(0, messageLengthMax)}…` : line.replace(/\.$/, '');
}
