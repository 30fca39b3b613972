import { FairQueue } from '../base/fair-queue.ts';
import { tenantOfRequest } from '../base/request-time.ts';

interface Waiting {
  readonly count: number;
  readonly enter: () => void;
}

/** A number of things that may be held at once; whoever wants more waits, the tenants in turn. What waits is limited by those who read and write at once. */
export class Slots {
  readonly #max: number;
  readonly #waiting = new FairQueue<Waiting>();
  #taken = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get taken(): number {
    return this.#taken;
  }

  /** Resolves when there is room. One who wants more than there is gets all of it. Calling the result again does nothing. */
  async take(wanted = 1, signal?: AbortSignal): Promise<() => void> {
    const count = Math.min(wanted, this.#max);
    signal?.throwIfAborted();
    if (this.#waiting.size > 0 || this.#taken + count > this.#max) await this.#wait(count, signal);
    else this.#taken += count;
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#taken -= count;
      this.#serve();
    };
  }

  #wait(count: number, signal: AbortSignal | undefined): Promise<void> {
    const tenant = tenantOfRequest();
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.delete(tenant, waiting);
        // The next one may want less.
        this.#serve();
        reject(signal?.reason);
      };
      const waiting = {
        count,
        enter: () => {
          signal?.removeEventListener('abort', leave);
          resolve();
        },
      };
      signal?.addEventListener('abort', leave, { once: true });
      this.#waiting.add(tenant, waiting);
    });
  }

  /** The one whose turn it is goes first, however much it wants: else it might wait for ever. */
  #serve(): void {
    for (let next = this.#waiting.peek(); next !== undefined; next = this.#waiting.peek()) {
      if (this.#taken + next.count > this.#max) return;
      this.#waiting.take();
      this.#taken += next.count;
      next.enter();
    }
  }
}
