import type { WriteStream } from 'node:tty';
import { byteText, clockText } from './readable-numbers.ts';
import { cutToWidth } from './text-width.ts';

/** Often enough to look alive, rarely enough to cost nothing. */
const drawEveryMs = 200;
/** A transfer that ends sooner shows nothing. */
const quietMs = 400;

export type ProgressStream = Pick<WriteStream, 'write'> & {
  readonly isTTY?: boolean;
  readonly columns?: number;
};

/** One line on standard error that is drawn again and again, and removed in the end. Nothing if that is not a terminal. */
export class Progress {
  readonly #stream: ProgressStream;
  readonly #what: string;
  readonly #totalBytes: number | undefined;
  readonly #now: () => number;
  readonly #beganAt: number;
  #drawnAt: number;
  #isShown = false;

  constructor(
    stream: ProgressStream,
    what: string,
    totalBytes: number | undefined,
    now: () => number = () => performance.now(),
  ) {
    this.#stream = stream;
    this.#what = what;
    this.#totalBytes = totalBytes;
    this.#now = now;
    this.#beganAt = now();
    this.#drawnAt = this.#beganAt + quietMs - drawEveryMs;
  }

  update(bytes: number): void {
    const now = this.#now();
    if (this.#stream.isTTY !== true || now - this.#drawnAt < drawEveryMs) return;
    this.#drawnAt = now;
    this.#isShown = true;
    const line = progressText(this.#what, bytes, this.#totalBytes, (now - this.#beganAt) / 1_000);
    this.#stream.write(`\r\u001b[K${cutToWidth(line, (this.#stream.columns || 80) - 1)}`);
  }

  end(): void {
    if (this.#isShown) this.#stream.write('\r\u001b[K');
    this.#isShown = false;
  }
}

/** What was sent, how fast, and how long the rest takes at this rate. */
export function progressText(
  what: string,
  bytes: number,
  totalBytes: number | undefined,
  seconds: number,
): string {
  const rate = seconds > 0 ? bytes / seconds : 0;
  const parts = [what, byteText(bytes), `${byteText(rate)}/s`];
  if (totalBytes !== undefined && totalBytes > 0) {
    parts.splice(1, 0, `${Math.min(100, Math.floor((100 * bytes) / totalBytes))} %`);
    if (rate > 0) parts.push(`${clockText(Math.max(0, totalBytes - bytes) / rate)} left`);
  }
  return parts.join('  ');
}
