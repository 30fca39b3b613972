import type { Leases } from '../leases.ts';
import type { Observe } from '../observation.ts';
import type { Catalog } from '../ports/catalog.ts';
import type { ObjectStore } from '../ports/object-store.ts';
import { announce } from '../steps.ts';

/** Objects removed between two looks at the catalog. What is leased stays for a later run, and must not hide the rest. */
const pageKeys = 1_000;

/** Removes the objects that nothing refers to and nobody reads. May be repeated at any point. */
export async function collectGarbage(
  catalog: Catalog,
  store: ObjectStore,
  leases: Leases,
  observe: Observe,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const keys = await catalog.garbage(pageKeys);
    const free = keys.filter((key) => !leases.has(key));
    if (free.length === 0) return;
    for (const key of free) {
      await store.remove(key);
      announce('collect:removed');
    }
    await catalog.forget(free);
    announce('collect:forgotten');
    observe({ event: 'objects-removed', count: free.length });
  }
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
