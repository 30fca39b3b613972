import { FrameholdError } from '../../../server/src/model/errors.ts';
import type { Observe } from '../../../server/src/ports/observation.ts';
import type { ConnectClient } from './connect/connect-client.ts';
import { settledWithin } from './settled-within.ts';
import { queryPlan } from './spark-plans.ts';

/** A driver that collects garbage may take seconds; one that takes longer than this serves nobody. */
const answerMs = 20_000;
/** Between two tries, as long as it does not answer. */
const againMs = 1_000;
/** How long a statement waits for a driver that is just being started again. */
const patienceMs = 4_000;
/** Statements that wait like this. More are refused at once: a driver that is away must not gather callers. */
const waitingMax = 16;

export interface SparkHealthOptions {
  readonly answerMs?: number;
  readonly againMs?: number;
}

/**
 * Whether the driver of Spark answers. It is asked after something went wrong, not all the time. While it does not answer, statements are refused soon: otherwise
 * each of them would hold a slot until its own limit.
 */
export class SparkHealth {
  readonly #client: ConnectClient;
  readonly #observe: Observe;
  readonly #answerMs: number;
  readonly #againMs: number;
  readonly #closing = new AbortController();
  #looking: Promise<void> | null = null;
  #failure: unknown = null;
  #waiting = 0;

  constructor(client: ConnectClient, observe: Observe, options: SparkHealthOptions = {}) {
    this.#client = client;
    this.#observe = observe;
    this.#answerMs = options.answerMs ?? answerMs;
    this.#againMs = options.againMs ?? againMs;
  }

  /** Waits a moment for a driver that did not answer when it was last asked. unavailable if it still does not. */
  async ready(signal: AbortSignal): Promise<void> {
    if (this.#failure !== null && this.#looking !== null && this.#waiting < waitingMax) {
      this.#waiting++;
      const { promise: left, resolve: leave } = Promise.withResolvers<void>();
      const onAbort = () => leave();
      signal.addEventListener('abort', onAbort, { once: true });
      await settledWithin(Promise.race([this.#looking, left]), patienceMs);
      signal.removeEventListener('abort', onAbort);
      this.#waiting--;
    }
    signal.throwIfAborted();
    if (this.#failure === null) return;
    throw new FrameholdError('unavailable', 'Spark does not answer.', {
      cause: this.#failure,
      hint: 'Try again in a moment, or without Spark. If it lasts, its driver must be restarted.',
      retryAfterSeconds: Math.ceil(this.#againMs / 1000),
    });
  }

  /** Something went wrong: asks the driver, again and again until it answers. Returns at once. */
  doubt(): void {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null;
    });
  }

  /** Something went wrong, and it has not answered since. */
  get isInDoubt(): boolean {
    return this.#looking !== null;
  }

  /** Resolves when nothing is asked any more, for tests. */
  async transcoded(): Promise<void> {
    await this.#looking;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#looking;
  }

  async #look(): Promise<void> {
    const { address } = this.#client;
    for (;;) {
      const failure = await this.#ask();
      if (this.#closing.signal.aborted) return;
      if (failure === null) {
        if (this.#failure !== null) this.#observe({ event: 'spark-answers-again', address });
        this.#failure = null;
        return;
      }
      if (this.#failure === null) this.#observe({ event: 'spark-silent', address, error: failure });
      this.#failure = failure;
      await this.#pause();
    }
  }

  /**
   * `select 1` in a session with Spark's own settings: the driver answers it by itself, without a worker. Workers that are busy with long statements are no
   * reason to refuse others.
   */
  async #ask(): Promise<unknown> {
    const session = this.#client.session();
    const signal = AbortSignal.any([AbortSignal.timeout(this.#answerMs), this.#closing.signal]);
    try {
      for await (const _ of session.execute(queryPlan('SELECT 1'), { signal }));
      return null;
    } catch (error) {
      return error;
    } finally {
      await session.release();
    }
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.#closing.signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, this.#againMs);
      timer.unref();
      this.#closing.signal.addEventListener('abort', end);
      if (this.#closing.signal.aborted) end();
    });
  }
}
