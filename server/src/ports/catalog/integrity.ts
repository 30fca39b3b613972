import type { StoredObject } from '../../model/version.ts';

/** Damaged objects, and the progress of the check. */
export interface IntegrityCatalog {
  /** Objects of forms of parts, in order of their keys, after the given one. */
  objects(after: string | null, limit: number): Promise<readonly StoredObject[]>;
  /**
   * Records that this object is damaged. Its form is quarantined: it stays one of its part's and is not read, until the object is found sound. A Parquet form can be made
   * again meanwhile (`addForm`): the damaged one is then replaced, and its objects stay with the part. null if no part has the object (any more).
   */
  markDamaged(key: string, fault: string, now: number): Promise<Damage | null>;
  /** The object was found sound: the fault was on the way to it, or has been repaired. False if it was not quarantined, or has been replaced. */
  clearDamage(key: string): Promise<boolean>;
  /** Quarantined objects that parts have, in order of their keys, after the given one. */
  quarantined(after: string | null, limit: number): Promise<readonly QuarantinedObject[]>;
  /**
   * Removes a quarantined form, or one object of a replaced form: what is removed becomes garbage. Only if its damage was found at `foundBefore` or earlier, and if the
   * part is read from exactly the objects `instead`, which the caller has just compared. Otherwise nothing happens, and the answer is false.
   */
  removeDamaged(key: string, instead: readonly string[], foundBefore: number, now: number): Promise<boolean>;
  /** Everything that is quarantined, and what was removed in the last 30 days (at most a thousand), oldest first. */
  knownDamage(): Promise<readonly KnownDamage[]>;
  /** How far a check of all objects has come; kept, so that a restart does not begin again. */
  scrubState(): Promise<ScrubState>;
  saveScrubState(state: ScrubState): Promise<void>;
  /** What is wrong with the catalog itself; empty if it is sound. */
  integrity(): Promise<readonly string[]>;
}

export interface Damage {
  /** Versions that use the object, at most a hundred: `tenant/name@1,2`. */
  readonly frames: readonly string[];
  /** Another exact form of the part is not known to be damaged: reads use that one. Otherwise they fail. */
  readonly recovered: boolean;
  /** It was not known before. */
  readonly isNew: boolean;
}

export interface QuarantinedObject extends StoredObject {
  readonly foundAt: number;
  /** Its form has been made again: nothing will read it. */
  readonly isReplaced: boolean;
  /** The objects that its part is read from meanwhile; null if reads of the part fail. */
  readonly instead: readonly StoredObject[] | null;
}

/** An object that was found damaged at some time. */
export interface KnownDamage {
  readonly key: string;
  readonly fault: string;
  /** As in `Damage`; for removed ones, as they were then. */
  readonly frames: readonly string[];
  /** For removed ones, when they were removed. */
  readonly foundAt: number;
  /** `quarantined`: it is kept, and read again if it is found sound. `replaced`: it is kept, and its form was made again. `removed`: it has gone. */
  readonly state: 'quarantined' | 'replaced' | 'removed';
}

export interface ScrubState {
  /** The last key that was checked; null between two checks. */
  readonly after: string | null;
  /** When the last whole check ended; null before the first. */
  readonly finishedAt: number | null;
}
