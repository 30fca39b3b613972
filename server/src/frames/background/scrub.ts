import type { Clock } from '../../model/clock.ts';
import type { StoredObject } from '../../model/version.ts';
import type { IntegrityCatalog } from '../../ports/catalog/integrity.ts';
import type { ObjectFault, ObjectStore } from '../../ports/object-store.ts';
import type { Observe } from '../../ports/observation.ts';
import type { ObjectGuard } from '../objects/object-guard.ts';
import type { LeasedWork } from './leased-work.ts';
import { RepeatedJob } from './repeated-job.ts';

export interface ScrubDependencies {
  readonly catalog: IntegrityCatalog;
  readonly store: ObjectStore;
  readonly guard: ObjectGuard;
}

/** Objects checked for each page of the catalog. */
const pageObjects = 16;
/** How often the server checks whether a scrub is due. It is late by at most this. */
const lookIntervalMs = 3_600_000;

export interface CheckedPage {
  readonly objects: readonly StoredObject[];
  readonly faults: readonly FoundFault[];
}

export interface FoundFault extends ObjectFault {
  /** Versions that use it, as `tenant/name@1,2`. */
  readonly frames: readonly string[];
  /** Another form is read instead. Otherwise reads of these versions fail. */
  readonly recovered: boolean;
}

/** Reads every object that parts have and compares it, page by page; faults are recorded in the catalog before the page is returned. */
export async function* checkObjects(
  { catalog, store, guard }: ScrubDependencies,
  after: string | null,
  bytesPerSecond: number | null,
  signal: AbortSignal,
): AsyncGenerator<CheckedPage, void, void> {
  for (let last = after; ; ) {
    const objects = await catalog.objects(last, pageObjects);
    last = objects.at(-1)?.key ?? null;
    if (last === null) return;
    const faults: FoundFault[] = [];
    for (const object of objects) {
      const [fault] = await store.verify([object], { bytesPerSecond, signal });
      if (fault === undefined) await guard.clear(object.key);
      else {
        const damage = await guard.report(fault);
        // Objects that were removed in the meantime are missing, which is not a fault.
        if (damage !== null) faults.push({ ...fault, frames: damage.frames, recovered: damage.recovered });
      }
    }
    yield { objects, faults };
  }
}

export interface ScrubOptions {
  readonly intervalMs: number;
  readonly bytesPerSecond: number;
  readonly observe: Observe;
  readonly leases: LeasedWork;
  readonly now: Clock;
}

/** The server's own check of everything it keeps: it begins when one is due, and continues after an interruption. */
export class Scrub {
  readonly #dependencies: ScrubDependencies;
  readonly #options: ScrubOptions;
  readonly #job: RepeatedJob;

  constructor(dependencies: ScrubDependencies, options: ScrubOptions) {
    this.#dependencies = dependencies;
    this.#options = options;
    this.#job = new RepeatedJob(
      (signal) => options.leases.once('scrub', () => this.#run(signal)),
      Math.min(lookIntervalMs, options.intervalMs),
      (error) => options.observe({ event: 'background-failed', job: 'scrub', error }),
    );
  }

  start(): void {
    this.#job.nudge();
  }

  close(): Promise<void> {
    return this.#job.close();
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { catalog } = this.#dependencies;
    const { intervalMs, bytesPerSecond, observe, now } = this.#options;
    const { after, finishedAt } = await catalog.scrubState();
    // A new directory has just been written: its first check is due after the interval too.
    if (finishedAt === null) return catalog.saveScrubState({ after: null, finishedAt: now() });
    if (after === null && now() < finishedAt + intervalMs) return;
    let [count, bytes, damaged] = [0, 0, 0];
    for await (const { objects, faults } of checkObjects(this.#dependencies, after, bytesPerSecond, signal)) {
      count += objects.length;
      bytes += objects.reduce((sum, object) => sum + object.bytes, 0);
      damaged += faults.length;
      await catalog.saveScrubState({ after: objects.at(-1)?.key ?? null, finishedAt });
    }
    await catalog.saveScrubState({ after: null, finishedAt: now() });
    observe({ event: 'scrubbed', objects: count, bytes, damaged });
  }
}
