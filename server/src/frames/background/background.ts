import { expiredFrame } from '../access/audit.ts';
import type { PartTranscoding, TranscodingDependencies } from '../parts/part-transcoding.ts';
import type { Collection } from './collection.ts';
import { Compaction } from './compaction.ts';
import { evictArrowForms } from './eviction.ts';
import type { LeasedWork } from './leased-work.ts';
import { Recompression } from './recompression.ts';
import { RepeatedJob } from './repeated-job.ts';
import { Transcoding } from './transcoding.ts';

export interface BackgroundDependencies extends TranscodingDependencies {
  readonly transcoding: PartTranscoding;
  readonly collection: Collection;
  readonly leases: LeasedWork;
}

export interface BackgroundOptions {
  readonly transcode: boolean;
  /** Bytes that all Arrow forms together may take; null keeps them all. */
  readonly arrowBytesMax: number | null;
  /** Level of zstd for Arrow forms that stay for good; null leaves them as they are. */
  readonly recompressionLevel: number | null;
  readonly versionsKeep: number;
  /** Older versions are removed, except the newest; null keeps them. */
  readonly versionsKeepMs: number | null;
  readonly sweepIntervalMs: number;
}

/** How often transcoding looks for work that no put announced. */
const transcodeIntervalMs = 60_000;
/** Every sweep announces work; this is for what failed. */
const compactionIntervalMs = 60_000;
/** Rare, because every object is listed. Orphans are rare, too: a change was interrupted between store and catalog. */
const orphanIntervalMs = 24 * 3_600_000;

/**
 * What the server does by itself: transcode, compact, evict, recompress, expire, prune, remove. Recompression comes last: it waits until everything is transcoded
 * and evicted, checks that again before each part, and works on one part at a time.
 */
export class Background {
  readonly #transcoding: RepeatedJob;
  readonly #compacting: RepeatedJob;
  readonly #recompression: RepeatedJob;
  readonly #sweeping: RepeatedJob;
  readonly #orphans: RepeatedJob;

  constructor(dependencies: BackgroundDependencies, options: BackgroundOptions) {
    const { catalog, leases, collection, guard, diskBudget, observe, now } = dependencies;
    const transcoding = new Transcoding(dependencies);
    const recompression = new Recompression(dependencies, options.recompressionLevel);
    const evict = async (signal: AbortSignal): Promise<void> => {
      if (options.arrowBytesMax === null) return;
      await evictArrowForms(catalog, guard, options.arrowBytesMax, observe, signal);
    };
    let paused = false;
    let isTranscoding = false;
    this.#transcoding = new RepeatedJob(
      async (signal) => {
        isTranscoding = true;
        try {
          // After each part: while puts outrun transcoding there is no end to wait for.
          paused = options.transcode && (await transcoding.run(signal, () => evict(signal))) === 'disk-full';
          await evict(signal);
        } finally {
          isTranscoding = false;
        }
        await collection.collect(signal);
        this.#recompression.nudge();
      },
      transcodeIntervalMs,
      (error) => observe({ event: 'background-failed', job: 'settle', error }),
    );
    const compacting = new Compaction(dependencies);
    this.#compacting = new RepeatedJob(
      async (signal) => {
        if ((await compacting.run(signal)) === 0) return;
        await collection.collect(signal);
        this.#transcoding.nudge();
      },
      compactionIntervalMs,
      (error) => observe({ event: 'background-failed', job: 'merge', error }),
    );
    this.#recompression = new RepeatedJob(
      (signal) =>
        recompression.run(
          () => !isTranscoding,
          () => collection.collect(signal),
          signal,
        ),
      transcodeIntervalMs,
      (error) => observe({ event: 'background-failed', job: 'squeeze', error }),
    );
    this.#sweeping = new RepeatedJob(
      async (signal) => {
        const since = options.versionsKeepMs === null ? null : now() - options.versionsKeepMs;
        await leases.once('sweep', () =>
          catalog.sweep(options.versionsKeep, since, now(), (tenant, name) =>
            observe(expiredFrame(tenant, name)),
          ),
        );
        // Parts that only removed versions kept apart can now be compacted.
        this.#compacting.nudge();
        await collection.collect(signal);
        await diskBudget.look();
        // Something may just have made room; if not, looking is cheap.
        if (paused) this.#transcoding.nudge();
      },
      options.sweepIntervalMs,
      (error) => observe({ event: 'background-failed', job: 'sweep', error }),
    );
    this.#orphans = new RepeatedJob(
      (signal) => leases.once('orphans', () => collection.removeOrphans(signal)),
      orphanIntervalMs,
      (error) => observe({ event: 'background-failed', job: 'orphans', error }),
    );
  }

  start(): void {
    this.#transcoding.nudge();
    this.#sweeping.nudge();
    this.#orphans.nudge();
  }

  /** A put has ended. */
  nudge(): void {
    this.#transcoding.nudge();
  }

  async close(): Promise<void> {
    const jobs = [this.#transcoding, this.#compacting, this.#recompression, this.#sweeping, this.#orphans];
    await Promise.all(jobs.map((job) => job.close()));
  }
}
