import { open } from 'node:fs/promises';
import type { ObjectReader } from '../objects/object-reader.ts';
import type { FileLayout, FilePiece } from '../ports/catalog/files.ts';

/** Bytes of a file from `start` to before `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Of a chunk: large enough that the cost of a read does not matter, small enough for many slow readers. */
const chunkBytes = 256 * 1024;

/** The pieces that hold these bytes, cut to them. */
export function* piecesOf(
  { pieces }: FileLayout,
  { start, end }: ByteRange,
): Generator<FilePiece, void, void> {
  let position = 0;
  for (const piece of pieces) {
    const from = Math.max(start, position);
    const to = Math.min(end, position + piece.length);
    if (from < to) yield { ...piece, start: piece.start + from - position, length: to - from };
    position += piece.length;
    if (position >= end) return;
  }
}

/** Bytes of one object, in chunks. It is open only while it is read: of a file of many objects only one is on this machine for its sake. */
export async function* pieceBytes(
  reader: Pick<ObjectReader, 'open'>,
  { object, start, length }: FilePiece,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, void> {
  const { paths, release } = await reader.open([object], signal);
  try {
    await using file = await open(paths[0] as string);
    for (let done = 0; done < length; ) {
      signal.throwIfAborted();
      // Of its own: a socket may hold it until it has been sent.
      const chunk = Buffer.allocUnsafeSlow(Math.min(chunkBytes, length - done));
      const { bytesRead } = await file.read(chunk, 0, chunk.length, start + done);
      if (bytesRead === 0) throw new Error(`the object ${object.key} ends early`);
      done += bytesRead;
      yield chunk.subarray(0, bytesRead);
    }
  } finally {
    release();
  }
}
