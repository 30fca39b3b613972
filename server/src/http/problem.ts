import type { FrameholdError } from '../frames/errors.ts';
import { errorKinds } from '../frames/errors.ts';

/** The one body of every HTTP error: RFC 9457, plus `code`, `hint`, `requestId`, and `error` where QuestDB's clients look. */
export function problemBody(error: FrameholdError, requestId: string, execQuery?: string): string {
  const shape = errorKinds[error.kind];
  return JSON.stringify({
    ...(execQuery === undefined ? {} : { query: execQuery }),
    type: `urn:framehold:error:${error.kind}`,
    title: shape.title,
    status: shape.status,
    detail: error.message,
    code: error.kind,
    ...(error.hint === undefined ? {} : { hint: error.hint }),
    requestId,
    error: error.message,
  });
}

export const problemType = 'application/problem+json';
export const execProblemType = 'application/json; charset=utf-8';
