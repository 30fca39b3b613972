import { createHash } from 'node:crypto';
import type { PutOutcome, PutSession } from '../frames.ts';
import type { PutProgress } from './put.ts';

/** Fails with idempotency_conflict if the first put had another body than the one of this SHA-256. */
type CompareBody = (sha256: string) => Promise<void>;

/**
 * A put whose idempotency key was already used: it takes the bytes again and gives the earlier answer if they are the same. They are not kept, so
 * neither memory nor the quota limits how many there are.
 */
export class ReplayedPut implements PutSession {
  readonly #outcome: PutOutcome;
  readonly #progress: Omit<PutProgress, 'bytes'>;
  readonly #compareBody: CompareBody;
  readonly #hash = createHash('sha256');

  constructor(outcome: PutOutcome, progress: Omit<PutProgress, 'bytes'>, compareBody: CompareBody) {
    this.#outcome = outcome;
    this.#progress = progress;
    this.#compareBody = compareBody;
  }

  async write(buffers: readonly Uint8Array[]): Promise<void> {
    for (const buffer of buffers) this.#hash.update(buffer);
  }

  /** The digest of these was compared the first time; they are the same if their content is. */
  async sent(): Promise<void> {}

  finish(): Promise<PutOutcome> {
    return this.#progress.step(() => this.#finish());
  }

  async #finish(): Promise<PutOutcome> {
    try {
      await this.#compareBody(this.#hash.digest('hex'));
      this.#progress.onDone(this.#outcome);
      return this.#outcome;
    } finally {
      await this.abort();
    }
  }

  async abort(): Promise<void> {
    this.#progress.onEnd();
  }
}
