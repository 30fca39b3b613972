import type { StoredObject } from '../../version.ts';

/** Stored objects that are not what they were, and how far the check of them has come. */
export interface IntegrityCatalog {
  /** Objects that parts have, in order of their keys, after the one given. */
  objects(after: string | null, limit: number): Promise<readonly StoredObject[]>;
  /**
   * This object has other bytes than it was given. A form that another exact one can stand in for is removed from its
   * part, and its objects become garbage; else it is remembered, and the form is never read again. null where no part
   * has the object (any more).
   */
  markDamaged(key: string, fault: string, now: number): Promise<Damage | null>;
  /** The object was found to be what it was, for example after somebody restored it. */
  clearDamage(key: string): Promise<void>;
  /** Everything that is quarantined, and what was removed in the last 30 days (at most a thousand), oldest first. */
  knownDamage(): Promise<readonly KnownDamage[]>;
  /** How far a check of all objects has come; kept, so that a restart does not begin again. */
  scrubState(): Promise<ScrubState>;
  saveScrubState(state: ScrubState): Promise<void>;
  /** What is wrong with the catalog itself: nothing where it is sound. */
  integrity(): Promise<readonly string[]>;
}

export interface Damage {
  /** Versions that use the object, at most a hundred: `tenant/name@1,2`. */
  readonly frames: readonly string[];
  /** Another form of the part holds the same rows: nothing is lost. */
  readonly recovered: boolean;
  /** It was not known before. */
  readonly isNew: boolean;
  /** The form is no longer one of the part's: nothing reads it again. Else it is quarantined: its versions are refused. */
  readonly removed: boolean;
}

/** An object that was found damaged at some time. */
export interface KnownDamage {
  readonly key: string;
  readonly fault: string;
  /** As of `Damage`; of those that were removed as they were then. */
  readonly frames: readonly string[];
  readonly foundAt: number;
  /** As of `Damage`. */
  readonly removed: boolean;
}

export interface ScrubState {
  /** The last key that was checked; null between two checks. */
  readonly after: string | null;
  /** When the last whole check ended; null before the first. */
  readonly finishedAt: number | null;
}
