import { FrameholdError } from '../frames/errors.ts';

/**
 * One outgoing message as gRPC puts it on the wire: a flag byte (0, not compressed), the length in four bytes, the message.
 * Verbs build whole frames, so that a body can be read from the disk straight to where it is sent from.
 */
export type Frame = Buffer;

export const framePrefixBytes = 5;

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

/** Writes the prefix into the first bytes of a frame whose message ends at the buffer's end. */
export function sealFrame(frame: Buffer): Frame {
  frame[0] = 0;
  frame.writeUInt32BE(frame.length - framePrefixBytes, 1);
  return frame;
}

/** A frame around a small message that is already encoded. */
export function frameOf(message: Uint8Array): Frame {
  const frame = Buffer.allocUnsafe(framePrefixBytes + message.length);
  frame.set(message, framePrefixBytes);
  return sealFrame(frame);
}
