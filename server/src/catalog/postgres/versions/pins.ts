import type { JobPin, PinnedFrame, PinnedHolding, VersionPin } from '../../../ports/catalog/pins.ts';
import type { Sql, Transaction } from '../../../postgres/database.ts';
import type { PinEnd, Pinned } from '../../rules/retention.ts';
import type { Names } from './names.ts';

/**
 * What keeps versions that would otherwise be pruned. A prune locks the name before it looks for pins, and what adds a pin holds the name: the prune sees
 * the pin, or the pin is refused because the version has ended.
 */
export class Pins {
  readonly #names: Names;

  constructor(names: Names) {
    this.#names = names;
  }

  async pins(
    sql: Sql,
    tenant: string,
    name: string,
    first: number,
    last: number,
    now: number,
  ): Promise<readonly VersionPin[]> {
    const { id } = await this.#names.requireLive(sql, tenant, name, now);
    return sql.rows<VersionPin>(
      `SELECT p.version, p.kind, count(*) AS count, max(p.until) AS until
      FROM version_pins p JOIN versions v ON v.name_id = p.name_id AND v.version = p.version
      WHERE p.name_id = $1 AND p.version BETWEEN $2 AND $3 AND p.until > $4
      GROUP BY p.version, p.kind ORDER BY p.version DESC, p.kind`,
      [id, first, last, now],
    );
  }

  async pinned(sql: Sql, tenant: string, framesMax: number): Promise<PinnedHolding> {
    const total = await sql.first<{ versions: number; bytes: number }>(
      `SELECT coalesce(sum(pinned), 0)::bigint AS versions, coalesce(sum(pinned_bytes), 0)::bigint AS bytes
      FROM names WHERE tenant = $1 AND pinned > 0`,
      [tenant],
    );
    const frames = await sql.rows<PinnedFrame>(
      `SELECT name, pinned AS versions, pinned_bytes AS bytes, pins_until AS until
      FROM names WHERE tenant = $1 AND pinned > 0 ORDER BY pinned_bytes DESC LIMIT $2`,
      [tenant, framesMax],
    );
    return { versions: total?.versions ?? 0, bytes: total?.bytes ?? 0, frames };
  }

  async pinForJob(sql: Transaction, pin: JobPin, now: number): Promise<void> {
    const { id, tenant, name, version, versionId, kind, until } = pin;
    const row = await this.#names.holdLive(sql, tenant, name, now);
    const found = await sql.first<{ version_id: string }>(
      'SELECT version_id FROM versions WHERE name_id = $1 AND version = $2',
      [row.id, version],
    );
    if (found?.version_id !== versionId) throw await this.#names.versionAbsence(sql, row, version, now);
    sql.send(
      `INSERT INTO job_pins (id, name_id, version, kind, until) VALUES ($1, $2, $3, $4, $5)
      ON CONFLICT (id) DO UPDATE SET until = excluded.until`,
      [id, row.id, version, kind, until],
    );
  }

  async unpinForJob(sql: Transaction, id: string, now: number): Promise<void> {
    const ended = await sql.first<{ name_id: number }>(
      'DELETE FROM job_pins WHERE id = $1 RETURNING name_id',
      [id],
    );
    if (ended !== undefined) this.ended(sql, ended.name_id, now);
  }

  /** A pin of this name has ended before its time: the next sweep looks at the name. After a prune that is under way: it may still count the pin. */
  ended(sql: Transaction, nameId: number, now: number): void {
    sql.send('SELECT 1 FROM names WHERE id = $1 FOR NO KEY UPDATE', [nameId]);
    sql.send('UPDATE names SET pins_until = $2 WHERE id = $1 AND pins_until > $2', [nameId, now]);
  }

  /** Until when versions below this one are pinned. */
  endsBelow(sql: Sql, nameId: number, version: number, now: number): Promise<PinEnd[]> {
    return sql.rows<PinEnd>(
      `SELECT version, max(until) AS until FROM version_pins
      WHERE name_id = $1 AND version < $2 AND until > $3 GROUP BY version`,
      [nameId, version, now],
    );
  }

  /** What a prune has left: no sweep looks at it again before a pin ends. */
  record(sql: Transaction, nameId: number, { left, pinsUntil }: Pinned): void {
    // What the others need, they need from the beginning of their logs, and of the logs that these continue.
    sql.send(
      `WITH RECURSIVE others AS (
        SELECT log, part_count FROM versions WHERE name_id = $1 AND version > $3
        UNION ALL SELECT log, part_count FROM dropped_versions WHERE name_id = $1),
      needed (log, count) AS (
        SELECT log, part_count FROM others
        UNION SELECT l.base_log, l.base_count FROM needed n JOIN logs l ON l.name_id = $1 AND l.log = n.log),
      ends AS (SELECT log, max(count) AS count FROM needed GROUP BY log)
      UPDATE names SET pinned = $2, pins_until = $4,
        oldest_at = (SELECT created_at FROM versions WHERE name_id = $1 AND version > $3 ORDER BY version LIMIT 1),
        pinned_bytes = (
          SELECT coalesce(sum(p.size), 0) FROM parts p LEFT JOIN ends e ON e.log = p.log
          WHERE p.name_id = $1 AND p.seq >= coalesce(e.count, 0))
      WHERE id = $1`,
      [nameId, left.length, left.at(-1) ?? 0, pinsUntil],
    );
  }

  /** Returns how many were forgotten, at most `limit`. */
  forgetPast(sql: Transaction, now: number, limit: number): Promise<number> {
    return sql.run(
      `DELETE FROM job_pins WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM job_pins WHERE until <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED))`,
      [now, limit],
    );
  }
}
