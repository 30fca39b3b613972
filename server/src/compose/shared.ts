import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { RegisteredNodes } from '../cluster/registered-nodes.ts';
import { SharedPreparedStatements } from '../cluster/shared-prepared-statements.ts';
import { SharedQueries } from '../cluster/shared-queries.ts';
import type { Settings } from '../config/settings.ts';
import { productVersion } from '../config/version.ts';
import { useIdClock } from '../model/handle.ts';
import { knownMigrations, newestOf } from '../postgres/migrations.ts';
import { composeCatalogAccess } from './catalog-access.ts';
import type { Node } from './node.ts';

/** A node with a catalog in PostgreSQL. */
export async function composeShared(settings: Settings, made: AsyncDisposableStack): Promise<Node> {
  const access = await composeCatalogAccess(settings, made);
  const { database, clock } = access;
  const { now } = clock;
  // Ids of attempts begin with their time, and the catalog refuses old ones.
  useIdClock(now);
  made.defer(() => useIdClock(() => Date.now()));
  const self = {
    id: settings['node.id'] ?? `${hostname()}-${randomUUID().slice(0, 8)}`,
    advertisedUrl: settings['node.advertised_url'] ?? null,
    httpUrl: settings.public_url ?? null,
    release: productVersion(),
    migration: newestOf(knownMigrations()),
  };
  const nodes = made.adopt(await RegisteredNodes.open(database, self, now), (open) => open.close());
  const queries = made.adopt(await SharedQueries.open({ database, nodes, now }), (open) => open.close());
  const countMax = settings['sql.prepared_max'];
  const prepared = new SharedPreparedStatements(database, { countMax }, now);
  const shared = { ...access, nodes };
  return { id: nodes.self.id, now, queries, prepared, shared, count: () => nodes.live().length };
}
