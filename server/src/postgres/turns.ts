import { unavailable } from './faults.ts';

interface Waiting {
  readonly begin: () => void;
  readonly timer: NodeJS.Timeout;
}

/** At most so many at a time; the others wait for their turn in order, for a limited time. */
export class Turns {
  readonly #timeoutMs: number;
  readonly #waiting: Waiting[] = [];
  #free: number;

  constructor(count: number, timeoutMs: number) {
    this.#free = count;
    this.#timeoutMs = timeoutMs;
  }

  get waitingCount(): number {
    return this.#waiting.length;
  }

  async take<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    if (this.#free > 0) this.#free--;
    else await this.#wait();
    try {
      return await work();
    } finally {
      this.#next();
    }
  }

  #wait(): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(unavailable(null, `No connection to the catalog within ${this.#timeoutMs} ms.`));
      }, this.#timeoutMs);
      const waiting = { begin: resolve, timer };
      this.#waiting.push(waiting);
    });
  }

  #next(): void {
    const next = this.#waiting.shift();
    if (next === undefined) {
      this.#free++;
      return;
    }
    clearTimeout(next.timer);
    next.begin();
  }
}
