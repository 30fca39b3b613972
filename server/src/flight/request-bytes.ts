import type { AccessGuard } from '../frames/access/access-guard.ts';
import { FrameholdError } from '../model/errors.ts';
import { byteLength } from './byte-cursor.ts';
import type { Call, Chunks, Incoming } from './call.ts';
import type { Method } from './method.ts';

/** Parameters travel in the ticket, and some clients accept messages of 4 MiB at most. */
export const queryParameterBytesMax = 1024 * 1024;
/** Names, patterns, options: what is neither a statement nor rows. The longest honest ones, lists of codes or table types, have a tenth. */
export const plainBytesMax = 64 * 1024;
/** A FlightInfo that comes back to be cancelled carries the schema of its rows, some 100 bytes for each column. */
const schemaBytesMax = 4 * 1024 * 1024;

/** The largest message of each kind of request, from the longest statement. */
export interface RequestBytes {
  readonly descriptor: number;
  readonly ticket: number;
  readonly action: number;
}

export function requestBytes(statementBytesMax: number): RequestBytes {
  const descriptor = statementBytesMax + plainBytesMax;
  // JSON may write each character of the statement as two, and the parameters are in base64.
  const ticket = 2 * statementBytesMax + Math.ceil(queryParameterBytesMax / 3) * 4 + plainBytesMax;
  return { descriptor, ticket, action: descriptor + ticket + schemaBytesMax };
}

export function checkBytes(what: string, bytes: number, bytesMax: number): void {
  if (bytes <= bytesMax) return;
  throw new FrameholdError('body_too_large', `${what} has ${bytes} bytes; at most ${bytesMax} are taken.`, {
    hint: 'Only statements and rows may be larger.',
  });
}

/** The method, with a message above `plainBytesMax` neither joined nor parsed for those who may not even read. */
export function largeForReaders(method: Method, access: AccessGuard): Method {
  return {
    ...method,
    serve: (incoming, outgoing, call) => method.serve(checked(incoming, call, access), outgoing, call),
  };
}

async function* checked(
  incoming: Incoming<Chunks>,
  { caller }: Call,
  access: AccessGuard,
): AsyncGenerator<Chunks, void, void> {
  try {
    for await (const message of incoming) {
      if (byteLength(message) > plainBytesMax) access.check(caller, 'sql.query');
      yield message;
    }
  } catch (error) {
    if (error instanceof FrameholdError && error.kind === 'body_too_large') access.check(caller, 'sql.query');
    throw error;
  }
}
