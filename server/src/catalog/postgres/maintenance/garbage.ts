import { fileKeptMs } from '../../../ports/catalog/files.ts';
import type { GarbageRequest } from '../../../ports/catalog/maintenance.ts';
import type { Sql, Transaction } from '../../../postgres/database.ts';
import type { DamagedObjects } from '../integrity/damage.ts';

interface DueRow {
  readonly key: string;
  readonly due: number;
}

/** Objects that nothing refers to any more. */
export class Garbage {
  readonly #damaged: DamagedObjects;

  constructor(damaged: DamagedObjects) {
    this.#damaged = damaged;
  }

  /** Rows that another collector or a reader has locked are skipped: nobody waits, and no two collectors get the same key. */
  async takeGarbage(
    sql: Transaction,
    { limit, delayMs, leaseMs, now }: GarbageRequest,
  ): Promise<readonly string[]> {
    // New garbage has no time yet: it gets one here, so that no change needs to know the delay.
    sql.send(
      `WITH fresh AS MATERIALIZED (
        SELECT key FROM garbage WHERE not_before IS NULL LIMIT $2 FOR UPDATE SKIP LOCKED)
      UPDATE garbage g SET not_before = $1 FROM fresh WHERE g.key = fresh.key`,
      [now + delayMs, limit],
    );
    sql.send(
      `WITH held AS MATERIALIZED (
        SELECT key FROM garbage g WHERE not_before <= $1
          AND EXISTS (SELECT 1 FROM file_objects o WHERE o.key = g.key) ORDER BY key FOR UPDATE SKIP LOCKED)
      UPDATE garbage g SET not_before = (SELECT greatest($1, max(l.used_at) + $2) + 1 FROM file_objects o
        JOIN file_layouts l ON l.name_id = o.name_id AND l.version = o.version WHERE o.key = g.key)
      FROM held WHERE g.key = held.key`,
      [now, fileKeptMs],
    );
    const rows = await sql.rows<DueRow>(
      `WITH due AS MATERIALIZED (
        SELECT key, not_before FROM garbage WHERE not_before <= $1
          AND NOT EXISTS (SELECT 1 FROM file_objects o WHERE o.key = garbage.key)
        ORDER BY not_before NULLS FIRST, key LIMIT $3 FOR UPDATE SKIP LOCKED)
      UPDATE garbage g SET not_before = $2 FROM due WHERE g.key = due.key RETURNING g.key, due.not_before AS due`,
      [now, now + leaseMs, limit],
    );
    return rows
      .sort((one, other) => one.due - other.due || (one.key < other.key ? -1 : 1))
      .map((row) => row.key);
  }

  async renew(sql: Transaction, keys: readonly string[], until: number): Promise<void> {
    // In the order of the keys, as all who wait for several of these rows.
    await sql.run(
      `WITH mine AS MATERIALIZED (
        SELECT key FROM garbage WHERE key = ANY ($1) AND coalesce(not_before, 0) < $2 ORDER BY key FOR UPDATE)
      UPDATE garbage g SET not_before = $2 FROM mine WHERE g.key = mine.key`,
      [keys, until],
    );
  }

  async forget(sql: Transaction, keys: readonly string[]): Promise<void> {
    sql.send(
      `WITH mine AS MATERIALIZED (SELECT key FROM garbage WHERE key = ANY ($1) ORDER BY key FOR UPDATE)
      DELETE FROM garbage g USING mine WHERE g.key = mine.key`,
      [keys],
    );
    this.#damaged.forget(sql, keys);
  }

  async known(sql: Sql, keys: readonly string[]): Promise<readonly string[]> {
    const rows = await sql.rows<{ key: string }>(
      `SELECT given.key FROM unnest($1::text[]) WITH ORDINALITY AS given (key, place)
      WHERE EXISTS (SELECT 1 FROM objects o WHERE o.key = given.key)
        OR EXISTS (SELECT 1 FROM garbage g WHERE g.key = given.key)
        OR EXISTS (SELECT 1 FROM file_objects f WHERE f.key = given.key)
      ORDER BY given.place`,
      [keys],
    );
    return rows.map((row) => row.key);
  }
}
