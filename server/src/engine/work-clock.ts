/** Counts the time in which a statement works, and calls once when that has become too long. It is stopped until `run`. */
export class WorkClock {
  readonly #onEnd: () => void;
  #leftMs: number;
  #timer: NodeJS.Timeout | null = null;
  #since = 0;

  constructor(limitMs: number, onEnd: () => void) {
    this.#leftMs = limitMs;
    this.#onEnd = onEnd;
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
