/** Runs a job again and again: after each nudge, and at the latest after the interval. Never twice at once. */
export class RepeatedJob {
  readonly #job: (signal: AbortSignal) => Promise<void>;
  readonly #intervalMs: number;
  readonly #onError: (error: unknown) => void;
  readonly #stop = new AbortController();
  #running: Promise<void> | null = null;
  #again = false;
  #timer: NodeJS.Timeout | null = null;

  constructor(
    job: (signal: AbortSignal) => Promise<void>,
    intervalMs: number,
    onError: (error: unknown) => void,
  ) {
    this.#job = job;
    this.#intervalMs = intervalMs;
    this.#onError = onError;
  }

  /** There may be work: run soon. */
  nudge(): void {
    if (this.#stop.signal.aborted) return;
    if (this.#running !== null) {
      this.#again = true;
      return;
    }
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#running = this.#run();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#running;
  }

  async #run(): Promise<void> {
    do {
      this.#again = false;
      try {
        await this.#job(this.#stop.signal);
      } catch (error) {
        if (!this.#stop.signal.aborted) this.#onError(error);
      }
    } while (this.#again && !this.#stop.signal.aborted);
    this.#running = null;
    if (this.#stop.signal.aborted) return;
    this.#timer = setTimeout(() => this.nudge(), this.#intervalMs);
    this.#timer.unref();
  }
}
