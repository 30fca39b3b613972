import type { Rows, RowsRequest } from './rows.ts';

/** The next rows of a cursor, which goes on after them: what FETCH answers. */
export class LimitedRows implements Rows {
  readonly #rows: Rows;
  #left: number;
  readonly #isMove: boolean;

  /** `rowsMax` null: all that are left. */
  constructor(rows: Rows, rowsMax: number | null, isMove: boolean) {
    this.#rows = rows;
    this.#left = rowsMax ?? Number.POSITIVE_INFINITY;
    this.#isMove = isMove;
  }

  get columns(): Rows['columns'] {
    return this.#rows.columns;
  }

  async take(request: RowsRequest): Promise<{ count: number; hasEnded: boolean }> {
    const { rowsMax } = request;
    const wanted = Math.min(this.#left, rowsMax === 0 ? Number.POSITIVE_INFINITY : rowsMax);
    if (wanted === 0) return { count: 0, hasEnded: true };
    const isAll = wanted === Number.POSITIVE_INFINITY;
    const outbox = this.#isMove ? null : request.outbox;
    const { count, hasEnded } = await this.#rows.take({ ...request, outbox, rowsMax: isAll ? 0 : wanted });
    this.#left -= count;
    return { count, hasEnded: hasEnded || this.#left === 0 };
  }

  /** The cursor stays. */
  async close(): Promise<void> {}
}
