/** The problem document of an error answer (RFC 9457), as far as the client reads it. */
interface Problem {
  readonly code?: unknown;
  readonly title?: unknown;
  readonly detail?: unknown;
  readonly hint?: unknown;
  readonly requestId?: unknown;
  readonly position?: unknown;
  readonly line?: unknown;
  readonly column?: unknown;
}

interface ErrorFields {
  readonly code: string;
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly hint?: string | undefined;
  readonly requestId?: string | undefined;
  readonly queryId?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly position?: number | undefined;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  readonly cause?: unknown;
}

/**
 * Any failure of a call. `code` is one of the server's stable codes, or one of the client's own, whose `status` is 0: `network` (no answer),
 * `incomplete_answer` (it ended too early), `unreadable_answer`, `no_rows`, `bad_argument`.
 */
export class FrameholdError extends Error {
  override readonly name = 'FrameholdError';
  readonly code: string;
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly hint: string | undefined;
  readonly requestId: string | undefined;
  /** The statement's id, if one failed. */
  readonly queryId: string | undefined;
  readonly retryAfterMs: number | undefined;
  /** Where a statement is wrong: code units from its beginning, from 0. */
  readonly position: number | undefined;
  /** The same as a line and a column, from 1. */
  readonly line: number | undefined;
  readonly column: number | undefined;

  constructor(fields: ErrorFields) {
    super(
      fields.detail + (fields.hint === undefined ? '' : ` ${fields.hint}`),
      fields.cause === undefined ? undefined : { cause: fields.cause },
    );
    this.code = fields.code;
    this.status = fields.status;
    this.title = fields.title;
    this.detail = fields.detail;
    this.hint = fields.hint;
    this.requestId = fields.requestId;
    this.queryId = fields.queryId;
    this.retryAfterMs = fields.retryAfterMs;
    this.position = fields.position;
    this.line = fields.line;
    this.column = fields.column;
  }
}

/** What an answer looks like to `errorOfAnswer`: a `Response`, or what an XMLHttpRequest received. */
export interface ErrorAnswer {
  readonly status: number;
  readonly text: string;
  header(name: string): string | null;
}

export function errorOfAnswer({ status, text, header }: ErrorAnswer): FrameholdError {
  const problem = parseProblem(text);
  const retryAfter = Number(header('retry-after') ?? Number.NaN);
  const requestId = textOf(problem?.requestId) ?? header('x-request-id') ?? undefined;
  const known = {
    status,
    requestId,
    queryId: header('framehold-query-id') ?? undefined,
    retryAfterMs: Number.isFinite(retryAfter) ? retryAfter * 1_000 : undefined,
  };
  const code = textOf(problem?.code);
  if (problem === null || code === undefined)
    return new FrameholdError({
      ...known,
      code: 'unreadable_answer',
      title: 'Not an answer of a Framehold server',
      detail: `The answer has the status ${status} and is not one of a Framehold server.`,
      hint: 'Check the address; a proxy may have answered instead of the server.',
    });
  return new FrameholdError({
    ...known,
    code,
    title: textOf(problem.title) ?? code,
    detail: textOf(problem.detail) ?? code,
    hint: textOf(problem.hint),
    position: numberOf(problem.position),
    line: numberOf(problem.line),
    column: numberOf(problem.column),
  });
}

/** No answer at all. What the platform says about it ("fetch failed") is the cause. */
export function networkError(url: URL, cause: unknown): FrameholdError {
  return new FrameholdError({
    code: 'network',
    status: 0,
    title: 'No answer',
    detail: `There is no answer from ${url.origin}.`,
    hint: 'Check that the server runs and can be reached; a page of another origin must be in http.cors_origins.',
    cause,
  });
}

export function incompleteAnswer(queryId: string | undefined, cause?: unknown): FrameholdError {
  return new FrameholdError({
    code: 'incomplete_answer',
    status: 0,
    title: 'The answer is incomplete',
    detail: 'The answer ended before its last row.',
    hint: 'Repeat the request. If it fails again, the log of the server says why.',
    queryId,
    cause,
  });
}

export function unreadableAnswer(detail: string, hint: string, cause?: unknown): FrameholdError {
  return new FrameholdError({
    code: 'unreadable_answer',
    status: 0,
    title: 'The answer cannot be read',
    detail,
    hint,
    cause,
  });
}

export function badArgument(detail: string, hint: string): FrameholdError {
  return new FrameholdError({ code: 'bad_argument', status: 0, title: 'Bad argument', detail, hint });
}

function parseProblem(text: string): Problem | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : null;
  } catch {
    return null;
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
