import { Buffer, isUtf8 } from 'node:buffer';
import { type FileHandle, open } from 'node:fs/promises';
import { badBody } from './bad-body.ts';

/** Read at once: few enough calls, and little memory. */
const chunkBytes = 1024 * 1024;
const newline = 0x0a;
const byteOrderMark = '\ufeff';

/** The text of a UTF-8 file in pieces, without its byte order mark. Other encodings are bad_body with the line. */
export async function* readText(path: string, signal: AbortSignal): AsyncGenerator<string, void, void> {
  await using file = await open(path);
  const chunk = Buffer.allocUnsafe(chunkBytes);
  let kept = 0;
  let position = 0;
  for (;;) {
    signal.throwIfAborted();
    const { bytesRead } = await file.read(chunk, kept, chunkBytes - kept, position);
    const filled = kept + bytesRead;
    if (filled === 0) return;
    const whole = bytesRead === 0 ? filled : wholeCharacters(chunk, filled);
    const bytes = chunk.subarray(0, whole);
    if (!isUtf8(bytes)) throw await notUtf8(file, position - kept, bytes);
    const text = bytes.toString('utf8');
    yield position === 0 && text.startsWith(byteOrderMark) ? text.slice(1) : text;
    if (bytesRead === 0) return;
    chunk.copyWithin(0, whole, filled);
    kept = filled - whole;
    position += bytesRead;
  }
}

/** How many of the bytes are not part of a character that goes on behind them. */
function wholeCharacters(bytes: Buffer, length: number): number {
  for (let back = 1; back <= Math.min(3, length); back++) {
    const byte = bytes[length - back] as number;
    if (byte < 0x80) return length;
    if (byte >= 0xc0) {
      const expected = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return expected > back ? length - back : length;
    }
  }
  return length;
}

async function notUtf8(file: FileHandle, position: number, bytes: Buffer): Promise<Error> {
  let line = 1 + (await countLines(file, position));
  for (let start = 0; start < bytes.length; line++) {
    const end = bytes.indexOf(newline, start);
    const stop = end === -1 ? bytes.length : end;
    if (!isUtf8(bytes.subarray(start, stop))) break;
    start = stop + 1;
  }
  return badBody(`Line ${line} is not UTF-8.`, 'Save the file as UTF-8.');
}

async function countLines(file: FileHandle, end: number): Promise<number> {
  const chunk = Buffer.allocUnsafe(chunkBytes);
  let lines = 0;
  for (let position = 0; position < end; ) {
    const { bytesRead } = await file.read(chunk, 0, Math.min(chunkBytes, end - position), position);
    if (bytesRead === 0) break;
    for (let at = chunk.indexOf(newline); at !== -1 && at < bytesRead; at = chunk.indexOf(newline, at + 1))
      lines++;
    position += bytesRead;
  }
  return lines;
}
