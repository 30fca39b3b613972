import { setTimeout as sleep } from 'node:timers/promises';
import type { S3Client } from '@aws-sdk/client-s3';
import { Slots } from '../slots.ts';
import type { RequestCounts, S3Operation } from './request-counts.ts';
import { RetryBudget } from './retry-budget.ts';
import { type S3Connection, s3Client } from './s3-connection.ts';
import { faultOf, unavailable } from './s3-faults.ts';

/** Tries of one request. The last one begins some two seconds after the first if the server refuses at once. */
const triesMax = 5;
/** No try begins later than this after the first: a caller waits for the answer. */
const tryingMs = 20_000;
/** Doubled with each try, and then a random share of it, so that nodes that failed together do not come back together. */
const pauseMs = { passing: 100, 'slow-down': 400 } as const;
/** Longer pauses would leave too few tries before the request is given up. */
const pauseMsMax = 3_000;

/** How long a request may take: the answer itself, and the time for its bytes on a slow line. */
const answerMs = 10_000;
const bytesPerMs = 1_024;

/** One request under way. */
export interface S3Try {
  readonly client: S3Client;
  /** Aborts when the caller has left or the time is over. */
  readonly signal: AbortSignal;
  /** Whether an earlier try may have had its effect. */
  readonly isRepeated: boolean;
}

export interface S3RequestOptions {
  /** Bytes that it sends or receives: they need time. */
  readonly bytes?: number;
  readonly signal: AbortSignal;
  /** On a new connection, because what came over another one was wrong. */
  readonly isApart?: boolean;
}

/** Sends requests: a limited number at once, each with a time limit, repeated within a budget. */
export class S3Requests {
  readonly connection: S3Connection;
  readonly #client: S3Client;
  /** Made when it is first needed. */
  #apart: S3Client | null = null;
  readonly #slots: Slots;
  readonly #budget = new RetryBudget();
  readonly #counts: RequestCounts;

  constructor(connection: S3Connection, counts: RequestCounts) {
    this.connection = connection;
    this.#client = s3Client(connection);
    this.#slots = new Slots(connection.requestsMax);
    this.#counts = counts;
  }

  /** The key in the bucket. */
  keyOf(key: string): string {
    const { prefix } = this.connection;
    return prefix === '' ? key : `${prefix}/${key}`;
  }

  /**
   * The result of the first try that succeeds. Answers that mean something to the caller (that a key is there or is not, for example) are thrown as
   * they came; everything else that cannot be helped becomes `unavailable`.
   */
  async send<Result>(
    operation: S3Operation,
    { bytes = 0, signal, isApart = false }: S3RequestOptions,
    request: (attempt: S3Try) => Promise<Result>,
  ): Promise<Result> {
    const began = performance.now();
    for (let tries = 1; ; tries++) {
      const leave = await this.#slots.take(1, signal);
      const limit = new AbortController();
      const timer = setTimeout(
        () => limit.abort(new Error('no answer in time')),
        answerMs + bytes / bytesPerMs,
      );
      let failure: unknown;
      try {
        const result = await request({
          client: isApart ? this.#clientApart() : this.#client,
          signal: AbortSignal.any([signal, limit.signal]),
          isRepeated: tries > 1,
        });
        this.#counts.add(operation, 'ok');
        this.#budget.succeeded(tries - 1);
        return result;
      } catch (thrown) {
        failure = limit.signal.aborted && !signal.aborted ? limit.signal.reason : thrown;
      } finally {
        clearTimeout(timer);
        leave();
      }
      signal.throwIfAborted();
      const fault = faultOf(failure);
      if (fault !== 'passing' && fault !== 'slow-down') {
        this.#counts.add(operation, fault === 'refused' ? 'failed' : 'ok');
        throw fault === 'refused' ? unavailable(this.connection, failure) : failure;
      }
      const isLast = tries === triesMax || performance.now() - began > tryingMs;
      if (isLast || !this.#budget.spend()) {
        this.#counts.add(operation, 'failed');
        throw unavailable(this.connection, failure);
      }
      this.#counts.add(operation, 'retried');
      const pause = Math.min(pauseMsMax, pauseMs[fault] * 2 ** (tries - 1));
      await sleep(pause * Math.random(), undefined, { signal });
    }
  }

  close(): void {
    this.#client.destroy();
    this.#apart?.destroy();
  }

  #clientApart(): S3Client {
    this.#apart ??= s3Client(this.connection, { keepAlive: false });
    return this.#apart;
  }
}
