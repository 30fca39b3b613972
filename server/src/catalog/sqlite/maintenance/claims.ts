import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { ClaimOutcome } from '../../../ports/catalog/claims.ts';
import { claimsKeptMs } from '../../memory-times.ts';

/** Its methods that are operations of the catalog. */
export const claimOperations = {
  reads: [],
  writes: ['claim', 'endClaim', 'endClaims'],
} as const;

/** Work that a process has taken on, and how often it was begun. */
export class Claims {
  readonly #claim: StatementSync;
  readonly #done: StatementSync;
  readonly #end: StatementSync;
  readonly #endAll: StatementSync;
  readonly #forget: StatementSync;
  readonly #isClaimed: StatementSync;

  constructor(db: DatabaseSync) {
    this.#claim = db.prepare(`
      INSERT INTO claims VALUES (?1, ?2, ?3, 1)
      ON CONFLICT (work) DO UPDATE SET owner = ?2, until = ?3, tries = tries + 1 WHERE until <= ?4
      RETURNING tries`);
    this.#done = db.prepare('DELETE FROM claims WHERE work = ? AND owner = ?');
    this.#end = db.prepare('UPDATE claims SET until = ?, tries = tries - ? WHERE work = ? AND owner = ?');
    this.#endAll = db.prepare('UPDATE claims SET until = ?1 WHERE owner = ?2 AND until > ?1');
    this.#forget = db.prepare(`
      DELETE FROM claims WHERE work IN (SELECT work FROM claims WHERE until <= ? LIMIT ?)`);
    this.#isClaimed = db.prepare('SELECT 1 FROM claims WHERE work = ? AND until > ?');
  }

  claim(work: string, owner: string, until: number, now: number): number | null {
    const row = this.#claim.get(work, owner, until, now);
    return row === undefined ? null : Number(row.tries);
  }

  endClaim(work: string, owner: string, outcome: ClaimOutcome, now: number): void {
    if (outcome === 'done') this.#done.run(work, owner);
    else this.#end.run(now, outcome === 'untried' ? 1 : 0, work, owner);
  }

  endClaims(owner: string, now: number): void {
    this.#endAll.run(now, owner);
  }

  isClaimed(work: string, now: number): boolean {
    return this.#isClaimed.get(work, now) !== undefined;
  }

  /** Forgets up to `limit` claims that ended long ago; returns how many. */
  forgetOld(now: number, limit: number): number {
    return Number(this.#forget.run(now - claimsKeptMs, limit).changes);
  }
}
