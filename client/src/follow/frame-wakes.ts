import type { FrameholdError } from '../errors.ts';
import { type FrameholdEvent, readEvents } from '../events/events.ts';
import type { Transport } from '../transport.ts';

export type OnDisconnected = (error: FrameholdError, retryInMs: number) => void;

/** Frames of other tenants have no events here. A request of a few hundred bytes this often is no load, and nobody who shares a frame promises more. */
const pollMs = 2_000;

/**
 * Says when a frame may have changed. However many events come between two questions, they are one reason to look again, so nothing is kept of
 * them; and the stream is read all the time, so that the server never waits for a slow consumer.
 */
export class FrameWakes {
  readonly #name: string;
  readonly #ended = new AbortController();
  readonly #reading: Promise<void>;
  readonly #isForeign: boolean;
  #isAwake = false;
  #failure: { readonly thrown: unknown } | null = null;
  #wake: () => void = () => {};

  constructor(transport: Transport, name: string, onDisconnected: OnDisconnected | undefined) {
    this.#name = name;
    this.#isForeign = name.includes(':');
    this.#reading = this.#isForeign ? Promise.resolve() : this.#read(transport, onDisconnected);
  }

  /** true if the frame may have changed since the last time; false if the time is over before. */
  async next(waitMs: number, signal: AbortSignal | undefined): Promise<boolean> {
    const isPolled = this.#isForeign && pollMs < waitMs;
    if (!this.#isAwake && this.#failure === null) await this.#sleep(isPolled ? pollMs : waitMs, signal);
    signal?.throwIfAborted();
    if (this.#failure !== null) throw this.#failure.thrown;
    const isAwake = this.#isAwake || isPolled;
    this.#isAwake = false;
    return isAwake;
  }

  async end(): Promise<void> {
    this.#ended.abort();
    await this.#reading;
  }

  async #read(transport: Transport, onDisconnected: OnDisconnected | undefined): Promise<void> {
    try {
      for await (const event of readEvents(transport, { signal: this.#ended.signal })) {
        if (event.kind === 'disconnected') onDisconnected?.(event.error, event.retryInMs);
        if (this.#isReason(event)) this.#awake();
      }
    } catch (thrown) {
      this.#failure = { thrown };
      this.#awake();
    }
  }

  #isReason(event: FrameholdEvent): boolean {
    // What happened before `hello` or was left out before `reset` has no event.
    if (event.kind === 'hello' || event.kind === 'reset') return true;
    if (!('name' in event) || event.name !== this.#name || event.kind === 'frame.settled') return false;
    return event.kind !== 'frame.changed' || event.change === 'version';
  }

  #awake(): void {
    this.#isAwake = true;
    this.#wake();
  }

  async #sleep(waitMs: number, signal: AbortSignal | undefined): Promise<void> {
    await new Promise<void>((resolve) => {
      // setTimeout takes no more than 31 bits.
      const timer = Number.isFinite(waitMs) ? setTimeout(resolve, Math.min(waitMs, 2 ** 31 - 1)) : undefined;
      this.#wake = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', this.#wake);
        resolve();
      };
      signal?.addEventListener('abort', this.#wake, { once: true });
      if (signal?.aborted) this.#wake();
    });
    this.#wake = () => {};
  }
}
