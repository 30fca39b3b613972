import { randomInt } from 'node:crypto';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type {
  HistoryEntry,
  HistoryPage,
  HistorySlice,
  NewHistoryEntry,
} from '../../../frames/ports/catalog/queries.ts';
import { historyKeptMs } from '../../memory-times.ts';

/** Its methods that are operations of the catalog. */
export const historyOperations = {
  reads: ['history'],
  writes: ['addHistory', 'clearHistory'],
} as const;

/** Ids in a millisecond. Times are below 2^43 for some centuries, so that ids are exact in a double. */
const idsPerMs = 1024;
/** Ids do not follow each other closely: from a gap nobody learns whether others have run something. */
const gapMax = 16;
/** Of the texts on a page: an answer in memory, made in a few milliseconds. */
const pageCharactersMax = 1024 * 1024;

interface HistoryRow {
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

/** Statements that callers have run. */
export class History {
  readonly #insert: StatementSync;
  readonly #newest: StatementSync;
  readonly #trim: StatementSync;
  readonly #page: StatementSync;
  readonly #clear: StatementSync;
  readonly #forgetOld: StatementSync;

  constructor(db: DatabaseSync) {
    this.#insert = db.prepare(`
      INSERT INTO history (id, tenant, caller, query_id, sql, state, error, rows, started_at, duration_ms, engine)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
    this.#newest = db.prepare('SELECT max(id) AS id FROM history');
    this.#trim = db.prepare(`
      DELETE FROM history WHERE tenant = ?1 AND caller = ?2 AND id <=
        (SELECT id FROM history WHERE tenant = ?1 AND caller = ?2 ORDER BY id DESC LIMIT 1 OFFSET ?3)`);
    this.#page = db.prepare(`
      SELECT id, query_id, sql, engine, state, error, rows, started_at, duration_ms FROM history INDEXED BY history_caller
      WHERE tenant = ? AND caller = ? AND id < ? AND (?4 IS NULL OR sql LIKE ?4 ESCAPE '!') ORDER BY id DESC`);
    this.#clear = db.prepare('DELETE FROM history WHERE tenant = ? AND caller = ?');
    this.#forgetOld = db.prepare(
      'DELETE FROM history WHERE id IN (SELECT id FROM history WHERE started_at <= ? LIMIT ?)',
    );
  }

  addHistory(entries: readonly NewHistoryEntry[], keptMax: number, now: number): void {
    const callers = new Map<string, readonly [tenant: string, caller: string]>();
    let newest = (this.#newest.get() as { id: number | null }).id ?? 0;
    for (const entry of entries) {
      const { tenant, caller, queryId, sql, state, error, rows, startedAt, durationMs, engine } = entry;
      newest = Math.max(newest + randomInt(1, gapMax), now * idsPerMs + randomInt(gapMax));
      const reason = error === null ? null : JSON.stringify(error);
      this.#insert.run(
        newest,
        tenant,
        caller,
        queryId,
        sql,
        state,
        reason,
        rows,
        startedAt,
        durationMs,
        engine,
      );
      callers.set(`${tenant}\0${caller}`, [tenant, caller]);
    }
    for (const [tenant, caller] of callers.values()) this.#trim.run(tenant, caller, keptMax);
  }

  history(tenant: string, caller: string, { before, limit, search }: HistoryPage): HistorySlice {
    const pattern = search === null ? null : `%${search.replaceAll(/[!%_]/g, '!$&')}%`;
    const from = before ?? Number.MAX_SAFE_INTEGER;
    const entries: HistoryEntry[] = [];
    let characters = 0;
    for (const row of this.#page.iterate(tenant, caller, from, pattern)) {
      if (entries.length === limit || characters > pageCharactersMax) return { entries, hasMore: true };
      const entry = entryOf(row as unknown as HistoryRow);
      characters += entry.sql.length;
      entries.push(entry);
    }
    return { entries, hasMore: false };
  }

  clearHistory(tenant: string, caller: string): void {
    this.#clear.run(tenant, caller);
  }

  forgetOld(now: number, limit: number): number {
    return Number(this.#forgetOld.run(now - historyKeptMs, limit).changes);
  }
}

function entryOf(row: HistoryRow): HistoryEntry {
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
