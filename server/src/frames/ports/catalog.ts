import type { MergeBounds } from '../merge-runs.ts';
import type {
  DescribedVersion,
  Origin,
  PartForm,
  PartRecord,
  SchemaRecord,
  StoredObject,
  VersionRecord,
  VersionSummary,
} from '../version.ts';

/**
 * Names, versions, parts. Every change is one transaction, durable when its promise resolves. If it rejects, nothing was changed, unless
 * the kind is outcome_unknown: then the change may have been made. The same change may be repeated for a day: one with an attempt id (a
 * commit's is the id of its part) takes effect once and answers as the first time, and the others are safe to repeat.
 * Refusals are FrameholdErrors: frame_not_found, frame_gone, frame_exists, version_mismatch, name_conflict,
 * schema_conflict (the newest schema is not the one the caller compared with), idempotency_conflict.
 * `now` is milliseconds since 1970, always given by the caller.
 */
export interface Catalog {
  /** The newest version, or the one named. frame_not_found, frame_gone. */
  resolve(tenant: string, name: string, version: number | null, now: number): Promise<VersionRecord>;
  /** The parts of a version, in row order. */
  parts(tenant: string, name: string, version: number): Promise<readonly PartRecord[]>;
  commit(change: Commit): Promise<Committed>;
  /**
   * The answer a committed change with this key had within the last day, if any. idempotency_conflict where the
   * fingerprint differs. frame_gone where the version has ended and had too many columns to keep them for an answer.
   */
  replay(tenant: string, key: string, fingerprint: string, now: number): Promise<Committed | null>;
  /** Live names in order of their lower-case form. */
  names(tenant: string, page: ListPage, now: number): Promise<readonly string[]>;
  /** The same, with their newest versions. */
  list(tenant: string, page: ListPage, now: number): Promise<readonly VersionSummary[]>;
  /**
   * The same with schemas. Such a page, here and below, ends early where its schemas become large: only an empty one
   * says that there is nothing more.
   */
  listWhole(tenant: string, page: ListPage, now: number): Promise<readonly VersionRecord[]>;
  /** Kept versions of a live name, newest first, below `before` where it is given. */
  versions(tenant: string, name: string, page: VersionsPage, now: number): Promise<readonly VersionSummary[]>;
  versionsWhole(
    tenant: string,
    name: string,
    page: VersionsPage,
    now: number,
  ): Promise<readonly VersionRecord[]>;
  /** Sets or clears (null) the time at which the name expires; answers its newest version. */
  expire(tenant: string, name: string, expiresAt: number | null, now: number): Promise<VersionRecord>;
  /** The rows of an earlier version become the next one, out of the same parts. frame_gone or frame_not_found for a version that is not kept. */
  restore(change: Restore): Promise<Committed>;
  /**
   * Drops the name, or the one version. A name that ends with it can come back for `undropMs`, but never after its expiry: until then its
   * parts are kept and count as the tenant's bytes.
   */
  drop(change: Drop): Promise<void>;
  /**
   * Brings back what was dropped last under this name: all versions that were kept, the expiry, no shares. name_in_use or name_conflict
   * where the name is live; frame_gone or frame_not_found where nothing can come back; quota_exceeded above `framesMax`.
   */
  undrop(change: Undrop): Promise<Undropped>;
  /** Removes what is kept of earlier drops of this name; answers how many there were. */
  purge(tenant: string, name: string): Promise<number>;
  /**
   * Removes what was dropped first, of any tenant, before its time, and says what it was. null where nothing is kept, or where all of it would
   * not free so many bytes: its Arrow forms, and as much again for its Parquet forms.
   */
  releaseDropped(bytesWanted: number): Promise<{ readonly tenant: string; readonly name: string } | null>;

  /** The tenant `reader` may read this live name of `tenant` from now on, until it is unshared or the name ends; answers all readers. */
  share(tenant: string, name: string, reader: string, now: number): Promise<readonly string[]>;
  unshare(tenant: string, name: string, reader: string, now: number): Promise<readonly string[]>;
  shares(tenant: string, name: string, now: number): Promise<readonly string[]>;
  /** False also where there is no such name: who may not read it does not learn whether it exists. */
  isShared(tenant: string, name: string, reader: string): Promise<boolean>;
  /** Live names of others that `reader` may read, with their newest versions, in order of their owners and names. */
  shared(reader: string, page: SharedPage, now: number): Promise<readonly VersionSummary[]>;
  sharedWhole(reader: string, page: SharedPage, now: number): Promise<readonly VersionRecord[]>;
  usage(tenant: string): Promise<TenantUsage>;
  /** Tenants that have or had frames, by name, behind `after`; with how much they hold and share. */
  tenants(after: string, limit: number): Promise<readonly TenantHolding[]>;
  /** With whom a tenant shares frames, and who shares with it: each other tenant once, at most a thousand of either. */
  tenantShares(tenant: string): Promise<TenantShares>;

  /**
   * Parts without a Parquet form and without a recorded refusal to settle, oldest first. Behind the first part of a log, small ones
   * (below 1 MiB) are probably merged soon: they come last, and only those added at `smallBefore` or earlier.
   */
  unsettled(limit: number, smallBefore: number): Promise<readonly PartRecord[]>;
  /** Adds the form if the part has none of its kind. Otherwise, or if the part has gone, the objects become garbage and the answer is false. */
  addForm(partId: string, form: PartForm): Promise<boolean>;
  /** Settling this part is not possible: remember why, and do not offer it again. */
  refuseSettling(partId: string, reason: string): Promise<void>;
  /** Parts whose Parquet form has not been tried at this level of compression or a higher one, oldest first. */
  belowLevel(level: number, limit: number): Promise<readonly PartRecord[]>;
  /** Parts that keep their Arrow form for good (settled, and no exact Parquet form) and whose Arrow form has not been tried at any level, oldest first. */
  unpacked(limit: number): Promise<readonly PartRecord[]>;
  /**
   * Another encoding, at this level, of a form that has the objects `before`, which become garbage. If the form has other objects by now, or has
   * gone, the new objects become garbage and the answer is false.
   */
  replaceForm(partId: string, before: readonly string[], form: PartForm, level: number): Promise<boolean>;
  /** This form has been tried at this level and stays as it is. */
  keepForm(partId: string, kind: PartForm['kind'], level: number): Promise<void>;
  /** Total size of all Arrow forms. */
  arrowBytes(): Promise<number>;
  /** Parts whose Arrow form may go (an exact Parquet form exists), oldest first. */
  evictable(limit: number): Promise<readonly PartRecord[]>;
  /** Removes the Arrow form from the part; its objects become garbage. Does nothing where no exact Parquet form exists. */
  evict(partId: string): Promise<void>;

  /**
   * The next run of neighbouring parts worth merging (`chooseRun`), of the log that has waited longest; null where there is none.
   * No kept version ends inside a run.
   */
  mergeable(bounds: MergeBounds): Promise<MergeRun | null>;
  /**
   * Puts one part with the same rows in the place of neighbouring ones, whose objects become garbage. Does nothing, and the new part's
   * objects become garbage, where the parts have gone or a kept version ends inside: then the answer is false.
   */
  merge(partIds: readonly string[], part: NewPart, now: number): Promise<boolean>;
  /** This part cannot be merged with others: remember why, and do not offer it again. */
  refuseMerging(partId: string, reason: string): Promise<void>;

  /**
   * Ends what has expired, gives up dropped names whose time has passed, prunes versions beyond `versionsKeep` and those made before `versionsSince` (the newest of a name stays), forgets
   * tombstones and keys past their time; unneeded objects become garbage.
   */
  sweep(
    versionsKeep: number,
    versionsSince: number | null,
    now: number,
    /** Told of each name that has expired, when its end is recorded. */
    onExpired?: (tenant: string, name: string) => void,
  ): Promise<void>;
  /** Keys of objects that nothing refers to any more, in order, after the one given. */
  garbage(after: string | null, limit: number): Promise<readonly string[]>;
  /** These garbage objects have been removed from the store. */
  forget(keys: readonly string[]): Promise<void>;
  /** Which of these keys the catalog knows, garbage included: the others are orphans. */
  known(keys: readonly string[]): Promise<readonly string[]>;

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

  /** Resolves when the catalog can answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export interface NewPart {
  readonly id: string;
  readonly rows: number;
  readonly arrow: StoredObject;
}

/** Neighbouring parts of a log, in row order, that can become one. */
export interface MergeRun {
  readonly tenant: string;
  /** Of the first kept version that has all of these parts: every later one reads its rows too. */
  readonly schema: SchemaRecord;
  readonly parts: readonly PartRecord[];
}

export interface Commit {
  readonly tenant: string;
  readonly name: string;
  /** `create` wants no live name, `replace` takes either (the next version, a new log of parts), `append` wants a live name. */
  readonly mode: 'create' | 'replace' | 'append';
  /** The newest version must be this one. */
  readonly ifVersion: number | null;
  readonly part: NewPart;
  /** The schema of the new version. */
  readonly schema: SchemaRecord;
  /** append: the hash of the newest schema that `schema` was compared with; another one is schema_conflict. */
  readonly baseSchemaHash: string | null;
  /** undefined leaves the name's expiry as it is (none for a new name). Ignored by append. */
  readonly expiresAt: number | null | undefined;
  readonly origin: Origin;
  /** quota_exceeded where the tenant would hold more than this; null: as much as it likes. */
  readonly quota: TenantQuota | null;
  readonly idempotency: { readonly key: string; readonly fingerprint: string } | null;
  readonly now: number;
}

export interface Restore {
  readonly attempt: string;
  readonly tenant: string;
  readonly name: string;
  /** The one whose rows come back. */
  readonly version: number;
  readonly ifVersion: number | null;
  readonly idempotency: { readonly key: string; readonly fingerprint: string } | null;
  readonly now: number;
}

export interface Drop {
  readonly attempt: string;
  readonly tenant: string;
  readonly name: string;
  /** null: the whole name. */
  readonly version: number | null;
  /** The newest version must be this one. */
  readonly ifVersion: number | null;
  readonly undropMs: number;
  readonly now: number;
}

export interface Undrop {
  readonly attempt: string;
  readonly tenant: string;
  readonly name: string;
  /** null: no limit. */
  readonly framesMax: number | null;
  readonly now: number;
}

export interface Undropped {
  /** The newest version that came back. */
  readonly record: VersionRecord;
  /** As in Committed. */
  readonly expired: string | null;
}

export interface Committed {
  readonly record: DescribedVersion;
  /** The name was not live before. */
  readonly created: boolean;
  /** The idempotency key was known: `record` is the earlier answer, and nothing was changed. */
  readonly replayed: boolean;
  /** The name as it was written in a life that had expired and was not swept yet: it ended with this change. */
  readonly expired: string | null;
}

export interface ListPage {
  readonly prefix: string;
  /** Lower-case name after which the page begins. */
  readonly after: string | null;
  readonly limit: number;
}

export interface SharedPage {
  /** Where the page begins: behind this one. */
  readonly after: { readonly tenant: string; readonly name: string } | null;
  readonly limit: number;
}

/** What a tenant holds: live names, and the bytes of all kept parts as they were put, those of dropped names that can come back included. */
export interface TenantUsage {
  readonly frames: number;
  readonly bytes: number;
}

/** What a tenant holds, and how often a frame of its own is shared with another, or one of another with it. */
export interface TenantHolding extends TenantUsage {
  readonly tenant: string;
  readonly sharesGiven: number;
  readonly sharesReceived: number;
}

/** How many frames are shared with, or by, each other tenant. */
export interface TenantShares {
  readonly given: readonly SharedCount[];
  readonly received: readonly SharedCount[];
}

export interface SharedCount {
  readonly tenant: string;
  readonly frames: number;
}

/** null: no limit. */
export interface TenantQuota {
  readonly framesMax: number | null;
  readonly bytesMax: number | null;
}

export interface VersionsPage {
  readonly before: number | null;
  readonly limit: number;
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
