import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type {
  HistoryEntry,
  HistoryPage,
  HistorySlice,
  NewHistoryEntry,
} from '../../../ports/catalog/queries.ts';
import { entryOf, errorText, type HistoryRow, nextHistoryId, pageCharactersMax } from '../../history-rows.ts';
import { historyKeptMs } from '../../memory-times.ts';

/** Its methods that are operations of the catalog. */
export const historyOperations = {
  reads: ['history'],
  writes: ['addHistory', 'clearHistory'],
} as const;

/** Statements that callers have run. */
export class History {
  readonly #insert: StatementSync;
  readonly #newest: StatementSync;
  readonly #trim: StatementSync;
  readonly #page: StatementSync;
  readonly #clear: StatementSync;
  readonly #forgetOld: StatementSync;

  constructor(db: DatabaseSync) {
    this.#insert = db.prepare('INSERT INTO history VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
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
      const { tenant, caller, queryId, sql, state, rows, startedAt, durationMs, engine } = entry;
      newest = nextHistoryId(newest, now);
      const result = [state, errorText(entry.error), rows, startedAt, durationMs, engine];
      this.#insert.run(newest, tenant, caller, queryId, sql, ...result);
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
