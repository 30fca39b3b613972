import { MalformedArrow } from '../malformed-arrow.ts';

/** Arrow's IPC stream: each message is a marker, the header's length, the header padded to 8 bytes, and the body. */

/** Marker and length. */
export const prefixBytes = 8;
/** A schema of 100,000 fields with metadata has some 10 MiB. It is read again wherever the frame is, so that this bounds those readers too. */
const headerBytesMax = 16 * 1024 * 1024;
const continuation = 0xffffffff;

export const endOfStream: Uint8Array = Uint8Array.of(255, 255, 255, 255, 0, 0, 0, 0);

/** The bytes before a message's body. */
export function frameHeader(header: Uint8Array): Uint8Array {
  const padded = Math.ceil(header.length / 8) * 8;
  const framed = new Uint8Array(prefixBytes + padded);
  const view = new DataView(framed.buffer);
  view.setUint32(0, continuation, true);
  view.setInt32(4, padded, true);
  framed.set(header, prefixBytes);
  return framed;
}

/** The header's length out of the eight bytes of a prefix; 0 is the end of the stream. */
export function headerBytesOf(prefix: DataView, position: number): number {
  const marker = prefix.getUint32(position, true);
  if (marker !== continuation) {
    throw new MalformedArrow(
      marker < headerBytesMax
        ? 'this is the framing of Arrow before 0.15, or not an Arrow stream; write it with a current Arrow library'
        : 'not an Arrow IPC stream: a message begins with FF FF FF FF',
    );
  }
  const headerBytes = prefix.getInt32(position + 4, true);
  if (headerBytes < 0 || headerBytes > headerBytesMax)
    throw new MalformedArrow(`a header of ${headerBytes} bytes; at most ${headerBytesMax} are accepted`);
  return headerBytes;
}
