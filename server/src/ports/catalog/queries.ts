import type { EngineName } from '../../model/engine-name.ts';
import type { ErrorKind } from '../../model/errors.ts';

/** Statements that tenants have given a name, and those that callers have run. Each is safe to repeat, except `addHistory`. */
export interface QueryCatalog {
  /** Those of a tenant, sorted by name. They are all in one answer: `saveQuery` keeps them few. */
  savedQueries(tenant: string): Promise<readonly SavedQuery[]>;
  /** Creates it, or replaces one of the same name. quota_exceeded above the limits: then nothing was changed. */
  saveQuery(tenant: string, query: SavedQuery, limits: SavedLimits): Promise<{ readonly isCreated: boolean }>;
  /** Whether there was one. */
  removeQuery(tenant: string, name: string): Promise<boolean>;
  /** Adds entries in this order, then forgets the oldest of each of their callers above `keptMax`. Repeating it would add them twice. */
  addHistory(entries: readonly NewHistoryEntry[], keptMax: number, now: number): Promise<void>;
  /** Entries of one caller, newest first. A page ends early if its texts are long; the next one begins after its last entry. */
  history(tenant: string, caller: string, page: HistoryPage): Promise<HistorySlice>;
  clearHistory(tenant: string, caller: string): Promise<void>;
}

export interface SavedQuery {
  readonly name: string;
  readonly sql: string;
  /** Milliseconds since 1970. */
  readonly savedAt: number;
  /** What logs call the caller who saved it. */
  readonly savedBy: string;
}

/** Of one tenant. */
export interface SavedLimits {
  readonly countMax: number;
  /** Of all texts and names together. */
  readonly bytesMax: number;
}

export interface HistoryEntry {
  /** Grows from entry to entry of a caller. It does not count: nobody sees how busy others are. */
  readonly id: number;
  readonly queryId: string;
  readonly sql: string;
  readonly engine: EngineName;
  readonly state: 'done' | 'failed' | 'cancelled';
  readonly error: { readonly code: ErrorKind; readonly detail: string } | null;
  readonly rows: number;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly durationMs: number;
}

export interface NewHistoryEntry extends Omit<HistoryEntry, 'id'> {
  readonly tenant: string;
  readonly caller: string;
}

export interface HistoryPage {
  /** Entries before this id; null: from the newest on. */
  readonly before: number | null;
  readonly limit: number;
  /** Only statements that contain this text, whatever the case of ASCII letters. */
  readonly search: string | null;
}

export interface HistorySlice {
  readonly entries: readonly HistoryEntry[];
  readonly hasMore: boolean;
}
