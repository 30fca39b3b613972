/** A fault of the machine may pass; one of the stored bytes does not. After this many failures the work is given up. */
const triesMax = 3;

/** Counts how often work on something has failed, since it last went well or was given up. */
export class FailedTries {
  readonly #counts = new Map<string, number>();

  /** How many failures have made it give up, this one included; null where it may be tried again. */
  failed(key: string): number | null {
    const count = (this.#counts.get(key) ?? 0) + 1;
    if (count < triesMax) {
      this.#counts.set(key, count);
      return null;
    }
    this.#counts.delete(key);
    return count;
  }

  wentWell(key: string): void {
    this.#counts.delete(key);
  }
}
