import { orphanAgeMs } from '../../model/attempt-times.ts';
import type { Clock } from '../../model/clock.ts';
import { announce } from '../../model/failpoints.ts';
import { idTime } from '../../model/handle.ts';
import type { MaintenanceCatalog } from '../../ports/catalog/maintenance.ts';
import type { ObjectStore } from '../../ports/object-store.ts';
import type { Observe } from '../../ports/observation.ts';
import type { ResultFolders } from '../../ports/result-folders.ts';
import { attemptOfKey } from '../objects/part-keys.ts';

/** Whether anything may be removed now. Rejects if that cannot be found out. */
export type MayRemove = () => Promise<boolean>;

export interface CollectionDependencies {
  readonly catalog: MaintenanceCatalog;
  readonly store: ObjectStore;
  readonly results: Pick<ResultFolders, 'removeStale'>;
  readonly observe: Observe;
  readonly now: Clock;
}

/** Objects removed for each page of the catalog. */
const pageKeys = 1_000;
/** How long a page is reserved for one collector. After that, objects that were open or could not be removed are tried again. */
const leaseMs = 20_000;

/** Objects removed at once. */
const removalsAtOnce = 16;
/** A store that refuses so many one after the other is asked again in the next run. */
const failuresInRowMax = 64;

interface Removal {
  readonly removed: readonly string[];
  readonly failed: { readonly error: unknown } | null;
  readonly gaveUp: boolean;
}

/** Removes objects that nothing needs any more. May be repeated and may run on several machines at once. */
export class Collection {
  readonly #dependencies: CollectionDependencies;
  readonly #delayMs: number;
  readonly #mayRemove: MayRemove;

  /**
   * `delayMs`: how long objects stay after they have become garbage, for readers on other machines that have just looked them up. `mayRemove`: asked
   * before each page of objects.
   */
  constructor(
    dependencies: CollectionDependencies,
    delayMs: number,
    mayRemove: MayRemove = () => Promise.resolve(true),
  ) {
    this.#dependencies = dependencies;
    this.#delayMs = delayMs;
    this.#mayRemove = mayRemove;
  }

  /** Removes garbage that is due. An object that is open, or cannot be removed, waits for a later run and holds up no other. */
  async collect(signal: AbortSignal): Promise<void> {
    const { catalog, observe, now } = this.#dependencies;
    let failure: { readonly error: unknown } | null = null;
    while (!signal.aborted) {
      const keys = await catalog.takeGarbage({
        limit: pageKeys,
        delayMs: this.#delayMs,
        leaseMs,
        now: now(),
      });
      if (keys.length === 0 || !(await this.#mayRemove())) break;
      const { removed, failed, gaveUp } = await this.#removeAll(keys, signal);
      failure ??= failed;
      if (removed.length > 0) {
        await catalog.forget(removed);
        announce('collect:forgotten');
        observe({ event: 'objects-removed', count: removed.length });
      }
      if (gaveUp) break;
    }
    // One line for each run: an unavailable store would otherwise fill the log.
    if (failure !== null) observe({ event: 'background-failed', job: 'collect', error: failure.error });
  }

  /** Some at a time, because a store elsewhere answers slowly. */
  async #removeAll(keys: readonly string[], signal: AbortSignal): Promise<Removal> {
    const { store } = this.#dependencies;
    const waiting = [...keys];
    const removed: string[] = [];
    let failed: Removal['failed'] = null;
    let failuresInRow = 0;
    const remover = async () => {
      while (!signal.aborted && failuresInRow < failuresInRowMax) {
        const key = waiting.shift();
        if (key === undefined) return;
        try {
          if (await store.remove(key)) {
            removed.push(key);
            announce('collect:removed');
          }
          failuresInRow = 0;
        } catch (error) {
          failed ??= { error };
          failuresInRow += 1;
        }
      }
    };
    await Promise.all(Array.from({ length: removalsAtOnce }, remover));
    return { removed, failed, gaveUp: failuresInRow >= failuresInRowMax };
  }

  /** Removes stored objects that no change has recorded and none can record any more: those of interrupted changes. */
  async removeOrphans(signal: AbortSignal): Promise<void> {
    const { catalog, store, results, observe, now } = this.#dependencies;
    const before = now() - orphanAgeMs;
    await store.removeStale(before);
    let count = 0;
    for await (const keys of store.list()) {
      if (signal.aborted) break;
      const old = keys.filter((key) => (idTime(attemptOfKey(key)) ?? Number.POSITIVE_INFINITY) < before);
      const known = new Set(await catalog.known(old));
      if (known.size < old.length && !(await this.#mayRemove())) return;
      for (const key of old) {
        if (!known.has(key) && (await store.remove(key))) count += 1;
      }
    }
    // What a statement left that was interrupted before it could remove its result.
    if (!signal.aborted && (await this.#mayRemove())) count += await results.removeStale(before);
    if (count > 0) observe({ event: 'orphans-removed', count });
  }
}
