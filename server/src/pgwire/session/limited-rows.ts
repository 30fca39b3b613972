import type { Format } from '../protocol/client-messages.ts';
import type { Rows, RowsRequest } from './rows.ts';

/** The next rows of a cursor, which goes on after them: what FETCH answers. */
export class LimitedRows implements Rows {
  readonly #rows: Rows;
  #left: number;
  readonly #moveIn: readonly Format[] | null;

  /** `rowsMax` null: all that are left. `moveIn`: they are left out, in the formats in which the cursor is read; null: they are sent. */
  constructor(
    rows: Rows,
    { rowsMax, moveIn }: { readonly rowsMax: number | null; readonly moveIn: readonly Format[] | null },
  ) {
    this.#rows = rows;
    this.#left = rowsMax ?? Number.POSITIVE_INFINITY;
    this.#moveIn = moveIn;
  }

  get columns(): Rows['columns'] {
    return this.#rows.columns;
  }

  async take(request: RowsRequest): Promise<{ count: number; hasEnded: boolean }> {
    const { rowsMax } = request;
    const wanted = Math.min(this.#left, rowsMax === 0 ? Number.POSITIVE_INFINITY : rowsMax);
    if (wanted === 0) return { count: 0, hasEnded: true };
    const isAll = wanted === Number.POSITIVE_INFINITY;
    const how = this.#moveIn === null ? request : { ...request, formats: this.#moveIn, outbox: null };
    const { count, hasEnded } = await this.#rows.take({ ...how, rowsMax: isAll ? 0 : wanted });
    this.#left -= count;
    return { count, hasEnded: hasEnded || this.#left === 0 };
  }

  /** The cursor stays. */
  async close(): Promise<void> {}
}
