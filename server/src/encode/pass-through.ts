import { Buffer } from 'node:buffer';
import { type FileHandle, open } from 'node:fs/promises';
import { messageKind } from '../arrow/ipc/message.ts';
import { type ByteSource, MessageReader } from '../arrow/ipc/message-reader.ts';
import type { IpcMessage } from '../ports/renderer.ts';

/** Messages of Arrow files as they were put: nothing is decoded, so this is done on the main thread. */

/** Of a chunk: large enough that the cost of a read does not matter, small enough for many slow readers. */
const chunkBytes = 256 * 1024;
/** The most that one read call is asked for; the system's own limit is 2 GiB. */
const readBytesMax = 1024 * 1024 * 1024;

/** A message's body must have been read before the next message is asked for. */
export async function* passMessages(
  paths: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<IpcMessage, void, void> {
  for (const path of paths) {
    signal.throwIfAborted();
    await using file = await open(path);
    const reader = new MessageReader(sourceOf(file, signal));
    for (;;) {
      const message = await reader.next();
      if (message === null) break;
      if (messageKind(message.header) !== 'schema') yield message;
    }
  }
}

/** The same as bytes of a stream, without schema and end marker. */
export async function* passBytes(
  paths: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, void> {
  for (const path of paths) {
    signal.throwIfAborted();
    await using file = await open(path);
    const source = sourceOf(file, signal);
    const reader = new MessageReader(source);
    let start = -1;
    let end = -1;
    for (;;) {
      const message = await reader.next();
      if (message === null) break;
      if (messageKind(message.header) === 'schema') continue;
      if (start === -1) start = message.position;
      end = message.bodyPosition + message.bodyBytes;
      for (; end - start >= chunkBytes; start += chunkBytes)
        yield await readRange(source, start, start + chunkBytes);
    }
    if (start < end) yield await readRange(source, start, end);
  }
}

/** A buffer of its own each time: a socket may hold it until it has been sent. */
async function readRange(source: ByteSource, start: number, end: number): Promise<Uint8Array> {
  const bytes = Buffer.allocUnsafeSlow(end - start);
  for (let filled = 0; filled < bytes.length; ) {
    const count = await source.read(bytes.subarray(filled), start + filled);
    if (count === 0) throw new Error(`a part ends at byte ${start + filled}, inside a message`);
    filled += count;
  }
  return bytes;
}

export function sourceOf(file: FileHandle, signal: AbortSignal): ByteSource {
  return {
    async read(target, position) {
      signal.throwIfAborted();
      const { bytesRead } = await file.read(target, 0, Math.min(target.length, readBytesMax), position);
      return bytesRead;
    },
  };
}
