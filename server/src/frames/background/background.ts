import type { Leases } from '../leases.ts';
import { collectGarbage } from './collection.ts';
import { evictArrowForms } from './eviction.ts';
import { RepeatedJob } from './repeated-job.ts';
import type { SettlingParts } from './settling.ts';
import { Settling } from './settling.ts';
import { type SqueezeLevels, Squeezing } from './squeezing.ts';

export interface BackgroundOptions {
  readonly settle: boolean;
  /** Bytes that all Arrow forms together may take; null keeps them all. */
  readonly arrowBytesMax: number | null;
  readonly squeeze: SqueezeLevels;
  readonly versionsKeep: number;
  readonly sweepIntervalMs: number;
}

/** How often settling looks for work that no put announced. */
const settleIntervalMs = 60_000;

/**
 * What the server does unasked: settle, evict, squeeze, expire, prune, remove. Squeezing comes last: it waits until everything is settled
 * and evicted, looks before each part whether that is still so, and works on one part at a time.
 */
export class Background {
  readonly #settling: RepeatedJob;
  readonly #squeezing: RepeatedJob;
  readonly #sweeping: RepeatedJob;

  constructor(parts: SettlingParts & { readonly leases: Leases }, options: BackgroundOptions) {
    const { catalog, store, leases, observe, now } = parts;
    const settling = new Settling(parts);
    const squeezing = new Squeezing(parts, options.squeeze);
    let isSettling = false;
    this.#settling = new RepeatedJob(
      async (signal) => {
        isSettling = true;
        try {
          if (options.settle) await settling.run(signal);
          if (options.arrowBytesMax !== null)
            await evictArrowForms(catalog, options.arrowBytesMax, observe, signal);
        } finally {
          isSettling = false;
        }
        await collectGarbage(catalog, store, leases, observe, signal);
        this.#squeezing.nudge();
      },
      settleIntervalMs,
      (error) => observe({ event: 'background-failed', job: 'settle', error }),
    );
    this.#squeezing = new RepeatedJob(
      (signal) =>
        squeezing.run(
          () => !isSettling,
          () => collectGarbage(catalog, store, leases, observe, signal),
          signal,
        ),
      settleIntervalMs,
      (error) => observe({ event: 'background-failed', job: 'squeeze', error }),
    );
    this.#sweeping = new RepeatedJob(
      async (signal) => {
        await catalog.sweep(options.versionsKeep, now());
        await collectGarbage(catalog, store, leases, observe, signal);
      },
      options.sweepIntervalMs,
      (error) => observe({ event: 'background-failed', job: 'sweep', error }),
    );
  }

  start(): void {
    this.#settling.nudge();
    this.#sweeping.nudge();
  }

  /** A put has ended. */
  nudge(): void {
    this.#settling.nudge();
  }

  async close(): Promise<void> {
    await Promise.all([this.#settling.close(), this.#squeezing.close(), this.#sweeping.close()]);
  }
}
