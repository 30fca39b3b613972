import type { CompactionLimits } from '../../model/compaction-runs.ts';
import type { PartForm, PartRecord, SchemaRecord, StoredObject } from '../../model/version.ts';
import type { NewPart } from './versions.ts';

/** What the background asks for and records: forms of parts, compactions, what has ended, what can be removed. */
export interface MaintenanceCatalog {
  /**
   * Parts without a Parquet form and without a recorded refusal to transcode, oldest first. After the first part of a log, small ones
   * (below 1 MiB) are probably compacted soon: they come last, and only those added at `smallBefore` or earlier. As below, parts of which the
   * work is leased are not among them.
   */
  untranscoded(limit: number, smallBefore: number, now: number): Promise<readonly PartRecord[]>;
  /** Of the oldest `partsMax` parts of all tenants that wait to be transcoded: those of one tenant. */
  transcodingBacklog(tenant: string, partsMax: number): Promise<TranscodingBacklog>;
  /** What waits for the background, of all tenants, counted up to so many of each kind, oldest first. */
  backlog(countMax: number): Promise<CatalogBacklog>;
  /** Adds the form if the part has none of its kind. Otherwise, or if the part has gone, the objects become garbage and the answer is false. */
  addForm(partId: string, form: PartForm, now: number): Promise<boolean>;
  /** Transcoding this part is not possible: remember why, and do not offer it again. */
  refuseTranscoding(partId: string, reason: string, now: number): Promise<void>;
  /** Parts that keep their Arrow form for good (transcoded, and no exact Parquet form) and whose Arrow form has not been tried at any level, oldest first. */
  unpacked(limit: number, now: number): Promise<readonly PartRecord[]>;
  /**
   * The same Arrow, compressed at this level, in place of the object `before`, which becomes garbage. If the part has another one by now, or none,
   * the new object becomes garbage and the answer is false.
   */
  replaceArrow(partId: string, before: string, packed: StoredObject, level: number): Promise<boolean>;
  /** The Arrow form has been tried at this level and stays as it is. */
  keepArrow(partId: string, level: number): Promise<void>;
  /** Total size of all Arrow forms. */
  arrowBytes(): Promise<number>;
  /** Parts whose Arrow form may go (an exact Parquet form exists), oldest first. */
  evictable(limit: number): Promise<readonly PartRecord[]>;
  /** Removes the Arrow form from the part; its objects become garbage. Does nothing if no exact Parquet form exists. */
  evict(partId: string): Promise<void>;
  /**
   * The next run of neighbouring parts worth compacting (`chooseRun`), of the log that has waited longest; null if there is none.
   * No kept version ends inside a run.
   */
  compactable(limits: CompactionLimits, now: number): Promise<CompactionRun | null>;
  /**
   * Puts one part with the same rows in the place of neighbouring ones, whose objects become garbage. Does nothing, and the new part's
   * objects become garbage, if the parts have gone or a kept version ends inside: then the answer is false.
   */
  compact(partIds: readonly string[], part: NewPart, now: number): Promise<boolean>;
  /** This part cannot be compacted with others: remember why, and do not offer it again. */
  refuseCompaction(partId: string, reason: string): Promise<void>;
  /**
   * Ends what has expired, deletes dropped names that can no longer be undropped, prunes versions beyond `versionsKeep` (or what is set for their name) and those made
   * before `versionsSince`, but neither the newest of a name nor those that are pinned, forgets expired tombstones and keys; unneeded objects become garbage.
   */
  sweep(
    versionsKeep: number,
    versionsSince: number | null,
    now: number,
    /** Called for each name that has expired, when its end is recorded. */
    onExpired?: (tenant: string, name: string) => void,
  ): Promise<void>;
  /**
   * Deletes the oldest drop of any tenant early, and returns what it was. null if nothing is kept, or if all of it would
   * not free so many bytes: its Arrow forms, and as much again for its Parquet forms.
   */
  releaseDropped(bytesWanted: number): Promise<{ readonly tenant: string; readonly name: string } | null>;
  /**
   * Keys of objects that have been garbage for the delay: nothing refers to them, and no reader has renewed them since. They are not given out
   * again while they are leased.
   */
  takeGarbage(request: GarbageRequest): Promise<readonly string[]>;
  /** These objects are being read: those that have become garbage stay at least until then. Writes nothing for the others. */
  renew(keys: readonly string[], until: number): Promise<void>;
  /** These garbage objects have been removed from the store. */
  forget(keys: readonly string[]): Promise<void>;
  /** Which of these keys the catalog knows, garbage included: the others are orphans. */
  known(keys: readonly string[]): Promise<readonly string[]>;
}

export interface TranscodingBacklog {
  readonly parts: number;
  /** Of their Arrow forms. */
  readonly bytes: number;
}

export interface CatalogBacklog {
  /** Parts that have no Parquet form and can have one. */
  readonly untranscodedParts: number;
  /** Of the Arrow forms of those that were counted. */
  readonly untranscodedBytes: number;
  /** When the oldest of them was added; null if there is none. */
  readonly untranscodedSince: number | null;
  /** Logs that may have parts to compact. */
  readonly uncompactedLogs: number;
  /** Objects that nothing refers to, those included that wait for their readers. */
  readonly garbageObjects: number;
}

export interface GarbageRequest {
  readonly limit: number;
  readonly delayMs: number;
  readonly leaseMs: number;
  readonly now: number;
}

/** Neighbouring parts of a log, in row order, that can become one. */
export interface CompactionRun {
  readonly tenant: string;
  /** Of the first kept version that has all of these parts: every later one reads its rows too. */
  readonly schema: SchemaRecord;
  readonly parts: readonly PartRecord[];
}

export interface Backlog extends CatalogBacklog {
  /** How long the oldest part has waited to be transcoded; 0 if none waits. */
  readonly untranscodedOldestMs: number;
}

/** Of each kind. PostgreSQL counts so many of all kinds in a fifth of a second; whoever has more of them needs no better number. */
export const backlogCountMax = 100_000;
