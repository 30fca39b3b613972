/** Which rows of a version are wanted, while its batches go by. */
export class RowWindow {
  #skip: number;
  #remaining: number;

  constructor(offset: number, rowCount: number) {
    this.#skip = offset;
    this.#remaining = rowCount;
  }

  /** Rows still to be passed over. */
  get skip(): number {
    return this.#skip;
  }

  get remaining(): number {
    return this.#remaining;
  }

  /** Which of the next `rows` rows are wanted; from equals to if none are. */
  take(rows: number): { readonly from: number; readonly to: number } {
    const from = Math.min(this.#skip, rows);
    const to = from + Math.min(this.#remaining, rows - from);
    this.#skip -= from;
    this.#remaining -= to - from;
    return { from, to };
  }
}
