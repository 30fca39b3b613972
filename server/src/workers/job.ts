import type { MessagePort, Transferable } from 'node:worker_threads';
import { type ErrorPayload, errorFromPayload, errorToPayload } from '../model/errors.ts';
import type { FromJob, ToJob } from './protocol.ts';

/** Chunks a job may be ahead of its reader. Two: one being sent while the next is made. */
const creditChunks = 2;

/** Something for a job to work on. Transferred buffers are gone from this thread. */
export interface JobInput {
  readonly value: unknown;
  readonly transfer: readonly Transferable[];
}

/** The main thread's end of a job: its chunks under back-pressure, and its result. */
export class Job {
  /** Settles when the job has ended; a reader of chunks sees its rejection, too. */
  readonly result: Promise<unknown>;
  readonly #port: MessagePort;
  readonly #chunks: unknown[] = [];
  #ended = false;
  #retiresThread = false;
  #error: unknown = null;
  #wakeReader: (() => void) | null = null;
  #demand = 0;
  #wakeFeeder: (() => void) | null = null;
  #movedAt = performance.now();
  /** Why it was asked to stop, if the caller did not. */
  #stopReason: unknown = null;
  #settle: { resolve: (value: unknown) => void; reject: (error: unknown) => void };

  constructor(port: MessagePort) {
    this.#port = port;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.result = promise;
    this.#settle = { resolve, reject };
    // A reader may look only at the chunks: the same error reaches it there.
    promise.catch(() => {});
    port.on('message', (message: FromJob) => this.#receive(message));
    this.#post({ type: 'credit', chunks: creditChunks });
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Once it has ended: whether its thread must end too. */
  get retiresThread(): boolean {
    return this.#retiresThread;
  }

  /** How long it has owed something without giving or asking: not while its reader has yet to take a chunk, or its source to give an input. */
  get stalledMs(): number {
    const waits = this.#chunks.length > 0 || this.#demand > 0;
    return waits ? 0 : performance.now() - this.#movedAt;
  }

  send(value: unknown): void {
    if (!this.#ended) this.#post({ type: 'message', value });
  }

  /**
   * Gives the job what a source has. The source is asked only when the job has asked, so nothing waits on this side. A source that
   * fails fails the job with the same error. Resolves when the source has ended, or the job has; never rejects.
   */
  async feed(source: AsyncIterable<JobInput>): Promise<void> {
    const items = source[Symbol.asyncIterator]();
    try {
      while (await this.#asked()) {
        const step = await items.next();
        if (this.#ended) break;
        this.#movedAt = performance.now();
        if (step.done) {
          this.#demand = 0;
          this.#post({ type: 'input-end' });
          return;
        }
        this.#demand -= 1;
        this.#post({ type: 'input', value: step.value.value }, step.value.transfer);
      }
      await items.return?.();
    } catch (thrown) {
      this.#demand = 0;
      if (!this.#ended) this.#post({ type: 'input-failed', error: errorToPayload(thrown) });
    }
  }

  /** Whether the job wants more; false once it has ended. */
  async #asked(): Promise<boolean> {
    while (this.#demand === 0 && !this.#ended)
      await new Promise<void>((resolve) => {
        this.#wakeFeeder = resolve;
      });
    return !this.#ended;
  }

  /** Asks the job to stop; it ends with the reason. */
  cancel(reason: unknown = null): void {
    if (this.#ended) return;
    this.#stopReason ??= reason;
    this.#post({ type: 'cancel' });
  }

  /** What it ends with; null if nobody has asked it to stop. */
  get stopReason(): unknown {
    return this.#stopReason;
  }

  /** Ends the job from this side, because its thread is gone or did not stop. */
  fail(error: unknown): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#error = error;
    this.#port.close();
    this.#settle.reject(error);
    this.#wakeReader?.();
    this.#wakeFeeder?.();
  }

  async *chunks(): AsyncGenerator<unknown, void, void> {
    for (;;) {
      if (this.#chunks.length > 0) {
        yield this.#chunks.shift();
        this.#movedAt = performance.now();
        if (!this.#ended) this.#post({ type: 'credit', chunks: 1 });
        continue;
      }
      if (this.#error !== null) throw this.#error;
      if (this.#ended) return;
      await new Promise<void>((resolve) => {
        this.#wakeReader = resolve;
      });
    }
  }

  #post(message: ToJob, transfer: readonly Transferable[] = []): void {
    this.#port.postMessage(message, transfer);
  }

  /** A job that stops because it was asked to says `cancelled`, whatever the reason was. */
  #endError(payload: ErrorPayload): unknown {
    const error = errorFromPayload(payload);
    return error.kind === 'cancelled' ? (this.#stopReason ?? error) : error;
  }

  #receive(message: FromJob): void {
    if (this.#ended) return;
    this.#movedAt = performance.now();
    if (message.type === 'demand') {
      this.#demand += message.inputs;
      this.#wakeFeeder?.();
      return;
    }
    if (message.type === 'chunk') {
      this.#chunks.push(message.value);
      this.#wakeReader?.();
      return;
    }
    this.#retiresThread = message.retires;
    if (message.type === 'failed') this.fail(this.#endError(message.error));
    else {
      this.#ended = true;
      this.#port.close();
      this.#settle.resolve(message.value);
      this.#wakeFeeder?.();
    }
    this.#wakeReader?.();
  }
}
