import type { HistoryPage, HistorySlice, NewHistoryEntry } from '../../../ports/catalog/queries.ts';
import type { Sql, Transaction } from '../../../postgres/database.ts';
import { entryOf, errorText, type HistoryRow, nextHistoryId, pageCharactersMax } from '../../history-rows.ts';
import { historyKeptMs } from '../../memory-times.ts';
import { storable } from './storable-text.ts';

/** Without its text if the page is full. */
type ListedRow = Omit<HistoryRow, 'sql'> & { readonly sql: string | null };

/** Statements that callers have run. */
export class History {
  async addHistory(
    sql: Transaction,
    entries: readonly NewHistoryEntry[],
    keptMax: number,
    now: number,
  ): Promise<void> {
    const callers = new Map<string, NewHistoryEntry[]>();
    for (const entry of entries) {
      const key = `${entry.tenant}\0${entry.caller}`;
      callers.set(key, [...(callers.get(key) ?? []), entry]);
    }
    // In the same order on all nodes, which may add entries of the same callers at once.
    for (const key of [...callers.keys()].sort()) await addOf(sql, callers.get(key) ?? [], keptMax, now);
  }

  async history(
    sql: Sql,
    tenant: string,
    caller: string,
    { before, limit, search }: HistoryPage,
  ): Promise<HistorySlice> {
    const pattern = search === null ? null : `%${asciiLower(storable(search)).replaceAll(/[!%_]/g, '!$&')}%`;
    // Read along the index, newest first, and no further than the page: of what does not fit on it, only that it is there. In the collation "C",
    // lower() changes ASCII letters only.
    const found = await sql.rows<ListedRow>(
      `SELECT id, query_id, CASE WHEN characters <= ${pageCharactersMax} THEN sql END AS sql, engine, state, error, rows, started_at,
        duration_ms
      FROM (
        SELECT *, sum(length(sql)) OVER (ORDER BY id DESC) - length(sql) AS characters FROM history
        WHERE tenant = $1 AND caller = $2 AND id < $3
          AND ($4::text IS NULL OR lower(sql COLLATE "C") LIKE $4 ESCAPE '!')) sized
      ORDER BY id DESC LIMIT $5`,
      [tenant, caller, before ?? Number.MAX_SAFE_INTEGER, pattern, limit + 1],
    );
    const whole = found.slice(0, limit).filter((row): row is HistoryRow => row.sql !== null);
    const entries = whole.map(entryOf);
    return { entries, hasMore: entries.length < found.length };
  }

  async clearHistory(sql: Transaction, tenant: string, caller: string): Promise<void> {
    await sql.run('DELETE FROM history WHERE tenant = $1 AND caller = $2', [tenant, caller]);
  }

  forgetOld(sql: Transaction, now: number, limit: number): Promise<number> {
    return sql.run(
      `DELETE FROM history WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM history WHERE started_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED))`,
      [now - historyKeptMs, limit],
    );
  }
}

/** Entries of one caller. */
async function addOf(
  sql: Transaction,
  entries: readonly NewHistoryEntry[],
  keptMax: number,
  now: number,
): Promise<void> {
  const [first] = entries;
  if (first === undefined) return;
  const { tenant, caller } = first;
  // Two nodes would give the same ids.
  sql.send(`SELECT pg_advisory_xact_lock(hashtextextended('history/' || $1 || '/' || $2, 0))`, [
    tenant,
    caller,
  ]);
  const newest = await sql.first<{ id: number | null }>(
    'SELECT max(id) AS id FROM history WHERE tenant = $1 AND caller = $2',
    [tenant, caller],
  );
  let id = newest?.id ?? 0;
  const ids = entries.map(() => {
    id = nextHistoryId(id, now);
    return id;
  });
  sql.send(
    `INSERT INTO history (tenant, caller, id, query_id, sql, state, error, rows, started_at, duration_ms, engine)
    SELECT $1, $2, entry.* FROM unnest(
      $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bigint[], $9::bigint[], $10::bigint[],
      $11::text[]) AS entry`,
    [
      tenant,
      caller,
      ids,
      entries.map((entry) => entry.queryId),
      entries.map((entry) => storable(entry.sql)),
      entries.map((entry) => entry.state),
      entries.map((entry) => errorText(entry.error)),
      entries.map((entry) => entry.rows),
      entries.map((entry) => entry.startedAt),
      entries.map((entry) => entry.durationMs),
      entries.map((entry) => entry.engine),
    ],
  );
  sql.send(
    `DELETE FROM history WHERE tenant = $1 AND caller = $2 AND id <=
      (SELECT id FROM history WHERE tenant = $1 AND caller = $2 ORDER BY id DESC LIMIT 1 OFFSET $3)`,
    [tenant, caller, keptMax],
  );
}

function asciiLower(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}
