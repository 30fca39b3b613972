/** Work of all sessions between two looks at what else the server has to do: a probe that waits for a few of these is still answered in time. */
const turnMs = 5;

/**
 * Shares the thread with everything else that the server does. A client can have a hundred thousand commands in one message, or in one segment of the network, and
 * each runs without waiting for anything: without turns nobody else would be served until the last of them.
 */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  /** null: nobody works. */
  #beganAt: number | null = null;

  /** Resolves when the caller may do a short piece of work. null: at once. */
  next(): Promise<void> | null {
    if (this.#beganAt === null) {
      this.#begin();
      return null;
    }
    const isOver = performance.now() - this.#beganAt >= turnMs;
    const first = isOver ? undefined : this.#waiting.shift();
    if (!isOver && first === undefined) return null;
    const own = new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
    });
    first?.();
    return own;
  }

  #begin(): void {
    this.#beganAt = performance.now();
    setImmediate(this.#end);
  }

  /** The one that has waited longest goes on, and hands over to the next: there is one turn for each look at the rest, however many wait. */
  readonly #end = (): void => {
    this.#beganAt = null;
    const first = this.#waiting.shift();
    if (first === undefined) return;
    this.#begin();
    first();
  };
}
