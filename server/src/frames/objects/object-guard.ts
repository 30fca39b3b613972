import { LruCache } from '../../base/lru-cache.ts';
import { waitingFor } from '../../base/request-time.ts';
import { asFrameholdError } from '../../model/errors.ts';
import type { PartRecord, StoredObject } from '../../model/version.ts';
import type { Damage, IntegrityCatalog } from '../../ports/catalog/integrity.ts';
import type { ObjectFault, ObjectStore } from '../../ports/object-store.ts';
import type { Observe } from '../../ports/observation.ts';

export interface ObjectGuardDependencies {
  readonly catalog: IntegrityCatalog;
  readonly store: ObjectStore;
  readonly observe: Observe;
  readonly now: () => number;
  /** Called after an object was found damaged: everything derived from it must go. */
  readonly onDamage: () => void;
}

/**
 * Of one read, the bytes that are checked before its first byte goes out: some 20 ms. Larger objects are left to the
 * scrub, so that no reader waits seconds for the first row.
 */
const firstReadBytesMax = 32 * 1024 * 1024;
/** Objects that this process has found sound: some 16 MB with their keys. Forgotten ones are checked again. */
const verifiedMax = 100_000;
/** Of one read that would fail, the quarantined bytes that are read again: some 0.3 s from a disk, seconds from a bucket, as a first read of them takes. */
const reconsideredBytesMax = 256 * 1024 * 1024;
/**
 * A quarantined object is read again at most so often, however many callers ask for it: soon at first, because a fault on the way may have ended, and half as often each
 * time, because it may be really damaged.
 */
const reconsiderFirstMs = 1_000;
const reconsiderEveryMs = 30_000;
/** As many as the catalog lists. Forgotten ones are only read again earlier. */
const reconsideredMax = 10_000;

interface Reconsidered {
  readonly at: number;
  /** Until it may be read again. */
  readonly waitMs: number;
  readonly isSound: Promise<boolean>;
}

/** Compares stored objects with their size and hash in the catalog, and records those that differ. */
export class ObjectGuard {
  readonly #dependencies: ObjectGuardDependencies;
  readonly #verified = new LruCache<true>({ entriesMax: verifiedMax });
  /** Many reads may meet the same fault at once: the object is verified once. */
  readonly #examining = new Map<string, Promise<boolean>>();
  readonly #reconsidered = new LruCache<Reconsidered>({ entriesMax: reconsideredMax });

  constructor(dependencies: ObjectGuardDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Checks what this process has not read before, up to a limit. False if something was damaged: the catalog then
   * gives another form, or none.
   */
  async admit(objects: readonly StoredObject[], signal: AbortSignal): Promise<boolean> {
    if (this.#dependencies.store.opensVerified) return true;
    const unknown: StoredObject[] = [];
    let bytes = 0;
    for (const object of objects) {
      if (this.#verified.has(object.key) || bytes + object.bytes > firstReadBytesMax) continue;
      bytes += object.bytes;
      unknown.push(object);
    }
    if (unknown.length === 0) return true;
    const verified = this.#dependencies.store.verify(unknown, { bytesPerSecond: null, signal });
    const faults = await waitingFor('store', verified);
    for (const fault of faults) await this.report(fault);
    if (faults.length > 0) return false;
    for (const { key } of unknown) this.#verified.set(key, true);
    return true;
  }

  /**
   * Whether a failure comes from these objects: one is damaged, or was removed because nothing needs it any more. The catalog then names
   * others, or none, so the caller asks it again. Also if the bytes were wrong and are sound now: then they can be read.
   */
  async explains(error: unknown, objects: readonly StoredObject[]): Promise<boolean> {
    const { kind } = asFrameholdError(error);
    if (kind !== 'frame_damaged' && kind !== 'internal') return false;
    return (await this.examine(objects)) || kind === 'frame_damaged';
  }

  /** Call after reading these has failed. True if one is damaged. Continues if the caller leaves. */
  async examine(objects: readonly StoredObject[]): Promise<boolean> {
    let damaged = false;
    for (const object of objects) {
      let running = this.#examining.get(object.key);
      if (running === undefined) {
        running = this.#examineOne(object).finally(() => this.#examining.delete(object.key));
        this.#examining.set(object.key, running);
      }
      damaged = (await running) || damaged;
    }
    return damaged;
  }

  /**
   * Call before a caller is refused because forms of these parts are quarantined: they are read again, for the fault may have been on the way. True if one is sound; the
   * catalog then gives its form. Continues if the caller leaves.
   */
  async reconsider(parts: readonly PartRecord[]): Promise<boolean> {
    const forms = parts.flatMap((part) => part.forms.filter(({ damaged }) => damaged === true));
    let bytes = 0;
    let isSound = false;
    for (const object of forms.flatMap(({ objects }) => objects)) {
      if (bytes + object.bytes > reconsideredBytesMax) continue;
      bytes += object.bytes;
      isSound = (await this.#reconsiderOne(object)) || isSound;
    }
    return isSound;
  }

  /** The object was read and is sound. True if it was quarantined until now. */
  async clear(key: string): Promise<boolean> {
    const { catalog, observe } = this.#dependencies;
    const isNew = await catalog.clearDamage(key);
    this.#reconsidered.delete(key);
    if (isNew) observe({ event: 'object-sound-again', key });
    return isNew;
  }

  /** Records a fault in the catalog; null if no part has the object any more. */
  async report(fault: ObjectFault): Promise<Damage | null> {
    const { catalog, observe, now, onDamage } = this.#dependencies;
    this.#verified.delete(fault.key);
    this.#noteReconsidered(fault.key, Promise.resolve(false));
    const damage = await catalog.markDamaged(fault.key, `${fault.kind}: ${fault.detail}`, now());
    if (damage?.isNew) {
      observe({
        event: 'object-damaged',
        key: fault.key,
        fault: fault.kind,
        detail: fault.detail,
        frames: damage.frames,
        recovered: damage.recovered,
      });
      onDamage();
    }
    return damage;
  }

  async #examineOne(object: StoredObject): Promise<boolean> {
    const signal = new AbortController().signal;
    const [fault] = await this.#dependencies.store.verify([object], { bytesPerSecond: null, signal });
    if (fault === undefined) return false;
    // If no part has the object any more, it was removed in the meantime and nothing is damaged.
    await this.report(fault);
    return true;
  }

  #reconsiderOne(object: StoredObject): Promise<boolean> {
    const known = this.#reconsidered.peek(object.key);
    if (known !== undefined && performance.now() - known.at < known.waitMs) return known.isSound;
    const isSound = this.#isSoundAgain(object).catch(() => false);
    this.#noteReconsidered(object.key, isSound);
    return isSound;
  }

  #noteReconsidered(key: string, isSound: Promise<boolean>): void {
    const before = this.#reconsidered.peek(key);
    const waitMs = before === undefined ? reconsiderFirstMs : Math.min(2 * before.waitMs, reconsiderEveryMs);
    this.#reconsidered.set(key, { at: performance.now(), waitMs, isSound });
  }

  async #isSoundAgain(object: StoredObject): Promise<boolean> {
    const signal = new AbortController().signal;
    const faults = await this.#dependencies.store.verify([object], { bytesPerSecond: null, signal });
    return faults.length === 0 && (await this.clear(object.key));
  }
}
