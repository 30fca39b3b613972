import type { ChangeConditions } from '../frames/frames.ts';
import type { Caller } from '../model/caller.ts';
import type { EngineName } from '../model/engine-name.ts';
import type { Column, DescribedVersion } from '../model/version.ts';
import type { EngineVocabulary, PostgresSession, StatementParameters } from '../ports/engine.ts';
import type { SqlDescription } from '../ports/prepared-statements.ts';
import type { IpcMessage } from '../ports/renderer.ts';
import type { FailedState, QueryState } from '../ports/running-queries.ts';

/** SQL over held frames, as the listeners see it. Every frame that a statement names is seen at one version from start to end. */
export interface Sql {
  /** A statement of this caller. Nothing is checked, looked up or taken yet. */
  prepare(caller: Caller, sql: string, options?: StatementOptions): Statement;
  /** The functions and keywords that statements of an engine can use. Asked of the engine once. */
  vocabulary(caller: Caller, engine?: EngineName): Promise<EngineVocabulary>;
  /** The statements of the caller's tenant that wait or run, oldest first; for an operator those of all tenants, without their text. */
  queries(caller: Caller): Promise<readonly QueryState[]>;
  /**
   * One of them; or one that failed within the last ten minutes, with its reason, because an answer that is cut off cannot report it.
   * query_not_found if the caller has none of this id; `tenant` as for cancel.
   */
  query(caller: Caller, id: string, tenant?: string): Promise<QueryState | FailedState>;
  /**
   * Stops a statement; its own caller gets query_cancelled. query_not_found if the caller has none of this id. An operator may stop any: `tenant`
   * says whose, because tenants choose ids on their own; without it bad_request if several have one of this id.
   */
  cancel(caller: Caller, id: string, tenant?: string): Promise<void>;
}

/**
 * One statement, from its text to its end: `prepared → bound → running → done`, `failed` or `cancelled`. It is executed once. What is prepared once and run
 * many times is a text: prepare it again for each run, which costs a look-up of what is cached. A statement that was only prepared, or described, occupies
 * nothing for longer than a moment; one that occupies an engine's process occupies its tenant's slot.
 */
export interface Statement {
  /** What it would give, without running it. A tsdb() in it is described by the database with `limit 0`. */
  describe(signal: AbortSignal): Promise<SqlDescription>;
  /**
   * Begins it. Rows are made as they are read; a change (CREATE TABLE, INSERT, DROP TABLE, or `into`) is done when the promise
   * resolves. The caller releases the rows. A statement that reads what it changes takes effect only if that has not been changed meanwhile: else
   * it runs again, a few times, and then fails with write_conflict. Access is checked first, each time.
   */
  execute(values: StatementParameters | null, signal: AbortSignal): Promise<SqlOutcome>;
  /** Gives everything back, whatever it is doing. Safe at any time, and again. */
  close(): Promise<void>;
}

/** A statement as a request carries it. */
export interface SqlRequest extends StatementOptions {
  readonly sql: string;
  readonly parameters: StatementParameters | null;
}

export interface StatementOptions {
  /** What runs it; the default engine if absent. bad_request if the caller's tenant has no such engine. */
  readonly engine?: EngineName;
  /** Store the rows as a frame instead of returning them. Only for queries. */
  readonly into?: IntoTarget;
  /** On what it changes. bad_request if it changes nothing. */
  readonly conditions?: ChangeConditions;
  /** Refuses what changes anything: sql_refused. */
  readonly readOnly?: boolean;
  /** Refuses tsdb(): what a statement does in the external database is not decided here. */
  readonly heldOnly?: boolean;
  /** Chosen by the caller so that it can be cancelled before it has answered; minted if absent. */
  readonly id?: string;
  /**
   * In what form the caller will send the rows on: whatever its answer depends on beside the statement. Then an answer that was kept in this form may
   * come instead of rows.
   */
  readonly form?: string;
  /** Another id is used if the chosen one is in use. */
  readonly isIdOptional?: boolean;
  /** false: a program sends it for a person who did not write it, such as the pages of a sorted grid. */
  readonly inHistory?: boolean;
  /** A client of PostgreSQL sends it: what reads PostgreSQL's catalogs, or calls only its session's functions, is answered out of these. */
  readonly postgres?: PostgresSession;
}

export interface IntoTarget {
  /** null: the server mints one. */
  readonly name: string | null;
  readonly mode: 'create' | 'replace' | 'append';
  readonly ttlMs?: number | null;
}

export type SqlOutcome = SqlRows | SqlCached | SqlChange;

export interface SqlRows {
  readonly kind: 'rows';
  readonly id: string;
  readonly schemaMessage: Uint8Array;
  readonly markedSchemaMessage: Uint8Array;
  readonly columns: readonly Column[];
  /** Record and dictionary batches. Ends normally only if the result is complete. */
  readonly messages: AsyncIterable<IpcMessage>;
  /** `name@version` of every frame that is read. */
  readonly sources: readonly string[];
  readonly timings: SqlTimings;
  /** What the caller should know of them beside their values; absent or null: nothing. */
  readonly notice?: string | null;
  /** Takes the whole answer in the requested form, of at most so many bytes, for the next time; absent if it is not kept. */
  readonly keep?: { readonly bytesMax: number; readonly whole: (body: Buffer) => void };
  /**
   * For a reader that takes rows in portions, as with a cursor: it takes none for now. Meanwhile the statement keeps its process, its slot and its files, within
   * the limits of `waiting-rows.ts`. Returns the function to call before the next portion is taken: it throws query_cancelled if the statement was closed
   * meanwhile, with the reason and what to do. Absent: rows that hold nothing.
   */
  readonly wait?: () => () => void;
  release(): Promise<void>;
}

/** An answer to the same statement over the same versions, in the requested form. */
export interface SqlCached {
  readonly kind: 'kept';
  readonly id: string;
  readonly body: Buffer;
  readonly sources: readonly string[];
  readonly timings: SqlTimings;
  release(): Promise<void>;
}

export interface SqlChange {
  readonly kind: 'changed';
  readonly id: string;
  /** Rows put or appended; 0 for a drop. */
  readonly rows: number;
  /** The version that was made; null for a drop, and if a conditional statement had nothing to do. */
  readonly record: DescribedVersion | null;
  readonly timings: SqlTimings;
}

/** Milliseconds, for Server-Timing. */
export interface SqlTimings {
  /** Waiting for a place in the engine. */
  readonly queue: number;
  /** Parsing, finding frames, transcoding those that are not, fetching from the external database, binding. */
  readonly prepare: number;
  /** Whether no engine was needed. */
  readonly isKept?: boolean;
}
