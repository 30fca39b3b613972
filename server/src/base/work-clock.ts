/** Counts the time in which a statement works, and calls once when that has become too long. It is stopped until `run`. */
export class WorkClock {
  readonly #limitMs: number;
  readonly #onEnd: () => void;
  #leftMs: number;
  #timer: NodeJS.Timeout | null = null;
  #since = 0;

  /** `workedMs`: of the limit, how much is used. */
  constructor(limitMs: number, workedMs: number, onEnd: () => void) {
    this.#limitMs = limitMs;
    this.#leftMs = limitMs - workedMs;
    this.#onEnd = onEnd;
  }

  get workedMs(): number {
    const sinceMs = this.#timer === null ? 0 : performance.now() - this.#since;
    return this.#limitMs - this.#leftMs + sinceMs;
  }

  run(): void {
    if (this.#timer !== null) return;
    this.#since = performance.now();
    this.#timer = setTimeout(this.#onEnd, Math.max(0, this.#leftMs));
  }

  stand(): void {
    if (this.#timer === null) return;
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#leftMs -= performance.now() - this.#since;
  }
}
