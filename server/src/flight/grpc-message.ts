import { FrameholdError } from '../model/errors.ts';

/**
 * One outgoing message as gRPC sends it: a flag byte (0, not compressed), the length in four bytes, then the message itself. Verbs build
 * these whole, so that a body can be read from the disk straight into the buffer that it is sent from.
 */
export type GrpcMessage = Buffer;

export const messagePrefixBytes = 5;

/** Clients count a message's bytes in a signed 32-bit number; a little less leaves room for the fields around a body. */
const messageBytesMax = 2 ** 31 - 1 - 1024 * 1024;

export function checkMessageBytes(bytes: number): void {
  if (bytes <= messageBytesMax) return;
  throw new FrameholdError(
    'body_too_large',
    `A batch of this frame takes ${bytes} bytes; one Flight message holds at most ${messageBytesMax}.`,
    { hint: 'Read the frame over HTTP, or put it again in smaller batches.' },
  );
}

/** Writes the prefix into the first bytes of a buffer that the message fills to its end, or with so many bytes that follow it. */
export function sealMessage(buffer: Buffer, bytesBehind = 0): GrpcMessage {
  buffer[0] = 0;
  buffer.writeUInt32BE(buffer.length - messagePrefixBytes + bytesBehind, 1);
  return buffer;
}

/** The prefix, and a small message that is already encoded. */
export function grpcMessageOf(encoded: Uint8Array): GrpcMessage {
  const buffer = Buffer.allocUnsafe(messagePrefixBytes + encoded.length);
  buffer.set(encoded, messagePrefixBytes);
  return sealMessage(buffer);
}
