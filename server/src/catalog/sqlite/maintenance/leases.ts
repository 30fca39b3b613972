import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { LeaseOutcome } from '../../../ports/catalog/leases.ts';
import { leasesKeptMs } from '../../memory-times.ts';

/** Its methods that are operations of the catalog. */
export const leaseOperations = {
  reads: [],
  writes: ['lease', 'endLease', 'endLeases'],
} as const;

/** Work that a process has taken on, and how often it was begun. */
export class Leases {
  readonly #lease: StatementSync;
  readonly #done: StatementSync;
  readonly #end: StatementSync;
  readonly #endAll: StatementSync;
  readonly #forget: StatementSync;
  readonly #isLeased: StatementSync;

  constructor(db: DatabaseSync) {
    this.#lease = db.prepare(`
      INSERT INTO claims VALUES (?1, ?2, ?3, 1)
      ON CONFLICT (work) DO UPDATE SET owner = ?2, until = ?3, tries = tries + 1 WHERE until <= ?4
      RETURNING tries`);
    this.#done = db.prepare('DELETE FROM claims WHERE work = ? AND owner = ?');
    this.#end = db.prepare('UPDATE claims SET until = ?, tries = tries - ? WHERE work = ? AND owner = ?');
    this.#endAll = db.prepare('UPDATE claims SET until = ?1 WHERE owner = ?2 AND until > ?1');
    this.#forget = db.prepare(`
      DELETE FROM claims WHERE work IN (SELECT work FROM claims WHERE until <= ? LIMIT ?)`);
    this.#isLeased = db.prepare('SELECT 1 FROM claims WHERE work = ? AND until > ?');
  }

  lease(work: string, owner: string, until: number, now: number): number | null {
    const row = this.#lease.get(work, owner, until, now);
    return row === undefined ? null : Number(row.tries);
  }

  endLease(work: string, owner: string, outcome: LeaseOutcome, now: number): void {
    if (outcome === 'done') this.#done.run(work, owner);
    else this.#end.run(now, outcome === 'untried' ? 1 : 0, work, owner);
  }

  endLeases(owner: string, now: number): void {
    this.#endAll.run(now, owner);
  }

  isLeased(work: string, now: number): boolean {
    return this.#isLeased.get(work, now) !== undefined;
  }

  /** Forgets up to `limit` leases that ended long ago; returns how many. */
  forgetOld(now: number, limit: number): number {
    return Number(this.#forget.run(now - leasesKeptMs, limit).changes);
  }
}
