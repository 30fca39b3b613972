import type { Catalog } from '../../ports/catalog/catalog.ts';
import type { Observe } from '../../ports/observation.ts';
import type { MakeRoom } from '../limits/disk-room.ts';
import type { Collection } from './collection.ts';

const never = new AbortController().signal;

/** Makes room by deleting what is only kept for undropping, the oldest drop first. */
export function roomFromDropped(catalog: Catalog, collection: Collection, observe: Observe): MakeRoom {
  return async (lackingBytes) => {
    const released = await catalog.releaseDropped(lackingBytes);
    if (released === null) return false;
    observe({ event: 'dropped-released', ...released });
    await collection.collect(never);
    return true;
  };
}
