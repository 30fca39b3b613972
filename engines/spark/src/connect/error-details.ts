import { fromBinary } from '@bufbuild/protobuf';
import { anyUnpack } from '@bufbuild/protobuf/wkt';
import { status } from '@grpc/grpc-js';
import { type GrpcFailure, messageBytesMax } from './connect-call.ts';
import { ConnectError, type ConnectErrorReason, type ErrorPlace } from './connect-error.ts';
import type {
  FetchErrorDetailsResponse,
  FetchErrorDetailsResponse_Error,
} from './gen/spark/connect/base_pb.js';
import { FetchErrorDetailsResponse_QueryContext_ContextType as ContextType } from './gen/spark/connect/base_pb.js';
import { type ErrorInfo, ErrorInfoSchema, StatusSchema } from './gen/spark/error_info_pb.js';

/** What Spark attaches to a failed call; null if the failure is not Spark's, but one of the way to it. */
export function errorInfoOf(failure: GrpcFailure): ErrorInfo | null {
  const [bytes] = failure.metadata.get('grpc-status-details-bin');
  if (!(bytes instanceof Uint8Array)) return null;
  try {
    for (const detail of fromBinary(StatusSchema, bytes).details) {
      const info = anyUnpack(detail, ErrorInfoSchema);
      if (info !== undefined) return info;
    }
  } catch {
    // Only more than the status itself says.
  }
  return null;
}

/** The id under which the session keeps the whole error. */
export function errorIdOf(info: ErrorInfo): string | null {
  return info.metadata.errorId ?? null;
}

/** Spark's name of the error; it is also the first word of its message. */
export function conditionOf(failure: GrpcFailure): string | null {
  return errorInfoOf(failure)?.metadata.errorClass ?? null;
}

/** `fetched` is what FetchErrorDetails answered, if it did. */
export function connectErrorOf(
  failure: GrpcFailure,
  fetched: FetchErrorDetailsResponse | null = null,
): ConnectError {
  const info = errorInfoOf(failure);
  const errors = fetched === null ? [] : chainOf(fetched);
  const [first] = errors;
  // An exception without a name of its own says nothing that the one beneath it does not say better.
  const named = errors.find((error) => error.sparkThrowable?.errorClass !== undefined) ?? first;
  const throwable = named?.sparkThrowable;
  const condition = throwable?.errorClass ?? info?.metadata.errorClass ?? null;
  return new ConnectError(reasonOf(failure, info, condition), messageOf(failure, named), {
    code: failure.code,
    condition,
    sqlState: throwable?.sqlState ?? info?.metadata.sqlState ?? null,
    parameters: new Map(Object.entries(throwable?.messageParameters ?? {})),
    places: errors.flatMap(placesOf),
    classes: first?.errorTypeHierarchy ?? classesOf(info),
    causes: errors.filter((error) => error !== named).map((error) => error.message),
    cause: failure,
  });
}

/** From the root on, each with the one that caused it. */
function chainOf({ rootErrorIdx, errors }: FetchErrorDetailsResponse): FetchErrorDetailsResponse_Error[] {
  const chain: FetchErrorDetailsResponse_Error[] = [];
  for (let index = rootErrorIdx; index !== undefined; ) {
    const error: FetchErrorDetailsResponse_Error | undefined = errors[index];
    if (error === undefined || chain.includes(error)) break;
    chain.push(error);
    index = error.causeIdx;
  }
  return chain;
}

function messageOf(
  { code, details }: GrpcFailure,
  error: FetchErrorDetailsResponse_Error | undefined,
): string {
  // In grpc-js's words it would be a message of some length.
  if (code === status.RESOURCE_EXHAUSTED && details.startsWith('Received message larger'))
    return `Spark sent a batch of rows that is larger than ${messageBytesMax} bytes: select fewer or shorter columns.`;
  return error === undefined || error.message === '' ? details : error.message;
}

function placesOf({ sparkThrowable }: FetchErrorDetailsResponse_Error): ErrorPlace[] {
  return (sparkThrowable?.queryContexts ?? [])
    .filter(({ contextType }) => contextType === ContextType.SQL)
    .map(({ startIndex, stopIndex, fragment, objectType }) => ({
      start: startIndex,
      stop: stopIndex,
      fragment,
      objectType,
    }));
}

function classesOf(info: ErrorInfo | null): readonly string[] {
  try {
    const classes: unknown = JSON.parse(info?.metadata.classes ?? '[]');
    return Array.isArray(classes) ? classes.filter((name) => typeof name === 'string') : [];
  } catch {
    return [];
  }
}

function reasonOf(
  { code, details }: GrpcFailure,
  info: ErrorInfo | null,
  condition: string | null,
): ConnectErrorReason {
  if (code === status.UNAUTHENTICATED || code === status.PERMISSION_DENIED) return 'unauthenticated';
  if (condition === 'OPERATION_CANCELED' || condition?.startsWith('OPERATION_CANCELED.'))
    return 'interrupted';
  if (condition?.startsWith('INVALID_HANDLE.') || condition?.startsWith('INVALID_CURSOR.')) return 'lost';
  if (info !== null) return 'spark';
  switch (code) {
    case status.UNAVAILABLE:
    case status.CANCELLED:
      return 'unreachable';
    case status.DEADLINE_EXCEEDED:
      return 'deadline';
    case status.UNKNOWN:
      // An error of the Java machine itself, such as one of memory: Spark sends only its message.
      return 'spark';
    default:
      return details.startsWith('INVALID_HANDLE') ? 'lost' : 'protocol';
  }
}
