import type { Settings } from '../config/settings.ts';
import { UsageError } from '../config/usage-error.ts';

import { CatalogClock } from '../postgres/catalog-clock.ts';
import { Database } from '../postgres/database.ts';
import { migrate } from '../postgres/migrations.ts';
import { PostgresIdentity } from '../postgres/postgres-identity.ts';
import { databaseOptions } from './catalog-database.ts';

/** The catalog in PostgreSQL, for a node or for a command beside nodes. */
export interface CatalogAccess {
  readonly database: Database;
  readonly clock: CatalogClock;
  readonly identity: PostgresIdentity;
}

/** What a command needs other than a node. */
export interface AccessOptions {
  readonly connectionsMax?: number;
  /** For a statement. */
  readonly timeoutMs?: number;
}

/** Its tables are brought up to date. */
export async function composeCatalogAccess(
  settings: Settings,
  made: AsyncDisposableStack,
  different: AccessOptions = {},
): Promise<CatalogAccess> {
  const options = databaseOptions(settings);
  if (options === null) throw new UsageError('This needs catalog.url, and storage.url for a bucket.');
  await migrate(options);
  const database = made.adopt(
    new Database({ ...options, connectMs: options.timeoutMs, ...different }),
    (open) => open.close(),
  );
  const clock = made.adopt(await CatalogClock.open(database), (open) => open.close());
  return { database, clock, identity: new PostgresIdentity(database) };
}

/** Commands do a few things at a time. */
export const forCommand: AccessOptions = { connectionsMax: 4 };
