import { FrameholdError } from '../model/errors.ts';

/** Classes and codes of SQLSTATE that end a connection, or come while the server starts or stops. */
const lostStates = /^(08...|57P0[1-5]|53300)$/;
/** Serialization failure, deadlock: the transaction was rolled back, and may succeed the next time. */
const retryableStates: ReadonlySet<string> = new Set(['40001', '40P01']);
/**
 * What the database cannot do now: statement_timeout, lock_timeout, no room or memory (53), its disk fails (58), it is a standby and does not
 * accept changes.
 */
const temporaryStates = /^(57014|55P03|53...|58...|25006)$/;

const systemCodes: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** pg has no codes for these. */
const lostMessages =
  /connection terminated|query read timeout|timeout exceeded when trying to connect|connection error|not queryable|client was closed|socket hang up/i;

/** The connection is gone, or of no use any more: what was sent on it and not answered has an unknown end. */
export function isConnectionLoss(error: unknown): boolean {
  if (error instanceof FrameholdError || !(error instanceof Error)) return false;
  const code = codeOf(error);
  if (code !== undefined && (lostStates.test(code) || systemCodes.has(code))) return true;
  return code === undefined && lostMessages.test(error.message);
}

export function isRetryable(error: unknown): boolean {
  return retryableStates.has(codeOf(error) ?? '');
}

/** The database has refused the statement for reasons of its own, for example because another one held a lock for too long. It has changed nothing. */
export function isTemporary(error: unknown): boolean {
  return isRetryable(error) || temporaryStates.test(codeOf(error) ?? '');
}

export function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : undefined;
}

/** Nothing was changed. */
export function unavailable(cause: unknown, detail = 'The catalog cannot be reached.'): FrameholdError {
  if (cause instanceof FrameholdError) return cause;
  return new FrameholdError('unavailable', detail, { cause, hint: 'Try again in a moment.' });
}
