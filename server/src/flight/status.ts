import { errorKinds, type FrameholdError } from '../model/errors.ts';

/** How a call ended, in gRPC's terms. */
export interface CallStatus {
  readonly code: number;
  readonly message: string;
  /** Trailing metadata. */
  readonly metadata: Readonly<Record<string, string>>;
}

export function okStatus(requestId: string): CallStatus {
  return { code: 0, message: '', metadata: { 'framehold-request-id': requestId } };
}

/** The one place in which an error becomes a gRPC status. */
export function errorStatus(error: FrameholdError, requestId: string): CallStatus {
  return {
    code: errorKinds[error.kind].grpc,
    message: messageOf(error, requestId),
    metadata: {
      'framehold-code': error.kind,
      'framehold-request-id': requestId,
      ...(error.retryAfterSeconds === undefined ? {} : { 'retry-after': String(error.retryAfterSeconds) }),
    },
  };
}

function messageOf(error: FrameholdError, requestId: string): string {
  if (error.kind === 'internal')
    return `An unexpected fault; the server's log has it under request id ${requestId}.`;
  // A message of the engine may have lines, the last of which points at a place in the statement.
  const between = error.message.includes('\n') ? '\n' : ' ';
  const text = error.hint === undefined ? error.message : `${error.message}${between}${error.hint}`;
  // A lone surrogate (out of a caller's own text) cannot be sent.
  return text.toWellFormed();
}
