import { KeysInUse } from '../../base/keys-in-use.ts';
import { waitingFor } from '../../base/request-time.ts';
import type { Clock } from '../../model/clock.ts';
import { FrameholdError } from '../../model/errors.ts';
import type { StoredObject } from '../../model/version.ts';
import type { Catalog } from '../../ports/catalog/catalog.ts';
import type { ObjectStore } from '../../ports/object-store.ts';
import type { Observe } from '../../ports/observation.ts';

/** Local files of objects, in the order of the request. */
export interface OpenObjects {
  readonly paths: readonly string[];
  /** Calling it again does nothing. */
  release(): void;
}

/** Objects that stay where they are for a program on another machine, in the order of the request. */
export interface HeldObjects {
  readonly addresses: readonly string[];
  /** Calling it again does nothing. */
  release(): void;
}

export interface ObjectReaderDependencies {
  readonly catalog: Pick<Catalog, 'renew'>;
  readonly store: Pick<ObjectStore, 'open' | 'openBytesMax' | 'hold' | 'address'>;
  readonly observe: Observe;
  readonly now: Clock;
}

export interface RenewalTimes {
  /** How long garbage is kept after it became garbage, or after it was last renewed. */
  readonly delayMs: number;
  /** How often objects that are read are renewed: several times within the delay. */
  readonly intervalMs: number;
}

/** Opens objects for reading, here or elsewhere, and keeps the catalog from giving them to a collector on another machine while they are read. */
export class ObjectReader {
  readonly #dependencies: ObjectReaderDependencies;
  readonly #times: RenewalTimes;
  readonly #reading = new KeysInUse();
  readonly #timer: NodeJS.Timeout;
  #renewing = false;

  constructor(dependencies: ObjectReaderDependencies, times: RenewalTimes) {
    this.#dependencies = dependencies;
    this.#times = times;
    this.#timer = setInterval(() => void this.#renew(), times.intervalMs);
    this.#timer.unref();
  }

  /** All of them, or none. */
  async open(objects: readonly StoredObject[], signal?: AbortSignal): Promise<OpenObjects> {
    const { store } = this.#dependencies;
    refuseTooLarge(objects, store.openBytesMax);
    const { taken, release } = await this.#all(
      objects,
      (object) => store.open(object, signal),
      (file) => file.release(),
    );
    return { paths: taken.map(({ path }) => path), release };
  }

  /** The same without files on this machine: nothing is fetched and nothing compared, so their size does not matter. All of them, or none. */
  async hold(objects: readonly StoredObject[]): Promise<HeldObjects> {
    const { store } = this.#dependencies;
    const { release } = await this.#all(
      objects,
      (object) => store.hold(object),
      (leave) => leave(),
    );
    return { addresses: objects.map(({ key }) => store.address(key)), release };
  }

  async #all<Taken>(
    objects: readonly StoredObject[],
    take: (object: StoredObject) => Promise<Taken>,
    leave: (taken: Taken) => void,
  ): Promise<{ readonly taken: readonly Taken[]; release(): void }> {
    const stopRenewing = this.#reading.hold(objects.map(({ key }) => key));
    const tried = await waitingFor('store', Promise.allSettled(objects.map(take)));
    const taken = tried.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    const release = () => {
      stopRenewing();
      for (const each of taken) leave(each);
    };
    const failed = tried.find((each) => each.status === 'rejected');
    if (failed === undefined) return { taken, release };
    release();
    throw failed.reason;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #renew(): Promise<void> {
    const { catalog, observe, now } = this.#dependencies;
    if (this.#reading.size === 0 || this.#renewing) return;
    this.#renewing = true;
    try {
      await catalog.renew(this.#reading.all(), now() + this.#times.delayMs);
    } catch (error) {
      observe({ event: 'background-failed', job: 'renew', error });
    } finally {
      this.#renewing = false;
    }
  }
}

/** Before anything is fetched: whatever would be removed to make room, it could not end well. */
function refuseTooLarge(objects: readonly StoredObject[], bytesMax: number | null): void {
  if (bytesMax === null) return;
  const bytes = objects.reduce((sum, object) => sum + object.bytes, 0);
  if (bytes <= bytesMax) return;
  throw new FrameholdError(
    'disk_full',
    `This needs ${bytes} bytes of stored objects at once, and the cache of this node holds ${bytesMax}.`,
    { hint: 'Read fewer rows, versions or frames at once, or raise storage.cache_size_gb.' },
  );
}
