import { join } from 'node:path';
import { openSqliteCatalog } from '../../src/catalog/sqlite/sqlite-catalog.ts';
import { Admission } from '../../src/frames/admission.ts';
import { ClaimedWork } from '../../src/frames/background/claimed-work.ts';
import { Collection } from '../../src/frames/background/collection.ts';
import { DiskRoom } from '../../src/frames/disk-room.ts';
import { FrameService } from '../../src/frames/frame-service.ts';
import { ObjectGuard } from '../../src/frames/object-guard.ts';
import { ObjectReader } from '../../src/frames/object-reader.ts';
import type { Observation } from '../../src/frames/observation.ts';
import type { Catalog } from '../../src/frames/ports/catalog/catalog.ts';
import type { Clock } from '../../src/frames/ports/clock.ts';
import type { ObjectStore } from '../../src/frames/ports/object-store.ts';
import { WorkerCodec } from '../../src/settle/worker-codec.ts';
import { DiskStore } from '../../src/store/disk-store.ts';

interface CoreOptions {
  readonly now?: Clock;
  /** How long garbage stays. */
  readonly delayMs?: number;
  readonly renewIntervalMs?: number;
  readonly wrapCatalog?: (catalog: Catalog) => Catalog;
  readonly wrapStore?: (store: ObjectStore) => ObjectStore;
}

const same = <Thing>(thing: Thing): Thing => thing;

/** The core with its real parts in a folder, as compose.ts makes them, without background and listeners. */
export async function openCore(
  folder: string,
  {
    wrapCatalog = same,
    wrapStore = same,
    now = () => Date.now(),
    delayMs = 0,
    renewIntervalMs = 60_000,
  }: CoreOptions = {},
) {
  const observations: Observation[] = [];
  const catalog = wrapCatalog(await openSqliteCatalog({ path: join(folder, 'catalog.sqlite') }));
  const store = wrapStore(await DiskStore.open(folder, join(folder, 'cold')));
  const codec = new WorkerCodec({
    checkThreads: 1,
    decodeThreads: 1,
    settleThreads: 1,
    limits: { batchBytesMax: 2 ** 30, timeMs: 30_000 },
    decodeMemoryBytesMax: 2 * 1024 ** 3,
    compression: 'zstd',
  });
  const observe = (observation: Observation) => void observations.push(observation);
  const room = new DiskRoom(store.staging, () => 0, observe);
  const guard = new ObjectGuard({ catalog, store, observe, now, onDamage: () => {} });
  const reader = new ObjectReader({ catalog, store, observe, now }, { delayMs, intervalMs: renewIntervalMs });
  const collection = new Collection({ catalog, store, observe, now }, delayMs);
  const claims = new ClaimedWork(catalog, 'test', now);
  const parts = {
    catalog,
    store,
    codec,
    reader,
    collection,
    claims,
    room,
    guard,
    observe,
    now,
    quotaOf: () => null,
  };
  const admission = new Admission({ what: 'puts', max: 8, queueMax: 8, waitMs: 60_000 });
  const frames = new FrameService({
    ...parts,
    puts: admission,
    reads: admission,
    undropMs: 86_400_000,
    onPut: () => {},
  });
  return {
    ...parts,
    frames,
    observations,
    close: async () => {
      reader.close();
      await codec.close();
      await catalog.close();
      await store.close();
    },
  };
}
