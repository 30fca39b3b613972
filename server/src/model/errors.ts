/** The closed list of failures. A code is stable, documented in docs/reference/errors.md and never reused. */

/** gRPC status numbers, as the protocol defines them. */
const grpc = {
  cancelled: 1,
  unknown: 2,
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  alreadyExists: 6,
  permissionDenied: 7,
  resourceExhausted: 8,
  failedPrecondition: 9,
  aborted: 10,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  dataLoss: 15,
  unauthenticated: 16,
} as const;

/** Everything that depends on the kind of an error alone. */
export interface ErrorShape {
  /** HTTP status. */
  readonly status: number;
  readonly grpc: number;
  /** Of PostgreSQL, unless the error itself knows a closer one. */
  readonly sqlState: string;
  readonly title: string;
  /** What the caller can do about it, unless the error itself knows better. */
  readonly hint?: string;
  /** When a retry is worthwhile, unless the error itself knows better. */
  readonly retryAfterSeconds?: number;
  /** The frame does not exist, or no longer exists. */
  readonly absent?: true;
  /** A statement may fail with it. If an engine process reports any other kind, the process itself is at fault. */
  readonly ofStatement?: true;
}

/** A burst is over in a moment. */
const burstSeconds = 1;
const restartSeconds = 5;
/** Small parts are written in a second or two. */
const fileSeconds = 2;
/** Free space comes from a person or from a background job. */
const roomSeconds = 60;

const kinds = {
  bad_request: {
    status: 400,
    grpc: grpc.invalidArgument,
    sqlState: '22023',
    title: 'The request is malformed',
    ofStatement: true,
  },
  bad_handle: { status: 400, grpc: grpc.invalidArgument, sqlState: '42602', title: 'Not a valid handle' },
  bad_body: {
    status: 400,
    grpc: grpc.invalidArgument,
    sqlState: '22P04',
    title: 'The body cannot be read',
    hint: 'Check that the body is complete and that its type matches Content-Type.',
    ofStatement: true,
  },
  digest_mismatch: {
    status: 400,
    grpc: grpc.invalidArgument,
    sqlState: '22000',
    title: 'The body does not match its digest',
  },
  bad_cursor: { status: 400, grpc: grpc.invalidArgument, sqlState: '34000', title: 'Not a valid cursor' },
  sql_invalid: {
    status: 400,
    grpc: grpc.invalidArgument,
    sqlState: '42601',
    title: 'The statement is not valid',
    hint: 'Correct the statement and send it again. GET /v1/functions lists functions and keywords.',
    ofStatement: true,
  },
  unauthenticated: {
    status: 401,
    grpc: grpc.unauthenticated,
    sqlState: '28000',
    title: 'The caller is not authenticated',
  },
  access_denied: {
    status: 403,
    grpc: grpc.permissionDenied,
    sqlState: '42501',
    title: 'The caller may not do this',
  },
  origin_refused: {
    status: 403,
    grpc: grpc.permissionDenied,
    sqlState: '42501',
    title: 'Requests from pages of other sites are not allowed',
  },
  // Not PERMISSION_DENIED, which clients show as a problem of the caller: no other caller may run it either.
  sql_refused: {
    status: 403,
    grpc: grpc.invalidArgument,
    sqlState: '42501',
    title: 'The statement is not allowed',
    hint: 'Statements read and change frames; the SQL reference lists what is allowed.',
    ofStatement: true,
  },
  route_not_found: {
    status: 404,
    grpc: grpc.unimplemented,
    sqlState: '0A000',
    title: 'No such route',
    hint: 'GET /v1/openapi.json lists all routes.',
  },
  frame_not_found: {
    status: 404,
    grpc: grpc.notFound,
    sqlState: '42P01',
    title: 'No such frame',
    hint: 'GET /v1/frames lists all frames; over Flight, use ListFlights.',
    absent: true,
  },
  query_not_found: { status: 404, grpc: grpc.notFound, sqlState: '42704', title: 'No such query' },
  tag_not_found: { status: 404, grpc: grpc.notFound, sqlState: '42704', title: 'No such tag' },
  link_not_found: { status: 404, grpc: grpc.notFound, sqlState: '42704', title: 'No such link' },
  column_not_found: {
    status: 400,
    grpc: grpc.invalidArgument,
    sqlState: '42703',
    title: 'No such column',
    ofStatement: true,
  },
  method_not_allowed: {
    status: 405,
    grpc: grpc.unimplemented,
    sqlState: '0A000',
    title: 'Method not allowed',
  },
  not_acceptable: {
    status: 406,
    grpc: grpc.invalidArgument,
    sqlState: '0A000',
    title: 'No acceptable format',
  },
  request_timeout: {
    status: 408,
    grpc: grpc.deadlineExceeded,
    sqlState: '08000',
    title: 'The request took too long to arrive',
    hint: 'Send the request again, without long pauses.',
  },
  schema_conflict: {
    status: 409,
    grpc: grpc.failedPrecondition,
    sqlState: '42804',
    title: 'The columns differ',
    hint: 'Send the columns of the frame, by name, with values that fit its types.',
    ofStatement: true,
  },
  name_conflict: {
    status: 409,
    grpc: grpc.alreadyExists,
    sqlState: '42P07',
    title: 'A name that differs only in case exists',
  },
  name_in_use: { status: 409, grpc: grpc.alreadyExists, sqlState: '42P07', title: 'The name is in use' },
  idempotency_conflict: {
    status: 409,
    grpc: grpc.aborted,
    sqlState: '40001',
    title: 'The idempotency key was used for another request',
  },
  write_conflict: {
    status: 409,
    grpc: grpc.aborted,
    sqlState: '40001',
    title: 'The frame was changed by another request',
    hint: 'Run the statement again when fewer changes arrive, or make the changes one after another.',
  },
  query_cancelled: {
    status: 409,
    grpc: grpc.cancelled,
    sqlState: '57014',
    title: 'The query was cancelled',
    hint: 'To get its result, run it again.',
  },
  position_unknown: {
    status: 410,
    grpc: grpc.notFound,
    sqlState: '42P01',
    title: 'It is no longer known where the version ended',
    ofStatement: true,
  },
  not_append_only: {
    status: 409,
    grpc: grpc.failedPrecondition,
    sqlState: '55000',
    title: 'Rows were not only appended since the version',
    ofStatement: true,
  },
  frame_gone: {
    status: 410,
    grpc: grpc.notFound,
    sqlState: '42P01',
    title: 'The frame is gone',
    absent: true,
  },
  link_revoked: { status: 410, grpc: grpc.unauthenticated, sqlState: '28000', title: 'The link was revoked' },
  frame_exists: { status: 412, grpc: grpc.alreadyExists, sqlState: '42P07', title: 'The frame exists' },
  version_mismatch: {
    status: 412,
    grpc: grpc.failedPrecondition,
    sqlState: '40001',
    title: 'The frame has another version',
  },
  tsdb_not_configured: {
    status: 412,
    grpc: grpc.failedPrecondition,
    sqlState: '55000',
    title: 'No external database is configured',
  },
  body_too_large: {
    status: 413,
    grpc: grpc.resourceExhausted,
    sqlState: '54000',
    title: 'The body is too large',
  },
  url_too_long: {
    status: 414,
    grpc: grpc.invalidArgument,
    sqlState: '54000',
    title: 'The URL is too long',
    hint: 'Shorten the URL, or send the parameters in a body.',
  },
  unsupported_media_type: {
    status: 415,
    grpc: grpc.invalidArgument,
    sqlState: '0A000',
    title: 'Unsupported media type',
    hint: 'Set Content-Type to the type of the body.',
  },
  not_representable: {
    status: 422,
    grpc: grpc.failedPrecondition,
    sqlState: '0A000',
    title: 'The format cannot hold this frame exactly',
    ofStatement: true,
  },
  column_not_readable: {
    status: 422,
    grpc: grpc.failedPrecondition,
    sqlState: '0A000',
    title: 'SQL cannot read a column exactly',
    hint: 'Choose other columns, or read the frame without SQL.',
    ofStatement: true,
  },
  sql_failed: {
    status: 422,
    grpc: grpc.invalidArgument,
    sqlState: '22000',
    title: 'The statement failed',
    hint: 'Correct the statement or its values, and send it again.',
    ofStatement: true,
  },
  sql_memory: {
    status: 422,
    grpc: grpc.resourceExhausted,
    sqlState: '53200',
    title: 'The statement needs more memory',
    ofStatement: true,
  },
  rate_limited: {
    status: 429,
    grpc: grpc.resourceExhausted,
    sqlState: '53400',
    title: 'Too many requests at once',
    retryAfterSeconds: burstSeconds,
  },
  quota_exceeded: {
    status: 429,
    grpc: grpc.resourceExhausted,
    sqlState: '53400',
    title: 'The tenant has reached its quota',
    retryAfterSeconds: roomSeconds,
  },
  range_not_satisfiable: {
    status: 416,
    grpc: grpc.invalidArgument,
    sqlState: '22003',
    title: 'The requested range is outside the file',
  },
  expectation_failed: {
    status: 417,
    grpc: grpc.invalidArgument,
    sqlState: '0A000',
    title: 'The header Expect cannot be met',
  },
  headers_too_large: {
    status: 431,
    grpc: grpc.invalidArgument,
    sqlState: '54000',
    title: 'The headers are too large',
    hint: 'Send fewer or shorter headers.',
  },
  cancelled: { status: 499, grpc: grpc.cancelled, sqlState: '57014', title: 'The caller disconnected' },
  // Without a hint: that is how a start and `verify` tell a fault nobody foresaw from one that says what to do.
  internal: { status: 500, grpc: grpc.internal, sqlState: 'XX000', title: 'Unexpected error' },
  // Not 503: a client that retries by itself might append twice.
  outcome_unknown: {
    status: 500,
    grpc: grpc.unknown,
    sqlState: '40003',
    title: 'The outcome of the change is unknown',
  },
  frame_damaged: {
    status: 500,
    grpc: grpc.dataLoss,
    sqlState: 'XX001',
    title: 'The stored bytes of the frame have changed',
    hint: 'Upload the frame again or restore a backup. framehold verify lists the damaged files.',
  },
  engine_failed: {
    status: 500,
    grpc: grpc.internal,
    sqlState: '58000',
    title: 'The SQL engine failed',
    hint: 'Retry. If it fails again, send the request id to the operator.',
  },
  unimplemented: {
    status: 501,
    grpc: grpc.unimplemented,
    sqlState: '0A000',
    title: 'Not supported',
    ofStatement: true,
  },
  issuer_unreachable: {
    status: 503,
    grpc: grpc.unavailable,
    sqlState: '58000',
    title: 'The token issuer cannot be reached',
    retryAfterSeconds: restartSeconds,
  },
  tsdb_failed: {
    status: 502,
    grpc: grpc.unavailable,
    sqlState: '58000',
    title: 'The external database failed',
    hint: 'Check that the database is running and reachable.',
  },
  unavailable: {
    status: 503,
    grpc: grpc.unavailable,
    sqlState: '58000',
    title: 'The catalog, the object store or Spark cannot be reached',
    retryAfterSeconds: burstSeconds,
  },
  overloaded: {
    status: 503,
    grpc: grpc.resourceExhausted,
    sqlState: '53000',
    title: 'The server is busy',
    retryAfterSeconds: burstSeconds,
  },
  file_not_ready: {
    status: 503,
    grpc: grpc.unavailable,
    sqlState: '55000',
    title: 'The file is not ready yet',
    retryAfterSeconds: fileSeconds,
  },
  draining: {
    status: 503,
    grpc: grpc.unavailable,
    sqlState: '57P01',
    title: 'The server is stopping',
    hint: 'Retry in a few seconds: the server is restarting, or another node will answer.',
    retryAfterSeconds: restartSeconds,
  },
  tsdb_timeout: {
    status: 504,
    grpc: grpc.deadlineExceeded,
    sqlState: '57014',
    title: 'The external database did not respond in time',
  },
  sql_timeout: {
    status: 504,
    grpc: grpc.deadlineExceeded,
    sqlState: '57014',
    title: 'The statement took too long',
    ofStatement: true,
  },
  disk_full: {
    status: 507,
    grpc: grpc.resourceExhausted,
    sqlState: '53100',
    title: 'The disk is full',
    hint: 'Drop frames or free disk space, then retry.',
    retryAfterSeconds: roomSeconds,
    ofStatement: true,
  },
} as const satisfies Record<string, ErrorShape>;

export type ErrorKind = keyof typeof kinds;

export const errorKinds: Readonly<Record<ErrorKind, ErrorShape>> = kinds;

/** A place in a text that the caller has sent. Characters are counted as JavaScript counts them: in UTF-16 code units. */
export interface TextPlace {
  /** From 0. */
  readonly position: number;
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
}

export interface FrameholdErrorOptions {
  /** What the caller can do about it. */
  readonly hint?: string;
  /** Where in the caller's statement it is, if that is known. */
  readonly place?: TextPlace;
  readonly cause?: unknown;
  /** When to try again, if that is known. */
  readonly retryAfterSeconds?: number;
  /** For callers that speak PostgreSQL's protocol, if it says more than that of the kind. */
  readonly sqlState?: string;
  /** The name in the caller's statement that it is about, as it was written. */
  readonly subject?: string;
}

/** The one error that crosses rooms. `detail` is shown to callers, `cause` only to the log. */
export class FrameholdError extends Error {
  readonly kind: ErrorKind;
  readonly hint: string | undefined;
  readonly place: TextPlace | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly sqlState: string | undefined;
  readonly subject: string | undefined;

  constructor(kind: ErrorKind, detail: string, options: FrameholdErrorOptions = {}) {
    super(detail, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'FrameholdError';
    this.kind = kind;
    this.hint = options.hint ?? errorKinds[kind].hint;
    this.place = options.place;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.sqlState = options.sqlState;
    this.subject = options.subject;
  }
}

/** Whether the error means that a frame does not exist, or no longer exists. */
export function isAbsent(error: unknown): boolean {
  return error instanceof FrameholdError && errorKinds[error.kind].absent === true;
}

/** Any throwable as one of ours; unexpected ones become `internal`, with their cause kept for the log. */
export function asFrameholdError(thrown: unknown): FrameholdError {
  if (thrown instanceof FrameholdError) return thrown;
  if (thrown instanceof Error) {
    const code = (thrown as NodeJS.ErrnoException).code;
    if (code === 'ENOSPC' || code === 'EDQUOT') {
      return new FrameholdError('disk_full', 'There is no room left on the disk.', {
        cause: thrown,
        hint: 'Drop frames or free disk space, then retry.',
      });
    }
    if (thrown.name === 'AbortError')
      return new FrameholdError('cancelled', 'The caller disconnected.', { cause: thrown });
  }
  return new FrameholdError('internal', 'An unexpected fault; the log has its cause under this request id.', {
    cause: thrown,
  });
}

/** The members of an error that can be sent between threads. */
export interface ErrorPayload {
  readonly kind: ErrorKind;
  readonly detail: string;
  readonly hint: string | undefined;
  readonly place?: TextPlace;
  readonly sqlState?: string;
  readonly stack: string | undefined;
}

export function errorToPayload(thrown: unknown): ErrorPayload {
  const error = asFrameholdError(thrown);
  const cause = error.cause instanceof Error ? error.cause.stack : undefined;
  const { kind, message, hint, place, sqlState } = error;
  const stack = cause ?? error.stack;
  return {
    kind,
    detail: message,
    hint,
    ...(place === undefined ? {} : { place }),
    ...(sqlState === undefined ? {} : { sqlState }),
    stack,
  };
}

export function errorFromPayload(payload: ErrorPayload): FrameholdError {
  const cause =
    payload.kind === 'internal' || payload.kind === 'outcome_unknown' || payload.kind === 'unavailable'
      ? new Error(payload.stack ?? payload.detail)
      : undefined;
  const options = {
    ...(payload.hint === undefined ? {} : { hint: payload.hint }),
    ...(payload.place === undefined ? {} : { place: payload.place }),
    ...(payload.sqlState === undefined ? {} : { sqlState: payload.sqlState }),
    ...(cause ? { cause } : {}),
  };
  return new FrameholdError(payload.kind, payload.detail, options);
}
