import { MemoryPreparedStatements } from '../cluster/memory-prepared-statements.ts';
import { MemoryQueries } from '../cluster/memory-queries.ts';
import type { Settings } from '../config/settings.ts';
import type { Node } from './node.ts';

/** Loads PostgreSQL, and what nodes share, only where `catalog.url` is set: a server with a disk needs none of it. */
export async function composeNode(settings: Settings, made: AsyncDisposableStack): Promise<Node> {
  if (settings['catalog.url'] !== undefined) {
    const { composeShared } = await import('./shared.ts');
    return await composeShared(settings, made);
  }
  const now = () => Date.now();
  const prepared = new MemoryPreparedStatements({ countMax: settings['sql.prepared_max'] });
  return { id: null, now, queries: new MemoryQueries(now), prepared, shared: null, count: () => 1 };
}
