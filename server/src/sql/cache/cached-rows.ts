import { readBody } from '../../arrow/ipc/message-reader.ts';
import type { Column } from '../../model/version.ts';
import type { IpcMessage } from '../../ports/renderer.ts';

/** Rows as the engine gave them. */
export interface CachedRows {
  readonly kind: 'rows';
  readonly schemaMessage: Uint8Array;
  readonly markedSchemaMessage: Uint8Array;
  readonly columns: readonly Column[];
  readonly messages: readonly CachedMessage[];
}

interface CachedMessage {
  readonly header: Uint8Array;
  readonly body: Uint8Array;
}

/** What a message weighs beside its bytes: two views and their memory. */
const messageBytes = 256;

/** The messages of a cached answer, as an engine would give them. */
export async function* cachedMessages(
  { messages }: CachedRows,
  signal: AbortSignal,
): AsyncGenerator<IpcMessage, void, void> {
  for (const message of messages) {
    signal.throwIfAborted();
    yield inMemory(message);
  }
}

/** With memory of its own: that of the engine's is used again. */
async function copied(message: IpcMessage): Promise<CachedMessage> {
  return { header: new Uint8Array(message.header), body: await readBody(message) };
}

function inMemory({ header, body }: CachedMessage): IpcMessage {
  return {
    header,
    bodyBytes: body.byteLength,
    readBody: async (target) => target.set(body),
    peekBody: () => body,
  };
}

/** The same messages. `whole` is called when the last one has been taken, unless they are larger. */
export async function* collected(
  messages: AsyncIterable<IpcMessage>,
  bytesMax: number,
  whole: (pieces: readonly CachedMessage[], bytes: number) => void,
): AsyncGenerator<IpcMessage, void, void> {
  let pieces: CachedMessage[] | null = [];
  let bytes = 0;
  for await (const message of messages) {
    bytes += message.header.byteLength + message.bodyBytes + messageBytes;
    if (bytes > bytesMax) pieces = null;
    if (pieces === null) yield message;
    else {
      const piece = await copied(message);
      pieces.push(piece);
      yield inMemory(piece);
    }
  }
  if (pieces !== null) whole(pieces, bytes);
}
