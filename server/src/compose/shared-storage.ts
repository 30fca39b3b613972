import { openPostgresCatalog } from '../catalog/postgres/postgres-catalog.ts';
import type { Settings } from '../config/settings.ts';
import { RestoreGuard } from '../frames/background/restore-guard.ts';
import type { Clock } from '../model/clock.ts';
import type { Observe } from '../ports/observation.ts';
import type { Shared } from './node.ts';
import type { StorageBackend } from './storage-backend.ts';
import { openSharedStore } from './store.ts';

interface SharedDependencies {
  readonly observe: Observe;
  readonly now: Clock;
  readonly shared: Shared;
  readonly onDamage: () => void;
}

/** The catalog in PostgreSQL; the objects in a bucket, or still in the data directory of the only node. */
export async function sharedBacking(
  settings: Settings,
  { observe, now, shared, onDamage }: SharedDependencies,
  made: AsyncDisposableStack,
): Promise<StorageBackend> {
  const { database, identity, nodes } = shared;
  const onLookup = (durationMs: number) => observe({ event: 'catalog-lookup', durationMs });
  const onChange = (attempt: string) => identity.witness(attempt);
  const catalog = made.adopt(await openPostgresCatalog(database, { onDamage, onChange, onLookup }), (open) =>
    open.close(),
  );
  const { store, results, identified, garbageDelayMs } = await openSharedStore(
    settings,
    { catalogId: (await identity.identity()).catalogId, observe },
    made,
  );
  const restoreGuard = made.adopt(
    new RestoreGuard({ catalog: identity, store: identified, observe, now }),
    (open) => open.close(),
  );
  return { catalog, store, results, owner: nodes.self.id, garbageDelayMs, restoreGuard };
}
