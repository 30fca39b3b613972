import type { ReadonlySignal } from '@preact/signals';

/** A column as the grid shows it. `type` is the server's name of it, such as `LONG` or `DECIMAL(38,10)`. */
export interface GridColumn {
  readonly name: string;
  readonly type: string;
}

/** Cells of some neighbouring rows. Rows are counted from the first of the source, columns as in `RowSource.columns`. */
export interface Window {
  readonly first: number;
  readonly count: number;
  /** The exact text; null for a null. Only for rows and columns that were asked for. */
  text(row: number, column: number): string | null;
  /** Where a row is in the frame, from 0, if the source shows the rows in another order or only some of them. */
  rowNumber?(row: number): bigint;
}

/** What a grid shows: rows that can be read at any place. */
export interface RowSource {
  readonly columns: ReadonlySignal<readonly GridColumn[]>;
  readonly rowCount: ReadonlySignal<number>;
  /** False while rows are still arriving. */
  readonly isComplete: ReadonlySignal<boolean>;
  /** What the numbers beside the rows count. Default: `Row`, as they are numbered in the frame. */
  readonly numberLabel?: string;
  /** The largest row number that a window may give, if it gives any. */
  readonly rowNumberMax?: number;
  /** How many rows to ask for at once; fewer if they are large. */
  readonly pageRows?: number;
  /** Each window takes the server seconds: only those in view are asked for, one after another. */
  readonly isCostly?: boolean;
  window(first: number, count: number, columns: readonly number[], signal: AbortSignal): Promise<Window>;
}

/** What else is known of a column. */
export interface ColumnDescription {
  readonly sqlType: string | null;
  readonly topValues: readonly string[];
  /** Asks for the most frequent values, if they are not known: the server may have to read all rows. */
  readonly loadTopValues?: () => void;
  /** Shown when the pointer rests on the header. */
  readonly hint: string;
}
