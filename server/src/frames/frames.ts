import type { Caller } from '../model/caller.ts';
import type { ExpectedVersion } from '../model/expected-version.ts';
import type { Handle } from '../model/handle.ts';
import type { DescribedVersion, QueryOrigin, VersionRecord, VersionSummary } from '../model/version.ts';
import type { VersionPin } from '../ports/catalog/pins.ts';
import type { Listed, ListPage, Undropped, VersionsPage } from '../ports/catalog/versions.ts';
import type { CsvOptions, InspectReport, UploadFormat } from '../ports/codec.ts';
import type { Reading } from '../ports/reading.ts';
import type { ResultFolder } from '../ports/result-folders.ts';
import type { RowRange } from './locality/row-ranges.ts';

/** The core as the listeners see it. Each method checks the caller's access and the handle, and stops when the signal aborts. */
export interface Frames {
  /** Begins a put. It is invisible until `finish` resolves; `abort` leaves nothing behind in any other case. */
  beginPut(caller: Caller, target: PutTarget, signal: AbortSignal): Promise<PutSession>;
  /** What the same put answered within the last day, if it has an idempotency key. For callers that make the rows only then: a statement. */
  replayed(caller: Caller, target: PutTarget): Promise<PutOutcome | null>;
  /** Begins a put of Parquet files that an engine writes, with rows of this schema (an IPC schema message). */
  beginPutFiles(
    caller: Caller,
    target: PutTarget,
    schemaMessage: Uint8Array,
    signal: AbortSignal,
  ): Promise<PutFilesSession>;
  /** Begins a put that stores nothing and says what was found in its bytes. `partial`: they are the beginning of a file. */
  beginInspection(
    caller: Caller,
    target: PutTarget,
    partial: boolean,
    signal: AbortSignal,
  ): Promise<InspectionSession>;
  resolve(caller: Caller, handle: Handle, signal: AbortSignal): Promise<VersionRecord>;
  /** The version, and its rows in at most so many ranges that can be read at the same time. */
  split(caller: Caller, handle: Handle, rangesMax: number, signal: AbortSignal): Promise<SplitVersion>;
  /** Names only, for look-ups. */
  names(caller: Caller, page: ListPage, signal: AbortSignal): Promise<readonly string[]>;
  list<Schemas extends boolean = false>(
    caller: Caller,
    page: ListPage<Schemas>,
    signal: AbortSignal,
  ): Promise<readonly Listed<Schemas>[]>;
  versions<Schemas extends boolean = false>(
    caller: Caller,
    name: string,
    page: VersionsPage<Schemas>,
    signal: AbortSignal,
  ): Promise<readonly Listed<Schemas>[]>;
  /** What pins these versions, which are a page of the versions of one name. */
  pins(
    caller: Caller,
    versions: readonly VersionSummary[],
    signal: AbortSignal,
  ): Promise<readonly VersionPin[]>;
  /** Opens a version for reading; the caller releases the reading. column_not_found for an unknown column. */
  read(caller: Caller, handle: Handle, range: ReadRange, signal: AbortSignal): Promise<Reading>;
  /** Drops a name or one version. A name can be undropped for a while, unless it is purged. */
  drop(caller: Caller, handle: Handle, options: DropOptions, signal: AbortSignal): Promise<void>;
  /** Brings the name back as it was when it was last dropped; returns its newest version. */
  undrop(caller: Caller, name: string, signal: AbortSignal): Promise<Undropped>;
  /** Makes the rows of an earlier version the newest one. */
  restore(caller: Caller, name: string, target: RestoreTarget, signal: AbortSignal): Promise<PutOutcome>;
  /** Sets or clears the expiry of a name; returns its newest version. */
  expire(caller: Caller, name: string, change: ExpiryChange, signal: AbortSignal): Promise<VersionRecord>;
  /** Sets or clears how many versions of a name are kept; returns its newest version. */
  keepVersions(caller: Caller, name: string, change: KeepChange, signal: AbortSignal): Promise<VersionRecord>;
}

export interface KeepChange {
  /** null: as many as the server keeps of all names. */
  readonly versionsKeep: number | null;
  /** The newest version must be this one. */
  readonly ifVersion?: ExpectedVersion;
}

export interface DropOptions {
  readonly ifVersion: ExpectedVersion | null;
  /** Deletes the content at once. For a name that is already dropped: what was kept for undropping it. */
  readonly purge: boolean;
}

export interface ExpiryChange {
  /** After a time to live from now on, at a time (milliseconds since 1970), or never. */
  readonly expires: { readonly ttlMs: number } | { readonly at: number } | null;
  /** The newest version must be this one. */
  readonly ifVersion?: ExpectedVersion;
}

/** A condition on the newest version, as a listener reads it in a request. */
export interface VersionGuard {
  /** As it was sent: a repeated request has the same. */
  readonly text: string;
  /** The version that may be changed: the newest, or the one that is `called` something else. version_mismatch if it is another one, or if there is none (null). */
  allows(newest: VersionSummary | null, called?: string): ExpectedVersion;
}

/** What a caller wants to be true for a change. */
export interface ChangeConditions {
  readonly ifMatch?: VersionGuard;
  /** The name must be free. */
  readonly createOnly?: true;
  /** Makes repeating the request safe. */
  readonly idempotencyKey?: string;
}

export interface RestoreTarget {
  readonly version: number;
  readonly ifVersion?: ExpectedVersion;
  /** In place of `ifVersion`. */
  readonly ifMatch?: VersionGuard;
  readonly idempotencyKey?: string;
}

export interface PutTarget {
  /** null: the server mints one. */
  readonly name: string | null;
  readonly mode: 'create' | 'replace' | 'append';
  /** null clears the expiry, undefined leaves it. */
  readonly ttlMs?: number | null;
  readonly ifVersion?: ExpectedVersion;
  /** In place of `ifVersion`. */
  readonly ifMatch?: VersionGuard;
  readonly idempotencyKey?: string;
  /** What must be the same if the key comes again, in place of the rest of this and the bytes: these are the rows of a statement. */
  readonly fingerprint?: string;
  /** What the bytes are. Arrow streams are kept as they come; the rest is decoded first. */
  readonly format: 'arrow' | UploadFormat;
  /** What the manifest calls the origin: flight, arrow, csv … */
  readonly originFormat: string;
  /** The statement whose rows these are: then it is the origin. */
  readonly query?: QueryOrigin;
  readonly csv?: CsvOptions;
  /** How many bytes are announced: refused at once if they do not fit. */
  readonly bytesAnnounced?: number;
  /** Digests that the caller gave; compared before anything is committed. */
  readonly digests?: readonly ContentDigest[];
  /** The digests are of the bytes given to `sent`, because the content has a coding. */
  readonly digestOfSent?: boolean;
}

export interface ContentDigest {
  readonly algorithm: 'sha256' | 'sha512';
  readonly hex: string;
}

export interface PutSession {
  /** Resolves when more may be written; the buffers belong to the session. Rejects with bad_body as soon as the check has found a fault. */
  write(buffers: readonly Uint8Array[]): Promise<void>;
  /** Content as it came, before its coding was undone. Only with `digestOfSent`: kept until its digest was compared. */
  sent(buffers: readonly Uint8Array[]): Promise<void>;
  /** Checks, makes durable, commits. */
  finish(): Promise<PutOutcome>;
  /** Leaves nothing behind. Safe at any time, also after finish. */
  abort(): Promise<void>;
}

export interface PutFilesSession {
  /** Copies, checks and commits a complete result. Answers how many rows it has, too. */
  finish(folder: ResultFolder): Promise<PutOutcome & { readonly rows: number }>;
  /** Leaves nothing behind. Safe at any time, also after finish. */
  abort(): Promise<void>;
}

export interface InspectionSession {
  write(buffers: readonly Uint8Array[]): Promise<void>;
  finish(): Promise<InspectReport>;
  /** Leaves nothing behind. Safe at any time, also after finish. */
  abort(): Promise<void>;
}

export interface PutOutcome {
  readonly record: DescribedVersion;
  /** The name was not live before. */
  readonly created: boolean;
  /** An idempotency key was given again: the answer is the earlier one. */
  readonly replayed: boolean;
  /** Of a replay: the rows that the put has added, if they are known. */
  readonly added?: number;
  /** Name of the expired frame that this put replaced. */
  readonly expired: string | null;
}

export interface SplitVersion {
  readonly record: VersionRecord;
  /** All rows, in order; at least one range. */
  readonly ranges: readonly RowRange[];
}

export interface ReadRange {
  readonly columns?: readonly string[];
  readonly offset?: number;
  readonly limit?: number;
  /** The form to read if the whole version is wanted and all of it has that form, exactly. Default: Arrow. */
  readonly form?: 'parquet';
}
