import { join } from 'node:path';
import { openSqliteCatalog } from '../../src/catalog/sqlite/sqlite-catalog.ts';
import { WorkerCodec } from '../../src/compose/codec/worker-codec.ts';
import { AccessGuard } from '../../src/frames/access/access-guard.ts';
import { Audit } from '../../src/frames/access/audit.ts';
import { Collection } from '../../src/frames/background/collection.ts';
import { LeasedWork } from '../../src/frames/background/leased-work.ts';
import { FrameService } from '../../src/frames/frame-service.ts';
import { ArrivingBytes } from '../../src/frames/limits/arriving-bytes.ts';
import { DiskBudget } from '../../src/frames/limits/disk-budget.ts';
import { NotesService } from '../../src/frames/notes/notes-service.ts';
import { ObjectGuard } from '../../src/frames/objects/object-guard.ts';
import { ObjectReader } from '../../src/frames/objects/object-reader.ts';
import type { PutProgress } from '../../src/frames/writing/put.ts';
import type { Clock } from '../../src/model/clock.ts';
import { Admission } from '../../src/model/limits/admission.ts';
import type { TenantQuota } from '../../src/model/limits/tenant-limit-values.ts';
import { TenantSlots } from '../../src/model/limits/tenant-slots.ts';
import type { Catalog } from '../../src/ports/catalog/catalog.ts';
import type { NewHistoryEntry } from '../../src/ports/catalog/queries.ts';
import type { ObjectStore } from '../../src/ports/object-store.ts';
import type { Observation } from '../../src/ports/observation.ts';
import { StatementCache } from '../../src/sql/cache/statement-cache.ts';
import { DiskResultFolders } from '../../src/store/disk-result-folders.ts';
import { DiskStore } from '../../src/store/disk-store.ts';

interface CoreOptions {
  readonly now?: Clock;
  /** How long garbage stays. */
  readonly delayMs?: number;
  readonly renewIntervalMs?: number;
  readonly wrapCatalog?: (catalog: Catalog) => Catalog;
  readonly wrapStore?: (store: ObjectStore) => ObjectStore;
  readonly quotaOf?: (tenant: string) => TenantQuota | null;
  readonly puts?: Admission;
  readonly reads?: Admission;
}

const same = <Thing>(thing: Thing): Thing => thing;
const someAtOnce = new Admission({ what: 'puts', max: 8, queueMax: 8, waitMs: 60_000 });

/** Of a put that nobody watches. */
export const unwatched: PutProgress = {
  step: (work) => work(),
  bytes: { add() {}, addBytes() {}, end() {} },
  onDone() {},
  onEnd() {},
};

/** The core in a folder, with the dependencies that the server gives it, without background and listeners. */
export async function openCore(folder: string, options: CoreOptions = {}) {
  const { wrapCatalog = same, wrapStore = same, quotaOf = () => null, now = () => Date.now() } = options;
  const { puts = someAtOnce, reads = someAtOnce, delayMs = 0, renewIntervalMs = 60_000 } = options;
  const observations: Observation[] = [];
  const catalog = wrapCatalog(await openSqliteCatalog({ path: join(folder, 'catalog.sqlite') }));
  const store = wrapStore(await DiskStore.open(folder, join(folder, 'cold')));
  const codec = new WorkerCodec({
    checkThreads: 1,
    decodeThreads: 1,
    transcodeThreads: 1,
    limits: { batchBytesMax: 2 ** 30, timeMs: 30_000 },
    decodeMemoryBytesMax: 2 * 1024 ** 3,
    compression: { algorithm: 'zstd', level: 3 },
  });
  const observe = (observation: Observation) => void observations.push(observation);
  const diskBudget = new DiskBudget(store.staging, () => 0, observe);
  const guard = new ObjectGuard({ catalog, store, observe, now, onDamage: () => {} });
  const reader = new ObjectReader({ catalog, store, observe, now }, { delayMs, intervalMs: renewIntervalMs });
  const results = new DiskResultFolders(join(folder, 'attempts'));
  const collection = new Collection({ catalog, store, results, observe, now }, delayMs);
  const leases = new LeasedWork(catalog, 'test', now);
  const audit = new Audit(observe);
  const access = new AccessGuard(audit);
  const slots = new TenantSlots('queries', () => null);
  const ended: NewHistoryEntry[] = [];
  const dependencies = {
    catalog,
    store,
    results,
    codec,
    reader,
    collection,
    leases,
    diskBudget,
    guard,
    access,
    audit,
    slots,
    observe,
    now,
    quotaOf,
    kept: new StatementCache(0, observe),
    history: { add: (entry: NewHistoryEntry) => void ended.push(entry) },
  };
  const frames = new FrameService({
    ...dependencies,
    puts,
    reads,
    arriving: new ArrivingBytes({ catalog, quotaOf }),
    undropMs: 86_400_000,
    versionsKeepMax: 1_000,
    onPut: () => {},
  });
  return {
    ...dependencies,
    frames,
    notes: new NotesService({ catalog, frames, access, audit, now }),
    observations,
    /** What was added to the history. */
    ended,
    close: async () => {
      reader.close();
      await codec.close();
      await results.close();
      await catalog.close();
      await store.close();
    },
  };
}
