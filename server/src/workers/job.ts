import type { MessagePort } from 'node:worker_threads';
import { errorFromPayload, FrameholdError } from '../frames/errors.ts';
import type { FromJob, ToJob } from './protocol.ts';

/** Chunks a job may be ahead of its reader. Two: one being sent while the next is made. */
const creditChunks = 2;

/** The main thread's end of a job: its chunks under back-pressure, and its result. */
export class Job {
  /** Settles when the job has ended; its rejection is also seen by whoever reads chunks. */
  readonly result: Promise<unknown>;
  readonly #port: MessagePort;
  readonly #chunks: unknown[] = [];
  #ended = false;
  #error: unknown = null;
  #wakeReader: (() => void) | null = null;
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

  send(value: unknown): void {
    if (!this.#ended) this.#post({ type: 'message', value });
  }

  /** Asks the job to stop; it ends with `cancelled`. */
  cancel(): void {
    if (!this.#ended) this.#post({ type: 'cancel' });
  }

  /** Ends the job from this side, because its thread is gone or did not stop. */
  fail(error: unknown): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#error = error;
    this.#port.close();
    this.#settle.reject(error);
    this.#wakeReader?.();
  }

  async *chunks(): AsyncGenerator<unknown, void, void> {
    for (;;) {
      if (this.#chunks.length > 0) {
        yield this.#chunks.shift();
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

  #post(message: ToJob): void {
    this.#port.postMessage(message);
  }

  #receive(message: FromJob): void {
    if (this.#ended) return;
    if (message.type === 'chunk') this.#chunks.push(message.value);
    else if (message.type === 'failed') this.fail(errorFromPayload(message.error));
    else {
      this.#ended = true;
      this.#port.close();
      this.#settle.resolve(message.value);
    }
    this.#wakeReader?.();
  }
}

export function threadDied(cause: unknown): FrameholdError {
  return new FrameholdError('internal', 'The worker that did this has died.', { cause });
}
