import type { Catalog } from '../../ports/catalog/catalog.ts';
import type { Observe } from '../../ports/observation.ts';
import type { FreeSpace } from '../limits/disk-budget.ts';
import type { Collection } from './collection.ts';

const never = new AbortController().signal;

/** Makes room by deleting what is only kept for undropping, the oldest drop first. */
export function spaceFromDropped(catalog: Catalog, collection: Collection, observe: Observe): FreeSpace {
  return async (lackingBytes) => {
    const released = await catalog.releaseDropped(lackingBytes);
    if (released === null) return false;
    observe({ event: 'dropped-released', ...released });
    await collection.collect(never);
    return true;
  };
}
