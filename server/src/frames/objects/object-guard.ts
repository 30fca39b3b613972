import { asFrameholdError } from '../errors.ts';
import type { Observe } from '../observation.ts';
import type { Damage, IntegrityCatalog } from '../ports/catalog/integrity.ts';
import type { ObjectFault, ObjectStore } from '../ports/object-store.ts';
import type { StoredObject } from '../version.ts';

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
/** Objects that this process has found sound: some 10 MB of keys. Forgotten ones are checked again. */
const verifiedMax = 100_000;

/** Compares stored objects with their size and hash in the catalog, and records those that differ. */
export class ObjectGuard {
  readonly #dependencies: ObjectGuardDependencies;
  readonly #verified = new Set<string>();
  /** Many reads may meet the same fault at once: the object is verified once. */
  readonly #examining = new Map<string, Promise<boolean>>();

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
    const faults = await this.#dependencies.store.verify(unknown, { bytesPerSecond: null, signal });
    for (const fault of faults) await this.report(fault);
    if (faults.length > 0) {
      this.#dependencies.onDamage();
      return false;
    }
    for (const { key } of unknown) this.#remember(key);
    return true;
  }

  /**
   * Whether a failure comes from these objects: one is damaged, or was removed because nothing needs it any more. The catalog then names
   * others, or none, so the caller asks it again.
   */
  async explains(error: unknown, objects: readonly StoredObject[]): Promise<boolean> {
    const { kind } = asFrameholdError(error);
    return (kind === 'frame_damaged' || kind === 'internal') && (await this.examine(objects));
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

  /** Records a fault in the catalog; null if no part has the object any more. */
  async report(fault: ObjectFault): Promise<Damage | null> {
    const { catalog, observe, now } = this.#dependencies;
    this.#verified.delete(fault.key);
    const damage = await catalog.markDamaged(fault.key, `${fault.kind}: ${fault.detail}`, now());
    if (damage?.isNew)
      observe({
        event: 'object-damaged',
        key: fault.key,
        fault: fault.kind,
        detail: fault.detail,
        frames: damage.frames,
        recovered: damage.recovered,
      });
    return damage;
  }

  async #examineOne(object: StoredObject): Promise<boolean> {
    const { store, onDamage } = this.#dependencies;
    const signal = new AbortController().signal;
    const [fault] = await store.verify([object], { bytesPerSecond: null, signal });
    if (fault === undefined) return false;
    // If no part has the object any more, it was removed in the meantime and nothing is damaged.
    if ((await this.report(fault)) !== null) onDamage();
    return true;
  }

  #remember(key: string): void {
    if (this.#verified.size >= verifiedMax) {
      const [oldest] = this.#verified;
      if (oldest !== undefined) this.#verified.delete(oldest);
    }
    this.#verified.add(key);
  }
}
