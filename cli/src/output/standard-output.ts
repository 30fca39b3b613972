import type { Writable } from 'node:stream';
import type { WriteStream } from 'node:tty';
import { safeText } from './safe-text.ts';

/** What reads the output has gone, as `head` does after its last line. */
export class OutputClosed extends Error {
  override readonly name = 'OutputClosed';
}

/** Standard output: waits for slow readers, and ends quietly when the reader has gone. */
export class StandardOutput {
  readonly isTerminal: boolean;
  readonly #stream: Writable & Partial<Pick<WriteStream, 'columns' | 'isTTY'>>;
  #failure: Error | null = null;

  constructor(stream: Writable & Partial<Pick<WriteStream, 'columns' | 'isTTY'>>) {
    this.#stream = stream;
    this.isTerminal = stream.isTTY === true;
    stream.on('error', (error: NodeJS.ErrnoException) => {
      this.#failure = error.code === 'EPIPE' ? new OutputClosed() : error;
    });
  }

  /** Of the terminal; infinite for a pipe or a file. */
  get width(): number {
    // A terminal that nobody has given a size says 0.
    return this.isTerminal ? this.#stream.columns || 80 : Number.POSITIVE_INFINITY;
  }

  async write(piece: string | Uint8Array): Promise<void> {
    if (this.#failure !== null) throw this.#failure;
    await new Promise<void>((resolve, reject) => {
      this.#stream.write(piece, (error) => {
        if (error === null || error === undefined) resolve();
        else reject((error as NodeJS.ErrnoException).code === 'EPIPE' ? new OutputClosed() : error);
      });
    });
  }

  /** A line of text, which may have names and texts from a server in it. */
  async line(text: string): Promise<void> {
    await this.write(`${this.isTerminal ? safeText(text, '\n\t') : text}\n`);
  }

  /**
   * Text from a server. On a terminal its control characters are shown as escapes: they could otherwise change the title, the colours, or
   * what the next key press does.
   */
  async copyText(chunks: AsyncIterable<Uint8Array>): Promise<void> {
    if (!this.isTerminal) return await this.copy(chunks);
    const decoder = new TextDecoder();
    let text = '';
    for await (const chunk of chunks) {
      text += decoder.decode(chunk, { stream: true });
      // The end of a line in CSV may be cut in two.
      const end = text.endsWith('\r') ? text.length - 1 : text.length;
      await this.write(safeText(text.slice(0, end).replaceAll('\r\n', '\n'), '\n\t'));
      text = text.slice(end);
    }
    await this.write(safeText(text + decoder.decode(), '\n\t'));
  }

  async copy(chunks: AsyncIterable<Uint8Array>): Promise<void> {
    for await (const chunk of chunks) await this.write(chunk);
  }
}
