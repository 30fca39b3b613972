/** Whether the listener takes calls, for the health service and its watchers. */
export class ServingState {
  readonly #stopping = new AbortController();
  readonly #onAsked: () => void;
  readonly #isReady: () => Promise<boolean>;

  constructor(onAsked: () => void = () => {}, isReady: () => Promise<boolean> = async () => true) {
    this.#onAsked = onAsked;
    this.#isReady = isReady;
  }

  /** For those who ask from outside. */
  async ask(): Promise<boolean> {
    this.#onAsked();
    return (await this.#isReady()) && !this.#stopping.signal.aborted;
  }

  stop(): void {
    this.#stopping.abort();
  }

  /** Aborts when the listener begins to stop, or with the given signal. */
  ending(signal: AbortSignal): AbortSignal {
    return AbortSignal.any([this.#stopping.signal, signal]);
  }
}
