import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { TenantUsage } from '../../../ports/catalog/versions.ts';

/** What each tenant holds, read out of the file while a server may be using it: nothing is changed, and no writer waits for it. */
export function readUsage(path: string): ReadonlyMap<string, TenantUsage> {
  if (!existsSync(path)) return new Map();
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    db.exec('PRAGMA busy_timeout = 5000');
    // Written by a version that did not count yet: the next start does.
    if (db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'tenants'").get() === undefined)
      return new Map();
    const rows = db.prepare('SELECT tenant, frames, bytes FROM tenants').all();
    return new Map(
      (rows as unknown as (TenantUsage & { tenant: string })[]).map(({ tenant, frames, bytes }) => [
        tenant,
        { frames, bytes },
      ]),
    );
  } finally {
    db.close();
  }
}
