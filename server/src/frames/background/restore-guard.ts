import type { Clock } from '../../model/clock.ts';
import { FrameholdError } from '../../model/errors.ts';
import type { ClusterIdentity, IdentifiedCatalog, IdentifiedStore } from '../../ports/cluster-identity.ts';
import type { Observe } from '../../ports/observation.ts';
import { RepeatedJob } from './repeated-job.ts';

export interface RestoreGuardDependencies {
  readonly catalog: IdentifiedCatalog;
  readonly store: IdentifiedStore;
  readonly observe: Observe;
  readonly now: Clock;
}

/**
 * How often the epoch grows. If no node has lived on, a restored catalog is noticed if the moment to which it was restored is at least so long ago; a request
 * to the store each minute costs next to nothing.
 */
const advanceMs = 60_000;
/** A node that could not start its work because the store did not answer does so soon after it does. */
const lookMs = 5_000;

/** Of an identity that is not the catalog's. */
const readsMax = 3;

const firstEpoch = 1;
/** Other nodes that have not noticed yet add one at a time. */
const alarmStep = 1_000;

/**
 * `restored`: the store has seen a later state of this catalog, or a node has: it misses a change that it has made. Objects that the catalog does not know may then belong to frames that a better backup brings
 * back, so nothing is removed until an operator decides. `foreign`: the store belongs to another catalog, and is not used at all.
 */
export type GuardState = 'sound' | 'restored' | 'foreign';

/** Compares the identities of the catalog and of the store before anything is removed. */
export class RestoreGuard {
  readonly #dependencies: RestoreGuardDependencies;
  readonly #job: RepeatedJob;
  #state: GuardState = 'sound';
  #hasBegun = false;
  /** What the store's identity says if this node has missed a change. */
  #alarmEpoch: number | null = null;
  #onBegun: () => void = () => {};

  constructor(dependencies: RestoreGuardDependencies) {
    this.#dependencies = dependencies;
    const { observe } = dependencies;
    this.#job = new RepeatedJob(
      () => this.look(),
      lookMs,
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
    for (let reads = 1; ; reads++) {
      // The store first: its identity is never ahead of what the catalog has had.
      const stored = await store.readIdentity();
      const identity = await catalog.identity();
      // A few bytes that nothing compares: they may have changed on their way.
      if (reads === readsMax || stateOf(identity, stored) === 'sound') return this.#judge(identity, stored);
    }
  }

  /** Compares again and again, first until both have answered once: then `onBegun` is called. */
  start(onBegun: () => void): void {
    this.#onBegun = onBegun;
    this.#job.nudge();
  }

  /** Throws until the store has answered and is the right one. */
  checkBegun(): void {
    if (this.#state === 'foreign') throw foreignStore();
    if (!this.#hasBegun)
      throw new FrameholdError('unavailable', 'The object store has not answered since this node started.', {
        hint: 'Check its address and credentials. The log has the cause.',
      });
  }

  async close(): Promise<void> {
    await this.#job.close();
  }

  /** Compares, raises the alarm if this node misses a change, and lets the epoch grow. */
  async look(): Promise<void> {
    if (!this.#hasBegun) await this.#begin();
    const { catalog, store, now } = this.#dependencies;
    if ((await this.check()) !== 'sound') return;
    const before = await catalog.identity();
    if (this.#alarmEpoch !== null && before.epoch >= this.#alarmEpoch) {
      // An operator has accepted it.
      this.#alarmEpoch = null;
      catalog.acceptLoss();
    }
    if (await catalog.hasLost()) {
      // Again, if a node that has not noticed wrote its own identity over it.
      this.#alarmEpoch ??= before.epoch + alarmStep;
      await store.writeIdentity({ ...before, epoch: this.#alarmEpoch });
      await this.check();
      return;
    }
    const identity = await catalog.advance(advanceMs, now());
    if (identity.epoch !== before.epoch) await store.writeIdentity(identity);
  }

  async #begin(): Promise<void> {
    const { catalog, store } = this.#dependencies;
    const identity = await catalog.identity();
    // A new catalog. Its identity is stored before the epoch grows: later a store without one is another store.
    if (identity.epoch === firstEpoch && (await store.readIdentity()) === null)
      await store.writeIdentity(identity);
    if ((await this.check()) === 'foreign') return;
    this.#hasBegun = true;
    this.#onBegun();
  }

  #judge(identity: ClusterIdentity, stored: ClusterIdentity | null): GuardState {
    const state = stateOf(identity, stored);
    if (state !== this.#state) {
      this.#state = state;
      this.#dependencies.observe({ event: 'restore-guard', state });
    }
    return state;
  }
}

function stateOf(identity: ClusterIdentity, stored: ClusterIdentity | null): GuardState {
  if (stored === null || stored.catalogId !== identity.catalogId) return 'foreign';
  return stored.epoch > identity.epoch ? 'restored' : 'sound';
}

export function foreignStore(): FrameholdError {
  return new FrameholdError('unavailable', 'The object store belongs to another catalog.', {
    hint: 'Compare catalog.url and storage.url with those of the other nodes. A new catalog needs an empty bucket or prefix.',
  });
}
