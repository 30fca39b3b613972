import { FrameholdError } from '../errors.ts';
import type { Observe } from '../observation.ts';
import type { CatalogMark, MarkedCatalog, MarkedStore } from '../ports/catalog-mark.ts';
import type { Clock } from '../ports/clock.ts';
import { RepeatedJob } from './repeated-job.ts';

export interface RestoreGuardDependencies {
  readonly catalog: MarkedCatalog;
  readonly store: MarkedStore;
  readonly observe: Observe;
  readonly now: Clock;
}

/**
 * How often the epoch grows. What was changed since the moment to which a catalog was restored is noticed if that moment is at least so long ago; a request
 * to the store each minute costs next to nothing.
 */
const advanceMs = 60_000;

const firstEpoch = 1;

/**
 * `restored`: the store has seen a later state of this catalog. Objects that the catalog does not know may then belong to frames that a better backup brings
 * back, so nothing is removed until an operator decides. `foreign`: the store belongs to another catalog, and is not used at all.
 */
export type GuardState = 'sound' | 'restored' | 'foreign';

/** Compares the marks of the catalog and of the store before anything is removed. */
export class RestoreGuard {
  readonly #dependencies: RestoreGuardDependencies;
  readonly #job: RepeatedJob;
  #state: GuardState = 'sound';

  constructor(dependencies: RestoreGuardDependencies) {
    this.#dependencies = dependencies;
    const { observe } = dependencies;
    this.#job = new RepeatedJob(
      () => this.#advance(),
      advanceMs,
      (error) => observe({ event: 'background-failed', job: 'restore-guard', error }),
    );
  }

  /** As it was when it was last compared. */
  get state(): GuardState {
    return this.#state;
  }

  /** Compares now. Rejects if catalog or store do not answer: then nothing may be removed either. */
  async check(): Promise<GuardState> {
    const { catalog, store } = this.#dependencies;
    // The store first: its mark is never ahead of what the catalog has had.
    const stored = await store.readMark();
    return this.#judge(await catalog.mark(), stored);
  }

  /** The first look, before a node serves. Rejects if the store belongs to another catalog, or if one of them does not answer. */
  async begin(): Promise<void> {
    const { catalog, store } = this.#dependencies;
    const mark = await catalog.mark();
    // A new catalog. Its mark is stored before the epoch grows: later a store without one is another store.
    if (mark.epoch === firstEpoch && (await store.readMark()) === null) await store.writeMark(mark);
    if ((await this.check()) === 'foreign') throw foreignStore();
  }

  start(): void {
    this.#job.nudge();
  }

  async close(): Promise<void> {
    await this.#job.close();
  }

  async #advance(): Promise<void> {
    const { catalog, store, now } = this.#dependencies;
    if ((await this.check()) !== 'sound') return;
    await store.writeMark(await catalog.advance(advanceMs, now()));
  }

  #judge(mark: CatalogMark, stored: CatalogMark | null): GuardState {
    const state = stateOf(mark, stored);
    if (state !== this.#state) {
      this.#state = state;
      this.#dependencies.observe({ event: 'restore-guard', state });
    }
    return state;
  }
}

function stateOf(mark: CatalogMark, stored: CatalogMark | null): GuardState {
  if (stored === null || stored.catalogId !== mark.catalogId) return 'foreign';
  return stored.epoch > mark.epoch ? 'restored' : 'sound';
}

export function foreignStore(): FrameholdError {
  return new FrameholdError('internal', 'The bucket belongs to another catalog.', {
    hint: 'Compare catalog.url and storage.url with those of the other nodes. A new catalog needs an empty bucket or prefix.',
  });
}
