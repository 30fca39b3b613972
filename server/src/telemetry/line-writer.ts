import { write, writeSync } from 'node:fs';

/** Lines are collected up to this many characters: one system call for some two hundred lines. */
const batchCharsMin = 65_536;
/** And no line waits longer than this. */
const lineWaitMs = 100;
/** What may wait while nobody reads; as much again may be on its way. Some thirty thousand lines. */
const pendingCharsMax = 8 * 1024 ** 2;
/** A full pipe is tried again after this long. */
const retryMs = 10;
/** How long the end of the process may wait for a full pipe. */
const exitWaitMs = 1_000;

export interface LineWriterOptions {
  /** Makes the line that says how many others were lost. */
  readonly lostLine: (count: number) => string;
}

/**
 * Writes lines to a file descriptor in the background, so that a slow reader of the log never stops the server. When nobody
 * reads, lines are lost and counted. What is collected is written when the process ends.
 */
export class LineWriter {
  readonly #fd: number;
  readonly #lostLine: (count: number) => string;
  readonly #onExit = () => this.#writeRest();
  #lines: string[] = [];
  #chars = 0;
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> | null = null;
  #broken = false;
  #lost = 0;
  #lostUntold = 0;

  constructor(fd: number, options: LineWriterOptions) {
    this.#fd = fd;
    this.#lostLine = options.lostLine;
    process.on('exit', this.#onExit);
  }

  /** How many lines were lost since the start. */
  get linesLost(): number {
    return this.#lost;
  }

  /** Takes a line that ends with a newline. */
  write(line: string): void {
    if (this.#broken || this.#chars + line.length > pendingCharsMax) {
      this.#lost += 1;
      this.#lostUntold += 1;
      return;
    }
    this.#keep(line);
    if (this.#chars >= batchCharsMin) this.#begin();
    else if (this.#timer === null && this.#writing === null) this.#arm();
  }

  /** Resolves when every line so far is written, or the reader is gone. */
  async flush(): Promise<void> {
    while (!this.#broken && (this.#writing !== null || this.#lines.length > 0)) {
      this.#begin();
      await this.#writing;
    }
  }

  async close(): Promise<void> {
    await this.flush();
    process.off('exit', this.#onExit);
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #keep(line: string): void {
    this.#lines.push(line);
    this.#chars += line.length;
  }

  #arm(): void {
    this.#timer = setTimeout(() => this.#begin(), lineWaitMs);
    this.#timer.unref();
  }

  #begin(): void {
    if (this.#writing !== null || this.#lines.length === 0) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#writing = writeAll(this.#fd, this.#take()).then(
      () => this.#ended(),
      () => {
        // The reader is gone, so there is nowhere left to report it.
        this.#broken = true;
        this.#lines = [];
        this.#writing = null;
      },
    );
  }

  #ended(): void {
    this.#writing = null;
    if (this.#lostUntold > 0) {
      // Past the limit, which the lines before it may still fill.
      this.#keep(this.#lostLine(this.#lostUntold));
      this.#lostUntold = 0;
    }
    if (this.#chars >= batchCharsMin) this.#begin();
    else if (this.#lines.length > 0 && this.#timer === null) this.#arm();
  }

  #take(): Buffer {
    const batch = Buffer.from(this.#lines.join(''));
    this.#lines = [];
    this.#chars = 0;
    return batch;
  }

  #writeRest(): void {
    if (this.#broken) return;
    const rest = this.#take();
    const giveUpAt = Date.now() + exitWaitMs;
    let at = 0;
    while (at < rest.length) {
      try {
        at += writeSync(this.#fd, rest, at);
      } catch (error) {
        if (!isFull(error) || Date.now() >= giveUpAt) return;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryMs);
      }
    }
  }
}

function writeAll(fd: number, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const from = (start: number) => {
      write(fd, bytes, start, (error, written) => {
        if (error !== null && isFull(error)) setTimeout(from, retryMs, start);
        else if (error !== null) reject(error);
        else if (start + written < bytes.length) from(start + written);
        else resolve();
      });
    };
    from(0);
  });
}

function isFull(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'EAGAIN';
}
