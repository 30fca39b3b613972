/** What a listener has begun and not ended. A server that stops waits for it. */
export class UnderWay<Item> {
  readonly #items = new Set<Item>();
  #onIdle: (() => void) | null = null;

  get size(): number {
    return this.#items.size;
  }

  [Symbol.iterator](): IterableIterator<Item> {
    return this.#items.values();
  }

  add(item: Item): void {
    this.#items.add(item);
  }

  ended(item: Item): void {
    this.#items.delete(item);
    if (this.#items.size === 0) this.#onIdle?.();
  }

  /** Resolves when nothing is left, and after this time at the latest. */
  async idleWithin(timeMs: number): Promise<void> {
    if (this.#items.size === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onIdle = resolve;
    const timer = setTimeout(resolve, timeMs);
    await promise;
    clearTimeout(timer);
    this.#onIdle = null;
  }
}
