import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { EventPage } from '../../../ports/catalog/events.ts';
import { type EventHead, type EventRow, eventOf, pageHead } from '../../event-rows.ts';
import { eventsKept, eventsKeptMs } from '../../memory-times.ts';
import type { NewEvent } from '../../rules/events.ts';

/** How many events a tenant gets until its oldest ones are removed: so removing them costs a hundredth of a statement for each. */
const pruneEvery = 100;

/** As many bits as PostgreSQL's: JavaScript keeps them exactly. */
const randomMark = 'abs(random() % 281474976710656)';

/** Its methods that are operations of the catalog. */
export const eventOperations = {
  reads: ['events'],
  writes: [],
} as const;

/** What happened to frames. Every change adds its event in its own transaction. */
export class Events {
  readonly #next: StatementSync;
  readonly #insert: StatementSync;
  readonly #head: StatementSync;
  readonly #page: StatementSync;
  readonly #removeUpTo: StatementSync;
  readonly #old: StatementSync;
  #changed = new Set<string>();

  constructor(db: DatabaseSync) {
    this.#next = db.prepare(`
      INSERT INTO event_heads VALUES (?, 1, ${randomMark})
      ON CONFLICT (tenant) DO UPDATE SET last = last + 1, last_mark = ${randomMark} RETURNING last, last_mark`);
    this.#insert = db.prepare(
      'INSERT INTO events (tenant, seq, at, kind, data, mark) VALUES (?, ?, ?, ?, ?, ?)',
    );
    this.#head = db.prepare(`
      SELECT last, last_mark AS lastMark,
        (SELECT seq FROM events e WHERE e.tenant = h.tenant ORDER BY seq LIMIT 1) AS oldest,
        (SELECT mark FROM events e WHERE e.tenant = h.tenant AND e.seq = ?) AS knownMark
      FROM event_heads h WHERE tenant = ?`);
    this.#page = db.prepare(`
      SELECT seq, mark, kind, at, data FROM events WHERE tenant = ? AND seq > ? ORDER BY seq LIMIT ?`);
    this.#removeUpTo = db.prepare('DELETE FROM events WHERE tenant = ? AND seq <= ?');
    this.#old = db.prepare(`
      SELECT tenant, max(seq) AS last FROM
        (SELECT tenant, seq FROM events INDEXED BY events_at WHERE at <= ? ORDER BY at LIMIT ?)
      GROUP BY tenant`);
  }

  add({ tenant, kind, frame }: NewEvent, now: number): void {
    const { last: seq, last_mark } = this.#next.get(tenant) as { last: number; last_mark: number };
    this.#insert.run(tenant, seq, now, kind, JSON.stringify(frame), last_mark);
    if (seq % pruneEvery === 0) this.#removeUpTo.run(tenant, seq - eventsKept);
    this.#changed.add(tenant);
  }

  events(tenant: string, after: number, limit: number, mark: number | null = null): EventPage {
    const head = pageHead(this.#head.get(after, tenant) as EventHead | undefined, after, mark);
    // Most who ask have seen everything.
    const rows = after >= head.last ? [] : (this.#page.all(tenant, after, limit) as unknown as EventRow[]);
    return { events: rows.map(eventOf), ...head };
  }

  /**
   * Removes about `limit` events that are too old; returns how many. Of each tenant a beginning, also if its clock was set back in between: what
   * is left has no gap.
   */
  forgetOld(now: number, limit: number): number {
    const old = this.#old.all(now - eventsKeptMs, limit) as { tenant: string; last: number }[];
    return old.reduce((sum, { tenant, last }) => sum + Number(this.#removeUpTo.run(tenant, last).changes), 0);
  }

  /** The tenants that got events since this was last called, perhaps in a transaction that was not committed. */
  takeChanged(): readonly string[] {
    if (this.#changed.size === 0) return [];
    const tenants = [...this.#changed];
    this.#changed = new Set();
    return tenants;
  }
}
