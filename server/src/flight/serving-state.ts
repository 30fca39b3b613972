/** Whether the listener takes calls, for the health service and its watchers. */
export class ServingState {
  readonly #stopping = new AbortController();
  readonly #onAsked: () => void;

  constructor(onAsked: () => void = () => {}) {
    this.#onAsked = onAsked;
  }

  /** For those who ask from outside. */
  ask(): boolean {
    this.#onAsked();
    return this.serving;
  }

  get serving(): boolean {
    return !this.#stopping.signal.aborted;
  }

  stop(): void {
    this.#stopping.abort();
  }

  /** Resolves when the listener begins to stop, or when the given signal aborts. */
  stopped(signal: AbortSignal): Promise<void> {
    const either = AbortSignal.any([this.#stopping.signal, signal]);
    return new Promise((resolve) => {
      if (either.aborted) resolve();
      else either.addEventListener('abort', () => resolve(), { once: true });
    });
  }
}
