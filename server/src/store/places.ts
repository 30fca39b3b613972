/** A number of things that may be held at once; whoever wants more waits, first come first served. */
export class Places {
  readonly #max: number;
  readonly #waiting: { readonly count: number; readonly enter: () => void }[] = [];
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
    if (this.#waiting.length > 0 || this.#taken + count > this.#max) await this.#wait(count, signal);
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
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
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
      this.#waiting.push(waiting);
    });
  }

  #serve(): void {
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      if (this.#taken + first.count > this.#max) return;
      this.#waiting.shift();
      this.#taken += first.count;
      first.enter();
    }
  }
}
