import type { Format } from '../protocol/client-messages.ts';
import type { Outbox } from '../protocol/outbox.ts';
import type { ResultColumn } from '../protocol/server-messages.ts';

/** Rows that are read once, from the first to the last. */
export interface Rows {
  readonly columns: readonly ResultColumn[];
  /**
   * Sends at most so many rows (0: all) as DataRow messages. Answers how many, and whether there are no more for certain: after exactly as many as were asked for,
   * that is not known.
   */
  take(request: RowsRequest): Promise<{ readonly count: number; readonly hasEnded: boolean }>;
  /** Safe at any time, and again. */
  close(): Promise<void>;
}

export interface RowsRequest {
  readonly formats: readonly Format[];
  readonly rowsMax: number;
  /** null: they are left out, as MOVE does. */
  readonly outbox: Outbox | null;
  readonly signal: AbortSignal;
}
