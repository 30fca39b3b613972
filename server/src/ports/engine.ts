import type { FrameNotes } from '../model/notes.ts';
import type { IpcMessage } from './renderer.ts';

/**
 * SQL over the Parquet files of frames. It speaks of statements, files and Arrow batches, so that another engine can be
 * behind it. It knows only the names that it is given. It checks no access: the caller has done that for each table.
 */
export interface Engine {
  /**
   * Waits for a slot, first come, first served, and parses the statement. overloaded if too many wait or none came free in
   * time; sql_invalid for what does not parse, with its place if the parser gives one; sql_refused for what is not one statement of an allowed kind, or uses what
   * no statement may use. Aborting the signal ends the statement at any later point, too. `tenant`: whose statement it is; what an engine
   * keeps from one statement to the next, no other tenant's statement meets.
   */
  begin(sql: string, tenant: string, signal: AbortSignal, earlier?: EarlierRuns): Promise<EngineStatement>;
  /** The words that statements can use. Takes a slot for a moment, as a statement does. */
  vocabulary(signal: AbortSignal): Promise<EngineVocabulary>;
  close(): Promise<void>;
}

/** What is known of a statement before it begins. */
export interface EarlierRuns {
  /** They count for its time limit. */
  readonly workedMs?: number;
  /** What the text is, as this engine has said of it for the same tenant: then it need not say it again before it binds. */
  readonly known?: StatementShape | null;
  /** It reads the catalogs of `BindRequest.postgres`, in place of tables. */
  readonly isPostgres?: boolean;
}

export interface EngineVocabulary {
  /** Those that statements may call, sorted by name. */
  readonly functions: readonly EngineFunction[];
  /** In capitals, sorted. */
  readonly keywords: readonly string[];
}

export interface EngineFunction {
  readonly name: string;
  /** table: to read from, as FROM range(3). */
  readonly kind: 'scalar' | 'aggregate' | 'table';
  /** Their names, of the form with the most of them. */
  readonly parameters: readonly string[];
  readonly description: string | null;
}

/** A statement that holds a slot in the engine until it is closed. Its methods are called one after another, in this order. */
export interface EngineStatement {
  /** Milliseconds that it waited for its slot. */
  readonly waitedMs: number;
  /** Milliseconds that it has worked, with those of earlier runs: what its time limit counts. */
  readonly workedMs: number;
  readonly shape: StatementShape;
  /** While it runs: how much of the work is done, from 0 to 1, as the engine estimates it. null if it is not known. */
  readonly progress: number | null;
  /** Gives the tables, and binds: types of the parameters, schema of the rows. sql_invalid, column_not_readable. */
  bind(request: BindRequest): Promise<BoundStatement>;
  /**
   * Record and dictionary batches, as they are made, under back-pressure; each at most some 4 MiB. With several rows of parameters the
   * results follow each other. A body can be read until the next message is requested. Ends normally only if the result is complete: sql_failed, sql_timeout, sql_memory, engine_failed otherwise.
   */
  run(parameters: StatementParameters | null): AsyncIterable<IpcMessage>;
  /**
   * Instead of `run`, by engines whose workers write a result themselves: Parquet files in the new folder at this address, complete when the
   * promise resolves. Fails as `run` does. Absent: rows are read with `run`.
   */
  write?(parameters: StatementParameters | null, address: string): Promise<void>;
  /**
   * It is bound, and nobody needs it now: as soon as another statement wants its slot, `giveUp` is called, which closes it, or says with false that it
   * is in use again. At most once. Absent: it is not asked to.
   */
  spare?(giveUp: () => boolean): void;
  /** Frees the slot; stops what runs. Safe at any time, and again. */
  close(): Promise<void>;
}

/** What a statement is, according to the engine's own parser. */
export interface StatementShape {
  readonly kind: 'query' | 'explain' | 'create' | 'insert' | 'drop' | 'comment';
  /** create, insert, drop, comment: what is changed. */
  readonly target: StatementTarget | null;
  /** Tables that it reads, as written, each once (lower case compares equal). Common table expressions are not among them. */
  readonly tables: readonly string[];
  /** The texts of its `tsdb('…')`, each once. The n-th is given as the table that `upstreamTable(n)` names. */
  readonly upstreamQueries: readonly string[];
  /** The views of the catalog that it reads, each once. They are made of `BindRequest.catalog`. */
  readonly catalog: readonly CatalogView[];
  readonly parameterCount: number;
  /**
   * What is the same each time it runs with the same parameters and reads the same versions of the same frames: the rows (or others that would be as
   * right), or only their columns. Absent if neither is certain, as for what reads anything else than frames.
   */
  readonly repeats?: 'rows' | 'columns';
  /** It reads PostgreSQL's catalogs: the key of those that its process has of this tenant; null if it has none. */
  readonly catalogKey?: string | null;
}

/** Views of `information_schema` that statements can read. */
export const catalogViews = ['tables', 'columns', 'schemata'] as const;
export type CatalogView = (typeof catalogViews)[number];

/** A frame as the catalog's views show it. */
export interface CatalogFrame {
  /** As a statement writes it: with the owner before it if another tenant shares it. */
  readonly name: string;
  /** null if no view has columns. */
  readonly schemaMessage: Uint8Array | null;
  /** What people say of it; null also for what others share. */
  readonly notes: FrameNotes | null;
}

export interface StatementTarget {
  readonly name: string;
  /** create: CREATE OR REPLACE. */
  readonly orReplace: boolean;
  /** create: IF NOT EXISTS. drop: IF EXISTS. Then it is no failure if there is nothing to do. */
  readonly conditional: boolean;
  /** insert: the columns named, in order; null for all of the table's. */
  readonly columns: readonly string[] | null;
  /** insert: BY NAME. */
  readonly byName: boolean;
  /** comment: what is said. */
  readonly comment?: StatementComment;
}

export interface StatementComment {
  /** null: it is of the table. */
  readonly column: string | null;
  /** null removes it. */
  readonly text: string | null;
}

export interface BindRequest {
  readonly tables: readonly EngineTable[];
  /** What the views in `StatementShape.catalog` show: all that the caller may read, and nothing else. */
  readonly catalog?: readonly CatalogFrame[];
  /**
   * insert: the columns of the table that is inserted into. The rows then have exactly this schema: values are cast as the engine does in an
   * INSERT, but fail (sql_failed) if that would change them; columns that are not named are null. schema_conflict if the engine cannot produce that type.
   */
  readonly insertInto: Uint8Array | null;
  /** Values for the parameters, if they are already known: the types of the rows can depend on them. `run` then gets the same. */
  readonly parameters?: StatementParameters | null;
  /** `run` follows, with `parameters`, unless this fails: the engine may begin with it at once. */
  readonly runs?: boolean;
  /** For a statement that reads PostgreSQL's catalogs. */
  readonly postgres?: PostgresCatalogs;
}

/** A frame's version as the engine reads it. */
export interface EngineTable {
  /** As in `StatementShape.tables`. */
  readonly name: string;
  /** The version's IPC schema message: it says what the columns of the files mean. */
  readonly schemaMessage: Uint8Array;
  /** Parquet files in row order, as the engine opens them: paths on this machine, or addresses if it runs elsewhere. A column that is not in them cannot be read. */
  readonly files: readonly string[];
  /** Which rows of the files together; absent: all. An engine on other machines is never given it. */
  readonly cut?: { readonly offset: number; readonly limit: number };
}

export interface BoundStatement {
  /** IPC schema message of the rows; without fields if their types depend on parameters that were not given; then the statement cannot run. */
  readonly schemaMessage: Uint8Array;
  /** IPC schema message of the parameters; names are $1, $2 … or those of named parameters. Null type if the engine does not know. */
  readonly parameterSchemaMessage: Uint8Array;
}

/** Values for the parameters: a list or an object out of JSON, in which a bigint is a whole number and a number a double; or an Arrow IPC stream with a column for each and a row for each run. */
export type StatementParameters =
  | { readonly kind: 'json'; readonly values: readonly unknown[] | Readonly<Record<string, unknown>> }
  | { readonly kind: 'arrow'; readonly stream: Uint8Array };

/** The session of a client of PostgreSQL, as its functions show it. */
export interface PostgresSession {
  readonly database: string;
  readonly user: string;
  readonly backendId: number;
  readonly settings: ReadonlyMap<string, string>;
}

/** What PostgreSQL's catalogs show one tenant. */
interface PostgresCatalogs {
  readonly session: PostgresSession;
  /** Of the frames: the same key, the same frames. */
  readonly key: string;
  /** null: the process has them, by its `StatementShape.catalogKey`. */
  readonly frames: PostgresFrames | null;
}

/** Frames as relations. There may be a hundred thousand, so they are texts that the engine takes apart. */
export interface PostgresFrames {
  /** A line for each frame: its OID, the number of its owner, the number of its schema, and its name, with blanks between. */
  readonly lines: readonly string[];
  /** The caller's tenant first. */
  readonly owners: readonly PostgresOwner[];
  /** IPC schema messages, each once. */
  readonly schemaMessages: readonly Uint8Array[];
  /** What people say of frames and columns. */
  readonly comments: readonly PostgresComment[];
}

/** The OID of a relation, a name of a column or null, and the text. */
export type PostgresComment = readonly [oid: number, column: string | null, text: string];

export interface PostgresOwner {
  /** Of its role, and of its schema if that is not `public`. */
  readonly oid: number;
  readonly name: string;
  readonly schema: string;
}

/** The table with the result of the n-th upstream query of a statement, from 0. No frame can have such a name. */
export function upstreamTable(index: number): string {
  return `tsdb:${index}`;
}
