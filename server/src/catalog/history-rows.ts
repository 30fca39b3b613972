import { randomInt } from 'node:crypto';
import type { HistoryEntry } from '../ports/catalog/queries.ts';

/** Ids in a millisecond. Times are below 2^43 for some centuries, so that ids are exact in a double. */
const idsPerMs = 1024;
/** Ids do not follow each other closely: from a gap nobody learns whether others, or the same caller elsewhere, have run something. */
const gapMax = 16;
/** Of the texts on a page: an answer in memory, made in a few milliseconds. */
export const pageCharactersMax = 1024 * 1024;

export interface HistoryRow {
  readonly id: number;
  readonly query_id: string;
  readonly sql: string;
  readonly engine: HistoryEntry['engine'];
  readonly state: HistoryEntry['state'];
  readonly error: string | null;
  readonly rows: number;
  readonly started_at: number;
  readonly duration_ms: number;
}

export function entryOf(row: HistoryRow): HistoryEntry {
  return {
    id: row.id,
    queryId: row.query_id,
    sql: row.sql,
    engine: row.engine,
    state: row.state,
    error: row.error === null ? null : (JSON.parse(row.error) as HistoryEntry['error']),
    rows: row.rows,
    startedAt: row.started_at,
    durationMs: row.duration_ms,
  };
}

/** The id after `newest`. */
export function nextHistoryId(newest: number, now: number): number {
  return Math.max(newest + randomInt(1, gapMax), now * idsPerMs + randomInt(gapMax));
}

export function errorText(error: HistoryEntry['error']): string | null {
  return error === null ? null : JSON.stringify(error);
}
