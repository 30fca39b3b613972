import type { Observe } from '../../frames/observation.ts';

export interface RenderedAnswer {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Answers as the bytes that went out, least recently used first to go. Versions never change, so nothing here is ever stale:
 * keys hold frame id, version and everything that shapes the answer.
 */
export class RenderedCache {
  readonly #answers = new Map<string, RenderedAnswer>();
  readonly #bytesMax: number;
  readonly #observe: Observe;
  /** A larger answer is not kept: it would displace many small ones that are requested more often. */
  readonly entryBytesMax: number;
  #bytes = 0;

  constructor(bytesMax: number, entryBytesMax: number, observe: Observe) {
    this.#bytesMax = bytesMax;
    this.entryBytesMax = Math.min(entryBytesMax, bytesMax);
    this.#observe = observe;
  }

  get(key: string): RenderedAnswer | undefined {
    const answer = this.#answers.get(key);
    this.#observe({ event: 'rendered-cache', hit: answer !== undefined });
    if (answer !== undefined) {
      this.#answers.delete(key);
      this.#answers.set(key, answer);
    }
    return answer;
  }

  /** Stored bytes were found to have changed: answers that were made from them must not be sent again. */
  clear(): void {
    this.#answers.clear();
    this.#bytes = 0;
  }

  set(key: string, answer: RenderedAnswer): void {
    const size = costOf(key, answer);
    if (answer.body.byteLength > this.entryBytesMax || this.#answers.has(key)) return;
    this.#answers.set(key, answer);
    this.#bytes += size;
    for (const [oldest, old] of this.#answers) {
      if (this.#bytes <= this.#bytesMax) return;
      this.#answers.delete(oldest);
      this.#bytes -= costOf(oldest, old);
    }
  }
}

/** Map entry, strings and headers weigh about this much beside the body. */
const entryOverheadBytes = 512;

function costOf(key: string, answer: RenderedAnswer): number {
  return answer.body.byteLength + key.length * 2 + entryOverheadBytes;
}
