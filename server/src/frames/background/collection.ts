import type { Leases } from '../leases.ts';
import type { Observe } from '../observation.ts';
import type { Catalog } from '../ports/catalog/catalog.ts';
import type { ObjectStore } from '../ports/object-store.ts';
import { announce } from '../steps.ts';

/** Objects removed between two looks at the catalog. */
const pageKeys = 1_000;

/**
 * Removes the objects that nothing refers to and nobody reads. May be repeated at any point. An object that is leased, or that cannot be
 * removed, waits for a later run and holds up no other.
 */
export async function collectGarbage(
  catalog: Catalog,
  store: ObjectStore,
  leases: Leases,
  observe: Observe,
  signal: AbortSignal,
): Promise<void> {
  let failure: { readonly error: unknown } | null = null;
  for (let after: string | null = null; !signal.aborted; ) {
    const keys = await catalog.garbage(after, pageKeys);
    after = keys.at(-1) ?? null;
    if (after === null) break;
    const removed: string[] = [];
    for (const key of keys) {
      if (leases.has(key)) continue;
      try {
        await store.remove(key);
        removed.push(key);
        announce('collect:removed');
      } catch (error) {
        failure ??= { error };
      }
    }
    if (removed.length === 0) continue;
    await catalog.forget(removed);
    announce('collect:forgotten');
    observe({ event: 'objects-removed', count: removed.length });
  }
  // One line a run: a store that is away would otherwise fill the log.
  if (failure !== null) observe({ event: 'background-failed', job: 'collect', error: failure.error });
}

/** Removes stored objects that the catalog never heard of: puts that were cut off between store and catalog. Only before the first put. */
export async function removeOrphans(catalog: Catalog, store: ObjectStore, observe: Observe): Promise<void> {
  let count = 0;
  for await (const keys of store.list()) {
    const known = new Set(await catalog.known(keys));
    for (const key of keys) {
      if (known.has(key)) continue;
      await store.remove(key);
      announce('start:orphan-removed');
      count += 1;
    }
  }
  if (count > 0) observe({ event: 'orphans-removed', count });
}
