import { FrameholdError } from '../../model/errors.ts';
import type { Renderer } from '../../ports/renderer.ts';
import type { SqlRows } from '../../sql/sql.ts';
import type { Format } from '../protocol/client-messages.ts';
import type { ResultColumn } from '../protocol/server-messages.ts';
import { MessageWalk } from './message-walk.ts';
import type { Rows, RowsRequest } from './rows.ts';

/**
 * Rows that are made ahead while a client reads in parts: most results of this size have ended then, and hold no engine while their client thinks. Each portal
 * that waits can have as much.
 */
const aheadBytesMax = 256 * 1024;

export interface StatementRowsOptions {
  readonly columns: readonly ResultColumn[];
  readonly timeZone: string;
  /** Aborts the statement. */
  readonly stop: AbortController;
}

/** Rows of a statement that runs. They leave as the row writer has made them. */
export class StatementRows implements Rows {
  readonly columns: readonly ResultColumn[];
  readonly #outcome: SqlRows;
  readonly #renderer: Renderer;
  readonly #options: StatementRowsOptions;
  #formats: readonly Format[] | null = null;
  #chunks: AsyncIterator<Uint8Array> | null = null;
  readonly #walk = new MessageWalk();
  /** Made, and not sent yet. */
  #ahead: Uint8Array[] = [];
  #aheadBytes = 0;
  #hasEnded = false;
  /** One step at a time reads chunks. */
  #reading: Promise<void> = Promise.resolve();
  #isWanted = false;
  #closing: Promise<void> | null = null;
  /** While the statement waits for its reader. */
  #resume: (() => void) | null = null;
  #failure: { readonly error: unknown } | null = null;

  constructor(outcome: SqlRows, renderer: Renderer, options: StatementRowsOptions) {
    this.#outcome = outcome;
    this.#renderer = renderer;
    this.#options = options;
    this.columns = options.columns;
  }

  /** For the client, beside the rows. */
  get notice(): string | null {
    return this.#outcome.notice ?? null;
  }

  async take(request: RowsRequest): Promise<{ count: number; hasEnded: boolean }> {
    const { signal } = request;
    const { stop } = this.#options;
    const onAbort = () => stop.abort(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      signal.throwIfAborted();
      this.#isWanted = true;
      this.#begin(request.formats);
      await this.#reading;
      this.#resume?.();
      this.#resume = null;
      const taken = await this.#send(request);
      if (!taken.hasEnded) this.#readAhead();
      return taken;
    } catch (thrown) {
      await this.close();
      throw signal.aborted ? signal.reason : thrown;
    } finally {
      this.#isWanted = false;
      signal.removeEventListener('abort', onAbort);
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    if (!this.#hasEnded)
      this.#options.stop.abort(new FrameholdError('cancelled', 'The rows are not read to their end.'));
    this.#hasEnded = true;
    this.#ahead = [];
    await this.#reading.catch(() => {});
    await this.#chunks?.return?.();
    await this.#outcome.release();
  }

  #begin(formats: readonly Format[]): void {
    if (this.#formats === null) {
      this.#formats = formats;
      const options = { writer: 'postgres', formats, timeZone: this.#options.timeZone };
      const { signal } = this.#options.stop;
      this.#chunks = this.#renderer.renderStream(this.#outcome, options, signal)[Symbol.asyncIterator]();
    } else if (this.#formats.some((format, index) => format !== formats[index]))
      throw new FrameholdError(
        'unimplemented',
        'The rows of a cursor are read in the formats of its first part only.',
        {
          hint: 'Ask for each part as text, or for each as binary.',
        },
      );
  }

  async #send({ rowsMax, outbox }: RowsRequest): Promise<{ count: number; hasEnded: boolean }> {
    let count = 0;
    for (;;) {
      if (rowsMax > 0 && count >= rowsMax) return { count, hasEnded: false };
      const chunk = await this.#next();
      if (chunk === null) return { count, hasEnded: true };
      const part = this.#walk.pass(chunk, rowsMax === 0 ? Number.POSITIVE_INFINITY : rowsMax - count);
      count += part.count;
      if (part.end < chunk.length) this.#putBack(chunk.subarray(part.end));
      await outbox?.send(chunk.subarray(0, part.end));
    }
  }

  /** null: there are no more, and everything is given back before the client learns it. */
  async #next(): Promise<Uint8Array | null> {
    if (this.#ahead.length === 0 && this.#failure === null && !this.#hasEnded) await this.#read();
    const chunk = this.#ahead.shift();
    if (chunk !== undefined) {
      this.#aheadBytes -= chunk.length;
      return chunk;
    }
    if (this.#failure !== null) throw this.#failure.error;
    await this.close();
    return null;
  }

  #putBack(rest: Uint8Array): void {
    this.#ahead.unshift(rest);
    this.#aheadBytes += rest.length;
  }

  #readAhead(): void {
    this.#isWanted = false;
    this.#reading = (async () => {
      while (!this.#hasEnded && this.#failure === null && this.#aheadBytes < aheadBytesMax && !this.#isWanted)
        await this.#read();
      // The engine is free as soon as the last row is made.
      if (this.#hasEnded) await this.#outcome.release();
      else if (!this.#isWanted) this.#resume = this.#outcome.wait?.() ?? null;
    })();
    this.#reading.catch(() => {});
  }

  async #read(): Promise<void> {
    try {
      const { done, value } = (await this.#chunks?.next()) ?? { done: true, value: undefined };
      if (done === true) this.#hasEnded = true;
      else {
        this.#ahead.push(value);
        this.#aheadBytes += value.length;
      }
    } catch (error) {
      this.#failure = { error };
    }
  }
}
