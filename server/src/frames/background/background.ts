import { expiredFrame } from '../access/audit.ts';
import type { PartSettling, SettlingDependencies } from '../parts/part-settling.ts';
import type { ClaimedWork } from './claimed-work.ts';
import type { Collection } from './collection.ts';
import { evictArrowForms } from './eviction.ts';
import { Merging } from './merging.ts';
import { RepeatedJob } from './repeated-job.ts';
import { Settling } from './settling.ts';
import { type SqueezeLevels, Squeezing } from './squeezing.ts';

export interface BackgroundDependencies extends SettlingDependencies {
  readonly settling: PartSettling;
  readonly collection: Collection;
  readonly claims: ClaimedWork;
}

export interface BackgroundOptions {
  readonly settle: boolean;
  /** Bytes that all Arrow forms together may take; null keeps them all. */
  readonly arrowBytesMax: number | null;
  readonly squeeze: SqueezeLevels;
  readonly versionsKeep: number;
  /** Older versions are removed, except the newest; null keeps them. */
  readonly versionsKeepMs: number | null;
  readonly sweepIntervalMs: number;
}

/** How often settling looks for work that no put announced. */
const settleIntervalMs = 60_000;
/** Every sweep announces work; this is for what failed. */
const mergeIntervalMs = 60_000;
/** Rare, because every object is listed. Orphans are rare, too: a change was interrupted between store and catalog. */
const orphanIntervalMs = 24 * 3_600_000;

/**
 * What the server does by itself: settle, merge, evict, squeeze, expire, prune, remove. Squeezing comes last: it waits until everything is settled
 * and evicted, checks that again before each part, and works on one part at a time.
 */
export class Background {
  readonly #settling: RepeatedJob;
  readonly #merging: RepeatedJob;
  readonly #squeezing: RepeatedJob;
  readonly #sweeping: RepeatedJob;
  readonly #orphans: RepeatedJob;

  constructor(dependencies: BackgroundDependencies, options: BackgroundOptions) {
    const { catalog, claims, collection, guard, room, observe, now } = dependencies;
    const settling = new Settling(dependencies);
    const squeezing = new Squeezing(dependencies, options.squeeze);
    const evict = async (signal: AbortSignal): Promise<void> => {
      if (options.arrowBytesMax === null) return;
      await evictArrowForms(catalog, guard, options.arrowBytesMax, observe, signal);
    };
    let paused = false;
    let isSettling = false;
    this.#settling = new RepeatedJob(
      async (signal) => {
        isSettling = true;
        try {
          // After each part: while puts outrun settling there is no end to wait for.
          paused = options.settle && (await settling.run(signal, () => evict(signal))) === 'no-room';
          await evict(signal);
        } finally {
          isSettling = false;
        }
        await collection.collect(signal);
        this.#squeezing.nudge();
      },
      settleIntervalMs,
      (error) => observe({ event: 'background-failed', job: 'settle', error }),
    );
    const merging = new Merging(dependencies);
    this.#merging = new RepeatedJob(
      async (signal) => {
        if ((await merging.run(signal)) === 0) return;
        await collection.collect(signal);
        this.#settling.nudge();
      },
      mergeIntervalMs,
      (error) => observe({ event: 'background-failed', job: 'merge', error }),
    );
    this.#squeezing = new RepeatedJob(
      (signal) =>
        squeezing.run(
          () => !isSettling,
          () => collection.collect(signal),
          signal,
        ),
      settleIntervalMs,
      (error) => observe({ event: 'background-failed', job: 'squeeze', error }),
    );
    this.#sweeping = new RepeatedJob(
      async (signal) => {
        const since = options.versionsKeepMs === null ? null : now() - options.versionsKeepMs;
        await claims.once('sweep', () =>
          catalog.sweep(options.versionsKeep, since, now(), (tenant, name) =>
            observe(expiredFrame(tenant, name)),
          ),
        );
        // Parts that only removed versions kept apart can now be merged.
        this.#merging.nudge();
        await collection.collect(signal);
        await room.look();
        // Something may just have made room; if not, looking is cheap.
        if (paused) this.#settling.nudge();
      },
      options.sweepIntervalMs,
      (error) => observe({ event: 'background-failed', job: 'sweep', error }),
    );
    this.#orphans = new RepeatedJob(
      (signal) => claims.once('orphans', () => collection.removeOrphans(signal)),
      orphanIntervalMs,
      (error) => observe({ event: 'background-failed', job: 'orphans', error }),
    );
  }

  start(): void {
    this.#settling.nudge();
    this.#sweeping.nudge();
    this.#orphans.nudge();
  }

  /** A put has ended. */
  nudge(): void {
    this.#settling.nudge();
  }

  async close(): Promise<void> {
    const jobs = [this.#settling, this.#merging, this.#squeezing, this.#sweeping, this.#orphans];
    await Promise.all(jobs.map((job) => job.close()));
  }
}
