/** Keys that are in use, each as often as it is. */
export class KeysInUse {
  readonly #counts = new Map<string, number>();

  /** Holds the keys until the returned function is called; calling it again does nothing. */
  hold(keys: readonly string[]): () => void {
    for (const key of keys) this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      for (const key of keys) {
        const count = this.#counts.get(key) ?? 0;
        if (count > 1) this.#counts.set(key, count - 1);
        else this.#counts.delete(key);
      }
    };
  }

  get size(): number {
    return this.#counts.size;
  }

  has(key: string): boolean {
    return this.#counts.has(key);
  }

  all(): readonly string[] {
    return [...this.#counts.keys()];
  }
}
