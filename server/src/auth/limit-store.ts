import type { DatabaseSync } from 'node:sqlite';
import { isLimitName, type LimitChanges, type SetLimits } from '../model/limits/tenant-limit-values.ts';
import { limitedTenantsMax, tooManyLimits } from './bounds.ts';

/** Limits that were set for single tenants, one row each. A server that does not know the table works as before. */
const layout = `
CREATE TABLE IF NOT EXISTS tenant_limits (
  tenant TEXT NOT NULL,
  name TEXT NOT NULL,
  value INTEGER NOT NULL,
  PRIMARY KEY (tenant, name)
) STRICT, WITHOUT ROWID;
`;

interface LimitRow {
  readonly tenant: string;
  readonly name: string;
  readonly value: number;
}

/** In the file of the credentials, which the command line changes while a server reads it. */
export class LimitStore {
  readonly #db: DatabaseSync;

  constructor(db: DatabaseSync) {
    this.#db = db;
    db.exec(layout);
  }

  all(): ReadonlyMap<string, SetLimits> {
    const limits = new Map<string, SetLimits>();
    // A newer server may know more of them.
    for (const { tenant, name, value } of this.#rows('SELECT * FROM tenant_limits'))
      if (isLimitName(name)) limits.set(tenant, { ...limits.get(tenant), [name]: value });
    return limits;
  }

  /** null restores the server's limit. All of the changes, or none. */
  set(tenant: string, changes: LimitChanges): void {
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      this.#checkRoom(tenant);
      for (const [name, value] of Object.entries(changes)) {
        if (value === null)
          this.#db.prepare('DELETE FROM tenant_limits WHERE tenant = ? AND name = ?').run(tenant, name);
        else
          this.#db.prepare('INSERT OR REPLACE INTO tenant_limits VALUES (?, ?, ?)').run(tenant, name, value);
      }
      this.#db.exec('COMMIT');
    } catch (error) {
      this.#db.exec('ROLLBACK');
      throw error;
    }
  }

  #checkRoom(tenant: string): void {
    const [row] = this.#db
      .prepare('SELECT count(DISTINCT tenant) AS count FROM tenant_limits WHERE tenant <> ?')
      .all(tenant) as { count: number }[];
    if ((row?.count ?? 0) >= limitedTenantsMax) throw tooManyLimits();
  }

  #rows(query: string): readonly LimitRow[] {
    return this.#db.prepare(query).all() as unknown as LimitRow[];
  }
}
