interface Running<Result> {
  readonly result: Promise<Result>;
  readonly stop: AbortController;
  waiting: number;
}

/** Work that several callers may want at once: it is done once for all of them, and stopped when none of them waits any more. */
export class SharedWork<Result> {
  readonly #running = new Map<string, Running<Result>>();

  /** Whether a caller waits for it. */
  has(key: string): boolean {
    return this.#running.get(key)?.stop.signal.aborted === false;
  }

  async run(
    key: string,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    for (;;) {
      signal.throwIfAborted();
      const running = this.#running.get(key) ?? this.#begin(key, work);
      if (!running.stop.signal.aborted) return await this.#wait(running, signal);
      // All callers have left, so it is stopping: it must release what it holds before it begins again.
      await running.result.catch(() => {});
    }
  }

  #begin(key: string, work: (signal: AbortSignal) => Promise<Result>): Running<Result> {
    const stop = new AbortController();
    const result = work(stop.signal).finally(() => this.#running.delete(key));
    // Callers that wait get the failure; there may be none left.
    result.catch(() => {});
    const running = { result, stop, waiting: 0 };
    this.#running.set(key, running);
    return running;
  }

  async #wait(running: Running<Result>, signal: AbortSignal): Promise<Result> {
    running.waiting += 1;
    let leave = () => {};
    const left = new Promise<never>((_, reject) => {
      leave = () => reject(signal.reason);
      signal.addEventListener('abort', leave, { once: true });
    });
    try {
      return await Promise.race([running.result, left]);
    } finally {
      signal.removeEventListener('abort', leave);
      running.waiting -= 1;
      if (running.waiting === 0) running.stop.abort();
    }
  }
}
