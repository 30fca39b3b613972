import type { Caller } from '../model/caller.ts';
import type { EngineName } from '../model/engine-name.ts';
import type { ErrorKind, FrameholdError, TextPlace } from '../model/errors.ts';

/** A statement that waits or runs in this process. */
export interface OpenQuery {
  readonly id: string;
  readonly tenant: string;
  readonly sql: string;
  readonly engine: EngineName;
  readonly startedAt: number;
  state: QueryState['state'];
  rows: number;
  /** How much of the work is done, as `EngineStatement.progress`. */
  progress: () => number | null;
  /** Aborts with query_cancelled. */
  readonly cancelled: AbortSignal;
}

export interface QueryId {
  readonly text: string;
  /** Whether another id may be used if this one is taken. */
  readonly isOptional: boolean;
}

/** `cancelled`: its caller has left. */
export type StatementOutcome = 'ok' | 'cancelled' | FrameholdError;

/** Called as it happens, in the middle of other work: it must be quick and must not throw. */
export interface QueryWatcher {
  began(query: OpenQuery): void;
  ended(query: OpenQuery, outcome: StatementOutcome): void;
}

/**
 * The statements under way, so that they can be listed and cancelled, from whichever process asks. A tenant sees its own; an operator sees that all
 * of them are there.
 */
export interface RunningQueries {
  /** `engine`: the default one if absent. Answers at once: nobody waits for others to know. bad_request for an id that is not usable or in use; overloaded if too many are open. */
  begin(caller: Caller, sql: string, id: QueryId | null, engine?: EngineName): OpenQuery;
  /** An error is kept for a while, unless the caller has left. */
  end(query: OpenQuery, outcome: StatementOutcome): void;
  /** Returns the function that ends it. */
  watch(watcher: QueryWatcher): () => void;
  list(caller: Caller): Promise<readonly QueryState[]>;
  /** How many other processes have, by tenant. */
  countElsewhere(): Promise<ReadonlyMap<string, number>>;
  /** query_not_found. */
  state(caller: Caller, id: string, tenant: string | undefined): Promise<QueryState | FailedState>;
  /** Answers which statement is being stopped. query_not_found. */
  cancel(
    caller: Caller,
    id: string,
    tenant: string | undefined,
  ): Promise<{ readonly id: string; readonly tenant: string }>;
  /** In this process, on one engine. */
  occupancy(engine: EngineName): { readonly running: number; readonly waiting: number };
}

export interface FailedState {
  readonly id: string;
  readonly tenant: string;
  readonly state: 'failed';
  readonly startedAt: number;
  readonly endedAt: number;
  readonly kind: ErrorKind;
  /** As for a statement that runs: null for an operator. */
  readonly content: {
    readonly rows: number;
    readonly detail: string;
    readonly hint: string | undefined;
    readonly place: TextPlace | undefined;
  } | null;
}

export interface QueryState {
  readonly id: string;
  readonly tenant: string;
  readonly engine: EngineName;
  readonly state: 'waiting' | 'running';
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly elapsedMs: number;
  /** How much of the work is done, from 0 to 1, as the engine estimates it; null while it waits, and if it is not known. */
  readonly progress: number | null;
  /** Text and result are visible to its tenant only: null for an operator. */
  readonly content: { readonly sql: string; readonly rows: number } | null;
}
