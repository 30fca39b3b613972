import type { EventPage } from '../../../ports/catalog/events.ts';
import type { Sql, Transaction } from '../../../postgres/database.ts';
import { type EventHead, type EventRow, eventOf, pageHead } from '../../event-rows.ts';
import { eventsKept, eventsKeptMs } from '../../memory-times.ts';
import type { NewEvent } from '../../rules/events.ts';

/** How many events a tenant gets until its oldest ones are removed. */
const pruneEvery = 100;

/**
 * What happened to frames. Every change adds its event in its own transaction, with the next number of its tenant: the lock of the tenant's row
 * makes the numbers follow the order of the commits, so that a reader never misses one that is committed late.
 */
export class Events {
  readonly #changed = new WeakMap<Sql, Set<string>>();

  /** The last thing that a change does, since others of the tenant wait from here on. */
  add(sql: Transaction, { tenant, kind, frame }: NewEvent, now: number): void {
    sql.send(
      `WITH next AS (
        INSERT INTO tenants AS t (tenant, last_event, last_mark) VALUES ($1, 1, random_mark())
        ON CONFLICT (tenant) DO UPDATE SET last_event = t.last_event + 1, last_mark = random_mark()
        RETURNING last_event, last_mark),
      pruned AS (
        DELETE FROM events WHERE tenant = $1
          AND seq <= (SELECT last_event - ${eventsKept} FROM next WHERE last_event % ${pruneEvery} = 0))
      INSERT INTO events SELECT $1, last_event, $2, $3, $4, last_mark FROM next`,
      [tenant, now, kind, JSON.stringify(frame)],
    );
    const changed = this.#changed.get(sql) ?? new Set();
    this.#changed.set(sql, changed.add(tenant));
  }

  /** The tenants that get events when this transaction is committed. */
  changedIn(sql: Sql): readonly string[] {
    return [...(this.#changed.get(sql) ?? [])];
  }

  async events(
    sql: Sql,
    tenant: string,
    after: number,
    limit: number,
    mark: number | null = null,
  ): Promise<EventPage> {
    const row = await sql.first<EventHead>(
      `SELECT last_event AS last, last_mark AS "lastMark",
        (SELECT min(seq) FROM events WHERE tenant = $1) AS oldest,
        (SELECT mark FROM events WHERE tenant = $1 AND seq = $2) AS "knownMark"
      FROM tenants WHERE tenant = $1`,
      [tenant, after],
    );
    const head = pageHead(row, after, mark);
    const { last } = head;
    // Most who ask have seen everything.
    if (after >= last) return { events: [], ...head };
    const rows = await sql.rows<EventRow>(
      'SELECT seq, mark, kind, at, data FROM events WHERE tenant = $1 AND seq > $2 AND seq <= $3 ORDER BY seq LIMIT $4',
      [tenant, after, last, limit],
    );
    return { events: rows.map(eventOf), ...head };
  }

  /**
   * Removes about `limit` events that are too old; returns how many. Of each tenant a beginning, also if its clock was set back in between: what
   * is left has no gap.
   */
  async forgetOld(sql: Sql, now: number, limit: number): Promise<number> {
    return sql.run(
      `DELETE FROM events e USING (
        SELECT tenant, max(seq) AS last FROM
          (SELECT tenant, seq FROM events WHERE at <= $1 ORDER BY at LIMIT $2) old
        GROUP BY tenant) beginning
      WHERE e.tenant = beginning.tenant AND e.seq <= beginning.last`,
      [now - eventsKeptMs, limit],
    );
  }
}
