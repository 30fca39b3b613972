import { LruCache } from '../../base/lru-cache.ts';
import type { Observe } from '../../ports/observation.ts';

export interface RenderedAnswer {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Answers as the bytes that went out. Versions never change, so nothing here is ever stale: keys hold frame id, version and everything that shapes
 * the answer.
 */
export class RenderedCache {
  readonly #answers: LruCache<RenderedAnswer>;
  readonly #observe: Observe;

  constructor(bytesMax: number, entryBytesMax: number, observe: Observe) {
    this.#answers = new LruCache({ bytesMax, valueBytesMax: entryBytesMax });
    this.#observe = observe;
  }

  /** A larger answer is not kept: it would displace many small ones that are requested more often. */
  get entryBytesMax(): number {
    return this.#answers.valueBytesMax;
  }

  get(key: string): RenderedAnswer | undefined {
    const answer = this.#answers.get(key);
    this.#observe({ event: 'rendered-cache', hit: answer !== undefined });
    return answer;
  }

  /** Stored bytes were found to have changed: answers that were made from them must not be sent again. */
  clear(): void {
    this.#answers.clear();
  }

  /** `tenant`: whose request it answered. */
  set(key: string, answer: RenderedAnswer, tenant: string): void {
    this.#answers.set(key, answer, answer.body.byteLength, tenant);
  }
}
