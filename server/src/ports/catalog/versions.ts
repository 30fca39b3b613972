import type { ExpectedVersion } from '../../model/expected-version.ts';
import type { TenantQuota } from '../../model/limits/tenant-limit-values.ts';
import type {
  DescribedVersion,
  Origin,
  PartForm,
  PartRecord,
  SchemaRecord,
  StoredObject,
  VersionRecord,
  VersionSummary,
} from '../../model/version.ts';

/** Names and their versions: what callers put, read and drop. */
export interface VersionCatalog {
  /** The newest version, or the one named. frame_not_found, frame_gone. */
  resolve(tenant: string, name: string, version: number | null, now: number): Promise<VersionRecord>;
  /** The parts of a version, in row order. frame_gone if the version has another id than the one that is given. */
  parts(tenant: string, name: string, version: number, versionId?: string): Promise<readonly PartRecord[]>;
  /** Only those that hold rows from `first` to before `end`: a version may have ten thousand parts, and a page of it needs one or two. */
  partsBetween(
    tenant: string,
    name: string,
    version: number,
    first: number,
    end: number,
    versionId?: string,
  ): Promise<PartsBetween>;
  /**
   * Which rows were appended after version `after` (0: all) up to `until` (null: the newest), of which `after` need not be kept. Nor need `until`, if the
   * newest version begins with its rows. frame_not_found, frame_gone; not_append_only if `until` does not begin with the rows of `after`;
   * position_unknown if it is too long ago.
   */
  rowPositions(
    tenant: string,
    name: string,
    after: number,
    until: number | null,
    now: number,
  ): Promise<RowPositions>;
  commit(change: Commit): Promise<Committed>;
  /**
   * The answer a committed change with this key had within the last day, if any. idempotency_conflict if the fingerprint differs, or the body if
   * it is given. frame_gone if the version has ended and had too many columns to keep them for an answer.
   */
  replay(
    tenant: string,
    key: string,
    fingerprint: string,
    now: number,
    body?: string,
  ): Promise<Committed | null>;
  /** Live names in order of their lower-case form. */
  names(tenant: string, page: ListPage, now: number): Promise<readonly string[]>;
  /** The same, with their newest versions. */
  list<Schemas extends boolean = false>(
    tenant: string,
    page: ListPage<Schemas>,
    now: number,
  ): Promise<readonly Listed<Schemas>[]>;
  /** Kept versions of a live name, newest first, below `before` if it is given. */
  versions<Schemas extends boolean = false>(
    tenant: string,
    name: string,
    page: VersionsPage<Schemas>,
    now: number,
  ): Promise<readonly Listed<Schemas>[]>;
  /** Sets or clears (null) the time at which the name expires; returns its newest version, which must be `ifVersion` if that is given. */
  expire(
    tenant: string,
    name: string,
    expiresAt: number | null,
    now: number,
    ifVersion?: ExpectedVersion | null,
  ): Promise<VersionRecord>;
  /** Sets how many versions of the name are kept, or clears it (null); the next sweep prunes. Otherwise as `expire`. */
  keepVersions(
    tenant: string,
    name: string,
    versionsKeep: number | null,
    now: number,
    ifVersion?: ExpectedVersion | null,
  ): Promise<VersionRecord>;
  /** The rows of an earlier version become the next one, out of the same parts. frame_gone or frame_not_found for a version that is not kept. */
  restore(change: Restore): Promise<Committed>;
  /**
   * Drops the name, or the one version. A name that ends with it can come back for `undropMs`, but never after its expiry: until then its
   * parts are kept and count as the tenant's bytes.
   */
  drop(change: Drop): Promise<void>;
  /**
   * Brings back what was dropped last under this name: all versions that were kept, the expiry, no shares. name_in_use or name_conflict
   * if the name is live; frame_gone or frame_not_found if nothing can come back; quota_exceeded above `framesMax`.
   */
  undrop(change: Undrop): Promise<Undropped>;
  /** Removes what is kept of earlier drops of this name; returns how many there were. */
  purge(tenant: string, name: string): Promise<number>;
  usage(tenant: string): Promise<TenantUsage>;
}

export interface PartsBetween {
  /** Rows of the parts before these. */
  readonly rowsBefore: number;
  readonly parts: readonly PartRecord[];
}

/** Rows `firstRow` to before `endRow` of a version that is kept. */
export interface RowPositions {
  /** The one that is read. */
  readonly version: number;
  readonly versionId: string;
  /** The version that ends with these rows: the same, or an earlier one that is no longer kept. */
  readonly until: number;
  readonly untilId: string;
  readonly firstRow: number;
  readonly endRow: number;
}

export interface NewPart {
  readonly id: string;
  readonly rows: number;
  readonly arrow: StoredObject;
}

/** A part that came as Parquet files, in row order: they are its only form, and its rows are what readers find in them. */
export interface NewParquetPart {
  readonly id: string;
  readonly rows: number;
  readonly parquet: readonly StoredObject[];
}

/** The form that a new part begins with. */
export function firstForm(part: NewPart | NewParquetPart): PartForm {
  return 'arrow' in part
    ? { kind: 'arrow', objects: [part.arrow], exact: true }
    : { kind: 'parquet', objects: part.parquet, exact: true };
}

/** What the part counts for its tenant, however it is stored later. */
export function putBytes(part: NewPart | NewParquetPart): number {
  return firstForm(part).objects.reduce((sum, object) => sum + object.bytes, 0);
}

/** A key that a caller has chosen for a change, and what must be the same if it comes again. */
export interface Idempotency {
  readonly key: string;
  /** Of everything about the request but its body. */
  readonly fingerprint: string;
  /** The SHA-256 of the body, if it has one. Keys of older servers were kept without it; then it is not compared. */
  readonly body?: string | undefined;
}

export interface Commit {
  readonly tenant: string;
  readonly name: string;
  /** `create` needs a free name, `append` a live one; `replace` accepts either (the next version, a new log of parts). */
  readonly mode: 'create' | 'replace' | 'append';
  /** The newest version must be this one. */
  readonly ifVersion: ExpectedVersion | null;
  readonly part: NewPart | NewParquetPart;
  /** The schema of the new version. */
  readonly schema: SchemaRecord;
  /** append: the hash of the newest schema that `schema` was compared with; another one is schema_conflict. */
  readonly baseSchemaHash: string | null;
  /** undefined leaves the name's expiry as it is (none for a new name). Ignored by append. */
  readonly expiresAt: number | null | undefined;
  readonly origin: Origin;
  /** quota_exceeded if the tenant would hold more than this; null: no quota. */
  readonly quota: TenantQuota | null;
  readonly idempotency: Idempotency | null;
  readonly now: number;
}

export interface Restore {
  readonly attempt: string;
  readonly tenant: string;
  readonly name: string;
  /** The one whose rows come back. */
  readonly version: number;
  readonly ifVersion: ExpectedVersion | null;
  readonly idempotency: Idempotency | null;
  readonly now: number;
}

export interface Drop {
  readonly attempt: string;
  readonly tenant: string;
  readonly name: string;
  /** null: the whole name. */
  readonly version: number | null;
  /** The newest version must be this one. */
  readonly ifVersion: ExpectedVersion | null;
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
  /** Of a replay: the rows of the part that the change has added. Absent for keys of older servers. */
  readonly added?: number;
  /** Name of the expired frame that this change replaced. */
  readonly expired: string | null;
}

/** A version as a list gives it, with or without its schema. */
export type Listed<Schemas extends boolean> = Schemas extends true ? VersionRecord : VersionSummary;

export interface SchemasOption<Schemas extends boolean> {
  /** A page with schemas ends early if they become large: only an empty page is the last. */
  readonly schemas?: Schemas;
}

export interface ListPage<Schemas extends boolean = false> extends SchemasOption<Schemas> {
  readonly prefix: string;
  /** Lower-case name after which the page begins. */
  readonly after: string | null;
  readonly limit: number;
}

export interface VersionsPage<Schemas extends boolean = false> extends SchemasOption<Schemas> {
  readonly before: number | null;
  readonly limit: number;
}

/** What a tenant holds: live names, and the bytes of all kept parts as they were put, those of dropped names that can come back included. */
export interface TenantUsage {
  readonly frames: number;
  readonly bytes: number;
}
