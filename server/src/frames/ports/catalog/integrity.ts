import type { StoredObject } from '../../version.ts';

/** Damaged objects, and the progress of the check. */
export interface IntegrityCatalog {
  /** Objects of parts, in order of their keys, after the given one. */
  objects(after: string | null, limit: number): Promise<readonly StoredObject[]>;
  /**
   * Records that this object is damaged. A form that another exact form can replace is removed from its
   * part, and its objects become garbage; otherwise the form is quarantined and never read again. null if no part
   * has the object (any more).
   */
  markDamaged(key: string, fault: string, now: number): Promise<Damage | null>;
  /** The object was found sound, for example after it was restored from a backup. */
  clearDamage(key: string): Promise<void>;
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
  /** As in `Damage`; for removed ones, as they were then. */
  readonly frames: readonly string[];
  readonly foundAt: number;
  /** As in `Damage`. */
  readonly removed: boolean;
}

export interface ScrubState {
  /** The last key that was checked; null between two checks. */
  readonly after: string | null;
  /** When the last whole check ended; null before the first. */
  readonly finishedAt: number | null;
}
