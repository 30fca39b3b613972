import { endOfStream, frameHeader } from '../arrow/ipc/framing.ts';
import { joinBytes } from '../arrow/join-bytes.ts';
import type { IpcPiece } from '../parquet/ipc-piece.ts';
import type { OutputFormat } from './output-format.ts';

export const arrow: OutputFormat = {
  mediaType: 'application/vnd.apache.arrow.stream',
  fileExtension: 'arrows',
  disposition: 'attachment',
  isCompressible: true,
  isByValue: false,
  thread: 'shared',
};

/**
 * An IPC stream out of messages. Bodies are separate chunks and are not copied. The schema goes out with the first message, not before it: an early failure
 * can then still be reported.
 */
export async function* arrowStream(
  schemaMessage: Uint8Array,
  pieces: AsyncIterable<IpcPiece>,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, void> {
  let before: Uint8Array[] = [frameHeader(schemaMessage)];
  for await (const { header, body } of pieces) {
    yield joinBytes([...before, frameHeader(header)]);
    before = [];
    // None is in shared memory; only the type does not know.
    if (body.length > 0) yield body as Uint8Array<ArrayBuffer>;
  }
  yield joinBytes([...before, endOfStream]);
}
