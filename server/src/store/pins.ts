/** Files that are open on this machine: they are not removed. */
export class Pins {
  readonly #counts = new Map<string, number>();

  /** Holds the file until the returned function is called; calling it again does nothing. */
  add(key: string): () => void {
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      const count = this.#counts.get(key) ?? 0;
      if (count > 1) this.#counts.set(key, count - 1);
      else this.#counts.delete(key);
    };
  }

  /** How many files are open. */
  get size(): number {
    return this.#counts.size;
  }

  has(key: string): boolean {
    return this.#counts.has(key);
  }
}
