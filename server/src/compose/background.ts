import type { Settings } from '../config/settings.ts';
import { Background, type BackgroundOptions } from '../frames/background/background.ts';
import { DamageReview, type DamageReviewOptions } from '../frames/background/damage-review.ts';
import { Scrub } from '../frames/background/scrub.ts';
import type { Core } from './core.ts';

const bytesPerGigabyte = 1e9;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** What the server does by itself. It begins with `start`. */
export interface BackgroundWork {
  start(): void;
  /** There may be something to do. */
  nudge(): void;
  /** At once, before the last requests have ended: they need the machine, and other nodes take the work on. Resolves when nothing is under way. */
  stop(): Promise<void>;
}

export function composeBackground(
  settings: Settings,
  core: Core,
  made: AsyncDisposableStack,
): BackgroundWork {
  const background = made.adopt(new Background(core, backgroundOptions(settings)), (open) => open.close());
  const scrub = composeScrub(settings, core, made);
  const review = made.adopt(new DamageReview(core, reviewOptions(settings)), (open) => open.close());
  return {
    start: () => {
      background.start();
      scrub?.start();
      review.start();
    },
    nudge: () => background.nudge(),
    stop: async () => void (await Promise.all([background.close(), scrub?.close(), review.close()])),
  };
}

function composeScrub(settings: Settings, core: Core, made: AsyncDisposableStack): Scrub | null {
  const intervalMs = settings['scrub.interval_hours'] * hourMs;
  if (intervalMs === 0) return null;
  const { observe, leases, now } = core;
  const bytesPerSecond = settings['scrub.bytes_per_second'];
  const options = { intervalMs, bytesPerSecond, observe, leases, now };
  return made.adopt(new Scrub(core, options), (open) => open.close());
}

function reviewOptions(settings: Settings): DamageReviewOptions {
  return {
    bytesPerSecond: settings['scrub.bytes_per_second'],
    removes: settings['storage.url'] !== undefined,
  };
}

function backgroundOptions(settings: Settings): BackgroundOptions {
  const cacheGigabytes = settings['storage.cache_size_gb'];
  const keepDays = settings['frames.versions_keep_days'];
  return {
    transcode: settings['transcode.threads'] > 0,
    // In a bucket the Arrow forms are everyone's: the setting of one node must not remove them. There it limits the node's copies.
    arrowBytesMax:
      cacheGigabytes === undefined || settings['storage.url'] !== undefined
        ? null
        : cacheGigabytes * bytesPerGigabyte,
    recompressionLevel: recompressionLevel(settings),
    versionsKeep: settings['frames.versions_keep'],
    versionsKeepMs: keepDays === undefined ? null : keepDays * dayMs,
    sweepIntervalMs: settings['jobs.sweep_interval_ms'],
  };
}

/** Arrow knows zstd and LZ4 only: any algorithm for Parquet means that compression is wanted. */
function recompressionLevel(settings: Settings): number | null {
  const isWanted = settings['transcode.threads'] > 0 && settings['compression.algorithm'] !== 'none';
  return isWanted ? settings['compression.level'] : null;
}
