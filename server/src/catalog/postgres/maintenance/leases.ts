import type { LeaseOutcome } from '../../../ports/catalog/leases.ts';
import type { Sql } from '../../../postgres/database.ts';
import { leasesKeptMs } from '../../memory-times.ts';
import { leaseHolds } from './lease-holds.ts';

/** Work that a process has taken on, and how often it was begun. Each is one statement, so that of many nodes exactly one gets a lease. */
export class Leases {
  async lease(sql: Sql, work: string, owner: string, until: number, now: number): Promise<number | null> {
    const row = await sql.first<{ tries: number }>(
      `INSERT INTO claims AS c (work, owner, until, tries) VALUES ($1, $2, $3, 1)
      ON CONFLICT (work) DO UPDATE SET owner = $2, until = $3, tries = c.tries + 1
        WHERE NOT (${leaseHolds('$4')})
      RETURNING tries`,
      [work, owner, until, now],
    );
    return row?.tries ?? null;
  }

  async endLease(sql: Sql, work: string, owner: string, outcome: LeaseOutcome, now: number): Promise<void> {
    if (outcome === 'done') await sql.run('DELETE FROM claims WHERE work = $1 AND owner = $2', [work, owner]);
    else
      await sql.run('UPDATE claims SET until = $1, tries = tries - $2 WHERE work = $3 AND owner = $4', [
        now,
        outcome === 'untried' ? 1 : 0,
        work,
        owner,
      ]);
  }

  async endLeases(sql: Sql, owner: string, now: number): Promise<void> {
    await sql.run('UPDATE claims SET until = $1 WHERE owner = $2 AND until > $1', [now, owner]);
  }

  /** Forgets up to `limit` leases that ended long ago; returns how many. */
  async forgetOld(sql: Sql, now: number, limit: number): Promise<number> {
    return sql.run(
      `DELETE FROM claims WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM claims WHERE until <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED))`,
      [now - leasesKeptMs, limit],
    );
  }
}
