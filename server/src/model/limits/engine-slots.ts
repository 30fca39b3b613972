import { Admission, type ServerLimit } from './admission.ts';

/** A slot that a statement has taken. */
export interface EngineSlot {
  readonly waitedMs: number;
  /** Calling it twice does nothing. */
  leave(): void;
}

/** The slots of an engine: those who wait leave the queue when the engine closes, too. */
export class EngineSlots {
  readonly #admission: Admission;
  readonly #closing = new AbortController();

  constructor(limit: ServerLimit) {
    this.#admission = new Admission(limit);
  }

  get running(): number {
    return this.#admission.running;
  }

  get waiting(): number {
    return this.#admission.waiting;
  }

  get isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  /** Waits for a slot, unless the caller leaves or the server stops. */
  async enter(signal: AbortSignal, tenant: string): Promise<EngineSlot> {
    const since = performance.now();
    const closing = this.#closing.signal;
    closing.throwIfAborted();
    const either = new AbortController();
    const onAbort = () => either.abort(signal.aborted ? signal.reason : closing.reason);
    signal.addEventListener('abort', onAbort);
    closing.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
    try {
      const leave = await this.#admission.enter(either.signal, tenant);
      return { waitedMs: performance.now() - since, leave };
    } finally {
      signal.removeEventListener('abort', onAbort);
      closing.removeEventListener('abort', onAbort);
    }
  }

  /** Whoever waits, or comes later, gets this reason. */
  close(reason: unknown): void {
    this.#closing.abort(reason);
  }
}
