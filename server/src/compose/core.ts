import type { Settings } from '../config/settings.ts';
import { WorkerRenderer } from '../encode/renderer.ts';
import { spaceFromDropped } from '../frames/background/space-from-dropped.ts';
import { DiskBudget } from '../frames/limits/disk-budget.ts';
import { ObjectGuard } from '../frames/objects/object-guard.ts';
import { PartTranscoding } from '../frames/parts/part-transcoding.ts';
import { GuardedRenderer } from '../frames/reading/guarded-renderer.ts';
import type { Clock } from '../model/clock.ts';
import type { Codec } from '../ports/codec.ts';
import type { Observe } from '../ports/observation.ts';
import type { ParquetJoiner } from '../ports/parquet-joiner.ts';
import type { Renderer } from '../ports/renderer.ts';
import type { ThreadPool } from '../workers/thread-pool.ts';
import { WorkerCodec } from './codec/worker-codec.ts';
import type { Storage } from './storage.ts';
import { renderPools } from './workers/worker-pools.ts';

/** What putting, reading, SQL and the background work with. */
export interface Core extends Storage {
  readonly codec: Codec;
  readonly renderer: Renderer;
  readonly joiner: ParquetJoiner;
  readonly diskBudget: DiskBudget;
  readonly guard: ObjectGuard;
  readonly transcoding: PartTranscoding;
  /** Of the codec and the renderer. */
  readonly pools: readonly ThreadPool[];
  readonly observe: Observe;
  readonly now: Clock;
}

interface CoreDependencies extends Storage {
  readonly onDamage: () => void;
  readonly observe: Observe;
  readonly now: Clock;
}

/** Up to this level of zstd, transcoding takes at most about twice the time of level 1, above it up to thirty times (docs/figures/files.md). */
const quickLevelMax = 9;

export function composeCore(
  settings: Settings,
  dependencies: CoreDependencies,
  made: AsyncDisposableStack,
): Core {
  const { catalog, store, collection, observe } = dependencies;
  const codec = made.adopt(workerCodec(settings), (open) => open.close());
  // The room for objects in a bucket is not on this disk.
  const makeRoom =
    settings['storage.url'] === undefined ? spaceFromDropped(catalog, collection, observe) : undefined;
  const diskBudget = new DiskBudget(
    store.staging,
    () => settings['storage.reserve_bytes'],
    observe,
    makeRoom,
  );
  const guard = new ObjectGuard(dependencies);
  const workers = new WorkerRenderer(
    renderPools({
      threads: settings['render.threads'],
      // A job mostly waits for its reader. Slow readers must not keep others out, so the limit of reads is the one that counts.
      jobsPerThread: settings['frames.reads_max'],
    }),
  );
  const renderer = made.adopt(new GuardedRenderer(workers, guard), (open) => open.close());
  const pools = [...codec.pools, ...workers.pools];
  const isBackgroundSlow = settings['compression.level'] > quickLevelMax;
  const transcoding = new PartTranscoding(
    { ...dependencies, codec, guard, diskBudget },
    { isBackgroundSlow },
  );
  return { ...dependencies, codec, renderer, joiner: workers, diskBudget, guard, transcoding, pools };
}

function workerCodec(settings: Settings): WorkerCodec {
  return new WorkerCodec({
    checkThreads: settings['decode.threads'],
    decodeThreads: settings['decode.threads'],
    transcodeThreads: Math.max(1, settings['transcode.threads']),
    limits: {
      batchBytesMax: settings['frames.batch_bytes_max'],
      timeMs: settings['decode.time_ms_max'],
    },
    decodeMemoryBytesMax: settings['decode.memory_bytes_max'],
    compression: { algorithm: settings['compression.algorithm'], level: settings['compression.level'] },
  });
}
