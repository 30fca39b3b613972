import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { SharedCount, TenantHolding, TenantShares } from '../../../ports/catalog/sharing.ts';
import type { TenantUsage } from '../../../ports/catalog/versions.ts';

/** Of the tenants that one shares with: as many as a single frame can be shared with. */
const othersMax = 1_000;

type UsageRow = TenantUsage & { readonly tenant: string };
interface CountRow {
  readonly tenant: string;
  readonly frames: number;
}

/** Its methods that are operations of the catalog. */
export const tenantOperations = {
  reads: ['tenants', 'tenantShares'],
  writes: [],
} as const;

/**
 * All tenants, for an operator. Shares are counted by going through all of them once: an operator asks now and then, and 100,000 shares take some
 * 50 ms. CROSS JOIN keeps SQLite from going through all names instead, of which there may be millions.
 */
export class Tenants {
  readonly #page: StatementSync;
  readonly #given: StatementSync;
  readonly #received: StatementSync;
  readonly #readers: StatementSync;
  readonly #owners: StatementSync;

  constructor(db: DatabaseSync) {
    const live = 'FROM shares s CROSS JOIN names n ON n.id = s.name_id WHERE n.newest IS NOT NULL';
    this.#page = db.prepare(
      'SELECT tenant, frames, bytes FROM tenants WHERE tenant > ? ORDER BY tenant LIMIT ?',
    );
    this.#given = db.prepare(
      `SELECT n.tenant, count(*) AS frames ${live} AND n.tenant BETWEEN ? AND ? GROUP BY n.tenant`,
    );
    this.#received = db.prepare(
      `SELECT s.tenant, count(*) AS frames ${live} AND s.tenant BETWEEN ? AND ? GROUP BY s.tenant`,
    );
    this.#readers = db.prepare(
      `SELECT s.tenant, count(*) AS frames ${live} AND n.tenant = ? GROUP BY s.tenant ORDER BY s.tenant LIMIT ${othersMax}`,
    );
    this.#owners = db.prepare(
      `SELECT n.tenant, count(*) AS frames ${live} AND s.tenant = ? GROUP BY n.tenant ORDER BY n.tenant LIMIT ${othersMax}`,
    );
  }

  tenants(after: string, limit: number): TenantHolding[] {
    const rows = this.#page.all(after, limit) as unknown as UsageRow[];
    const [first] = rows;
    const last = rows.at(-1);
    if (first === undefined || last === undefined) return [];
    const given = countsOf(this.#given.all(first.tenant, last.tenant) as unknown as CountRow[]);
    const received = countsOf(this.#received.all(first.tenant, last.tenant) as unknown as CountRow[]);
    return rows.map(({ tenant, frames, bytes }) => ({
      tenant,
      frames,
      bytes,
      sharesGiven: given.get(tenant) ?? 0,
      sharesReceived: received.get(tenant) ?? 0,
    }));
  }

  tenantShares(tenant: string): TenantShares {
    return { given: sharedWith(this.#readers.all(tenant)), received: sharedWith(this.#owners.all(tenant)) };
  }
}

function countsOf(rows: readonly CountRow[]): ReadonlyMap<string, number> {
  return new Map(rows.map(({ tenant, frames }) => [tenant, frames]));
}

/** Plain objects: SQLite's rows have no prototype, and cannot be compared with what others make. */
function sharedWith(rows: readonly unknown[]): SharedCount[] {
  return (rows as CountRow[]).map(({ tenant, frames }) => ({ tenant, frames }));
}
