import type { MakeRoom } from '../disk-room.ts';
import type { Leases } from '../leases.ts';
import type { Observe } from '../observation.ts';
import type { Catalog } from '../ports/catalog/catalog.ts';
import type { ObjectStore } from '../ports/object-store.ts';
import { collectGarbage } from './collection.ts';

const never = new AbortController().signal;

/** Makes room by giving up what is only kept to undo drops, the oldest drop first. */
export function givesUpDropped(
  catalog: Catalog,
  store: ObjectStore,
  leases: Leases,
  observe: Observe,
): MakeRoom {
  return async (lackingBytes) => {
    const released = await catalog.releaseDropped(lackingBytes);
    if (released === null) return false;
    observe({ event: 'dropped-released', ...released });
    await collectGarbage(catalog, store, leases, observe, never);
    return true;
  };
}
