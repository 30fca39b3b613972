import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { RegisteredNodes } from '../cluster/registered-nodes.ts';
import { SharedPreparedStatements } from '../cluster/shared-prepared-statements.ts';
import { SharedQueries } from '../cluster/shared-queries.ts';
import type { Settings } from '../config/settings.ts';
import { UsageError } from '../config/usage-error.ts';
import { productVersion } from '../config/version.ts';
import { useIdClock } from '../frames/handle.ts';
import type { MarkedCatalog } from '../frames/ports/catalog-mark.ts';
import type { PreparedStatements } from '../frames/ports/prepared-statements.ts';
import type { RunningQueries } from '../frames/ports/running-queries.ts';
import { CatalogClock } from '../postgres/catalog-clock.ts';
import { PostgresMark } from '../postgres/catalog-mark.ts';
import { Database } from '../postgres/database.ts';
import { knownMigrations, migrate } from '../postgres/migrations.ts';
import { databaseOptions } from './catalog-database.ts';

/**
 * What servers with a catalog in PostgreSQL have in common. This file, and what it imports, is loaded only where `catalog.url` is set: a server with a
 * disk needs none of it.
 */
export interface Shared {
  readonly database: Database;
  readonly clock: CatalogClock;
  readonly mark: MarkedCatalog;
  readonly nodes: RegisteredNodes;
  readonly prepared: PreparedStatements;
  readonly queries: RunningQueries;
}

export async function composeShared(settings: Settings, made: AsyncDisposableStack): Promise<Shared> {
  const options = databaseOptions(settings);
  if (options === null) throw new UsageError('catalog.url is not set.');
  await migrate(options);
  const database = made.adopt(new Database(options), (open) => open.close());
  const clock = made.adopt(await CatalogClock.open(database), (open) => open.close());
  // Ids of attempts begin with their time, and the catalog refuses old ones.
  useIdClock(clock.now);
  made.defer(() => useIdClock(() => Date.now()));
  const self = {
    id: settings['node.id'] ?? `${hostname()}-${randomUUID().slice(0, 8)}`,
    advertisedUrl: settings['node.advertised_url'] ?? null,
    httpUrl: settings.public_url ?? null,
    release: productVersion(),
    migration: knownMigrations().length,
  };
  const nodes = made.adopt(await RegisteredNodes.open(database, self, clock.now), (open) => open.close());
  const countMax = settings['sql.prepared_max'];
  const prepared = new SharedPreparedStatements(database, { countMax }, clock.now);
  const queries = made.adopt(await SharedQueries.open({ database, nodes, now: clock.now }), (open) =>
    open.close(),
  );
  return { database, clock, mark: new PostgresMark(database), nodes, prepared, queries };
}
