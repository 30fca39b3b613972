import { Buffer, isUtf8 } from 'node:buffer';
import { type FileHandle, open } from 'node:fs/promises';
import { badBody } from './bad-body.ts';
import { type Charset, decodeCharset, encodingOf, type TextEncoding, wholeUtf16 } from './charset.ts';

/** Read at once: few enough calls, and little memory. */
const chunkBytes = 1024 * 1024;
const newline = 0x0a;

/** A text file of any charset, read as UTF-8. */
export class TextFile implements AsyncDisposable {
  readonly #file: FileHandle;
  readonly #encoding: TextEncoding;

  private constructor(file: FileHandle, encoding: TextEncoding) {
    this.#file = file;
    this.#encoding = encoding;
  }

  /** `charset`: what the sender calls it; a byte order mark is believed before that. bad_request for a name that is not known. */
  static async open(path: string, charset: string | undefined): Promise<TextFile> {
    const file = await open(path);
    try {
      return new TextFile(file, await encodingOf(file, charset));
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  get charset(): Charset {
    return this.#encoding.charset;
  }

  /**
   * The text from its beginning in pieces of whole characters, without a byte order mark. A piece is valid until the next one is asked for.
   * Bytes that are not text are bad_body with the line. `cut`: the last character may be incomplete, and is left out then.
   */
  async *utf8(signal: AbortSignal, cut = false): AsyncGenerator<Buffer, void, void> {
    const { charset, markBytes } = this.#encoding;
    const chunk = Buffer.allocUnsafe(chunkBytes);
    let kept = 0;
    let position = markBytes;
    for (;;) {
      signal.throwIfAborted();
      const { bytesRead } = await this.#file.read(chunk, kept, chunkBytes - kept, position);
      const filled = kept + bytesRead;
      if (filled === 0) return;
      const ended = bytesRead === 0;
      const whole = ended && !cut ? filled : wholeCharacters(chunk, filled, charset);
      if (whole > 0) yield await this.#decoded(chunk.subarray(0, whole), position - kept);
      if (ended) return;
      chunk.copyWithin(0, whole, filled);
      kept = filled - whole;
      position += bytesRead;
    }
  }

  async *text(signal: AbortSignal, cut = false): AsyncGenerator<string, void, void> {
    for await (const bytes of this.utf8(signal, cut)) yield bytes.toString('utf8');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close();
  }

  async #decoded(bytes: Buffer, position: number): Promise<Buffer> {
    const { charset } = this.#encoding;
    if (charset === 'utf-8') {
      if (!isUtf8(bytes)) throw await this.#notText(bytes, position);
      return bytes;
    }
    const text =
      bytes.length % 2 === 1 && charset.startsWith('utf-16') ? undefined : decodeCharset(bytes, charset);
    if (text === undefined) throw await this.#notText(bytes, position);
    return Buffer.from(text);
  }

  async #notText(bytes: Buffer, position: number): Promise<Error> {
    const { charset } = this.#encoding;
    if (charset !== 'utf-8') return badBody(`The file is not ${charset}.`, 'Give its charset with charset=.');
    let line = 1 + (await this.#countLines(position));
    for (let start = 0; start < bytes.length; line++) {
      const end = bytes.indexOf(newline, start);
      const stop = end === -1 ? bytes.length : end;
      if (!isUtf8(bytes.subarray(start, stop))) break;
      start = stop + 1;
    }
    return badBody(
      `Line ${line} is not UTF-8.`,
      'Give the charset, as charset=windows-1252 for a CSV from Excel, or save the file as UTF-8.',
    );
  }

  async #countLines(end: number): Promise<number> {
    const chunk = Buffer.allocUnsafe(chunkBytes);
    let lines = 0;
    for (let position = 0; position < end; ) {
      const { bytesRead } = await this.#file.read(chunk, 0, Math.min(chunkBytes, end - position), position);
      if (bytesRead === 0) break;
      for (let at = chunk.indexOf(newline); at !== -1 && at < bytesRead; at = chunk.indexOf(newline, at + 1))
        lines++;
      position += bytesRead;
    }
    return lines;
  }
}

/** How many of the bytes are not part of a character that goes on behind them. */
function wholeCharacters(bytes: Buffer, length: number, charset: Charset): number {
  if (charset === 'utf-16le' || charset === 'utf-16be') return wholeUtf16(bytes, length, charset);
  if (charset !== 'utf-8') return length;
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
