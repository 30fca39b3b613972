/** The JSON answers of the server, as docs/reference/http.md describes them. Times are ISO texts. */

export interface ColumnType {
  readonly name: string;
  readonly type: string;
  /** Of arrays. */
  readonly dim?: number;
  readonly elemType?: string;
}

export interface Origin {
  readonly kind: 'upload' | 'append' | 'query' | 'restored';
  readonly format: string;
  /** Of a restored version: the version whose rows these are. */
  readonly from?: number;
  readonly text?: Readonly<Record<string, string>>;
  readonly query?: { readonly text: string; readonly sources: readonly string[] };
}

/** A manifest as lists have it. */
export interface ManifestSummary {
  /** `name@version` */
  readonly handle: string;
  readonly name: string;
  readonly version: number;
  readonly frameId: string;
  readonly rows: number;
  readonly bytes: number;
  readonly parts: number;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  /** How many versions of the name are kept, if that was set for the name. */
  readonly versionsKeep?: number;
  readonly origin: Origin;
}

export interface Manifest extends ManifestSummary {
  readonly columns: readonly ColumnType[];
}

export interface FramePage {
  readonly frames: readonly ManifestSummary[];
  readonly next: string | null;
}

export interface ListedVersion extends ManifestSummary {
  /** What keeps the version, however many newer ones there are; absent if nothing does. */
  readonly pins?: readonly VersionPin[];
}

export interface VersionPin {
  readonly by: 'link' | 'tag' | 'file' | 'statement' | 'file-being-made';
  readonly count: number;
  /** When the last of them ends; null: never by itself. */
  readonly until: string | null;
}

export interface VersionPage {
  readonly name: string;
  readonly versions: readonly ListedVersion[];
  readonly next: string | null;
}

/** What a dry run found in CSV or JSON. */
export interface ImportReport {
  readonly format: string;
  readonly partial: boolean;
  readonly text?: Readonly<Record<string, string>>;
  readonly columns: readonly { readonly name: string; readonly type: string; readonly why: string }[];
  /** The first rows as written. */
  readonly rows: readonly (readonly (string | null)[])[];
  readonly rowCount: number;
  readonly problem: { readonly detail: string; readonly hint?: string } | null;
}

export interface Bin {
  readonly from: string;
  readonly to: string;
  readonly count: number;
}

export type Histogram =
  | { readonly kind: 'range'; readonly bins: readonly Bin[] }
  | {
      readonly kind: 'values';
      readonly values: readonly { readonly value: string; readonly count: number }[];
      readonly others: number;
    };

/** Texts are exact, written as in the JSON cells of `/exec`. */
export interface ColumnStatistics {
  readonly name: string;
  readonly type: string;
  /** null if SQL cannot read the column; so is `distinct`. */
  readonly nulls: number | null;
  /** An estimate; exact if the histogram lists values. */
  readonly distinct: number | null;
  readonly min: string | null;
  readonly max: string | null;
  readonly mean: string | null;
  /** Of floating-point numbers: how many are NaN or infinite. */
  readonly notFinite?: number;
  readonly histogram: Histogram | null;
  /** Why there is no histogram. */
  readonly reason?: string;
}

export interface Statistics {
  readonly handle: string;
  readonly rows: number;
  readonly columns: readonly ColumnStatistics[];
}

export interface Diff {
  readonly from: number;
  readonly to: number;
  readonly schema: {
    readonly added: readonly ColumnType[];
    readonly removed: readonly ColumnType[];
    readonly changed: readonly { readonly name: string; readonly from: string; readonly to: string }[];
    readonly reordered: boolean;
  };
  readonly rows:
    | { readonly kind: 'same' }
    | { readonly kind: 'appended'; readonly count: number; readonly offset: number }
    | {
        readonly kind: 'compared';
        readonly onlyInFrom: number;
        readonly onlyInTo: number;
        readonly inBoth: number;
        /** Only if the columns differ: those that were compared. */
        readonly columns?: readonly string[];
      }
    | { readonly kind: 'not_comparable'; readonly reason: string };
}

export interface NewLink {
  readonly handle: string;
  readonly id: string;
  readonly link: string;
  /** Absolute; reads the rows. */
  readonly url: string;
  /** Absolute; the version as a Parquet file that can be read in ranges. Absent in answers of older servers. */
  readonly fileUrl?: string;
  readonly expiresAt: string;
}

export interface LinkEntry {
  readonly id: string;
  readonly handle: string;
  readonly createdAt: string;
  readonly createdBy: string;
  readonly expiresAt: string;
}

/** A name for a version, which keeps it. */
export interface Tag {
  readonly tag: string;
  /** `name@version`. */
  readonly handle: string;
  readonly version: number;
  readonly setAt: string;
  readonly setBy: string;
}

/** What people say of a frame. It belongs to the name, whatever its versions are. */
export interface FrameNotes {
  readonly description: string | null;
  readonly owner: string | null;
  readonly labels: readonly string[];
  /** By the names of columns. */
  readonly columns: Readonly<Record<string, ColumnNotes>>;
}

export interface ColumnNotes {
  readonly comment: string | null;
  /** Of its values: `USD`, `m/s`. */
  readonly unit: string | null;
}

export interface NotesChange {
  readonly description?: string | null;
  readonly owner?: string | null;
  /** All of them. */
  readonly labels?: readonly string[] | null;
  /** Those that change. */
  readonly columns?: Readonly<Record<string, Partial<ColumnNotes> | null>> | null;
}

/** What a statement that returns no rows did. */
export interface Change {
  readonly kind: 'change';
  readonly query: string;
  /** Rows put or appended. */
  readonly rows: number;
  /** The new version; null after a drop, or if there was nothing to do. */
  readonly frame: Manifest | null;
  readonly queryId: string | undefined;
}

export interface StatementFailure {
  readonly code: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly hint?: string;
}

/** What can run a statement. */
export type EngineName = 'duckdb' | 'spark';

export interface RunningQuery {
  readonly id: string;
  readonly tenant: string;
  /** What runs it, while it waits or runs. */
  readonly engine?: EngineName;
  readonly state: 'waiting' | 'running' | 'failed';
  readonly startedAt: string;
  readonly endedAt?: string;
  /** The first 1000 characters; an operator does not see it. */
  readonly query?: string;
  readonly rows?: number;
  /** 0 to 1, or null if it is not known. */
  readonly progress?: number | null;
  readonly elapsedMs?: number;
  readonly error?: StatementFailure;
}

export interface SavedQuery {
  readonly name: string;
  readonly sql: string;
  readonly savedAt: string;
  readonly savedBy: string;
}

export interface HistoryEntry {
  readonly id: string;
  readonly queryId: string;
  readonly sql: string;
  readonly engine: EngineName;
  readonly state: 'done' | 'failed' | 'cancelled';
  readonly error: { readonly code: string; readonly detail: string } | null;
  readonly rows: number;
  readonly startedAt: string;
  readonly durationMs: number;
}

export interface HistoryPage {
  readonly history: readonly HistoryEntry[];
  readonly next: string | null;
}

export interface TenantLimits {
  readonly bytesMax: number | null;
  readonly framesMax: number | null;
  readonly queriesMax: number | null;
  readonly streamsMax: number | null;
  readonly requestsPerSecond: number | null;
  readonly requestsBurst: number | null;
}

/** As numbers or as text (`10GB`); null returns to the server's limit. */
export type NewTenantLimits = { readonly [Limit in keyof TenantLimits]?: number | string | null };

export interface Tenant {
  readonly tenant: string;
  readonly frames: number;
  readonly bytes: number;
  readonly requests: number;
  readonly requestsRefused: number;
  readonly queries: number;
  readonly streams: number;
  /** Whose requests and streams these are; absent on a server alone. */
  readonly node?: string;
  readonly shares: { readonly given: number; readonly received: number };
  readonly limits: TenantLimits;
  readonly limitsSet: Partial<TenantLimits>;
  /** Held only because links, tags or jobs name it. */
  readonly pinned?: { readonly versions: number; readonly bytes: number };
  /** Bytes of its objects. `complete` is false if there are more of them than are counted. */
  readonly stored?: { readonly arrow: number; readonly parquet: number; readonly complete: boolean };
  readonly sharedWith?: readonly { readonly tenant: string; readonly frames: number }[];
  readonly sharedBy?: readonly { readonly tenant: string; readonly frames: number }[];
}

export interface TenantPage {
  readonly tenants: readonly Tenant[];
  readonly next: string | null;
}

export interface Status {
  readonly version: string;
  readonly startedAt: string;
  readonly ready: boolean;
  /** Whether anyone who can connect has full access. */
  readonly open: boolean;
  readonly tsdb: boolean;
  /** What can run the statements of the caller's tenant, the default first. */
  readonly engines: readonly EngineName[];
  /** Where clients of Arrow Flight connect; null if it is a unix socket. */
  readonly flight: string | null;
  /** An operator belongs to no tenant. */
  readonly caller: {
    readonly tenant: string | null;
    readonly name: string;
    readonly scopes: readonly string[];
  };
  /** Only on an open server: the command that closes it. */
  readonly closeCommand?: string;
  readonly settling?: { readonly parts: number; readonly bytes: number };
  readonly storage?: {
    readonly frames: number;
    readonly bytes: number;
    readonly bytesMax: number | null;
    readonly pinned: PinnedStorage;
  };
  readonly statements?: { readonly waiting: number; readonly running: number };
  readonly limits?: TenantLimits;
}

/** Held only because links, tags or jobs name it, as the last sweep found it. */
export interface PinnedStorage {
  readonly versions: number;
  readonly bytes: number;
  /** Those with most bytes. `until`: when the first of its versions may end; null: none ends by itself. */
  readonly frames: readonly {
    readonly name: string;
    readonly versions: number;
    readonly bytes: number;
    readonly until: string | null;
  }[];
}

export interface SqlFunction {
  readonly name: string;
  readonly kind: string;
  readonly parameters: readonly string[];
  readonly description: string | null;
}
