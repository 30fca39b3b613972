import { endOfStream, frameHeader } from '../arrow/framing.ts';
import type { IpcPiece } from '../parquet/ipc-piece.ts';

/**
 * An IPC stream out of messages. Bodies are chunks of their own, in the memory that they have. The schema goes out with the first message, not before it: what fails at once can
 * then still be told.
 */
export async function* arrowStream(
  schemaMessage: Uint8Array,
  pieces: AsyncIterable<IpcPiece>,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, void> {
  let before: Uint8Array[] = [frameHeader(schemaMessage)];
  for await (const { header, body } of pieces) {
    yield joined([...before, frameHeader(header)]);
    before = [];
    // None is in shared memory; only the type does not know.
    if (body.length > 0) yield body as Uint8Array<ArrayBuffer>;
  }
  yield joined([...before, endOfStream]);
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let position = 0;
  for (const part of parts) {
    whole.set(part, position);
    position += part.length;
  }
  return whole;
}
