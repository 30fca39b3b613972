/** What the suite asks of an engine under test. */
export interface EngineLimits {
  /** Statements at once. */
  readonly places: number;
  readonly queueMax: number;
  readonly queueWaitMs: number;
  readonly timeoutMs: number;
  readonly memoryBytes: number;
}

/** What only some engines offer. The suite expects that an engine refuses the rest, or says that it does not know. */
interface EngineOffers {
  /** EXPLAIN, CREATE TABLE AS, INSERT and DROP. */
  readonly changes: boolean;
  /** Upstream queries: tsdb('…'). */
  readonly upstream: boolean;
  /** Rows of a table in the order of its files, if the statement asks for no other order. */
  readonly fileOrder: boolean;
  /** The types of parameters, before there are values. */
  readonly parameterTypes: boolean;
  /** A limit of memory for each statement. */
  readonly memoryLimit: boolean;
}

/**
 * Statements that engines write differently. All others of the suite are standard SQL. Each of them can read the tables
 * numbers (100,000 rows: id from 0, share = id / 4) and people (id, name).
 */
export interface EngineDialect {
  readonly offers: EngineOffers;
  /** Works for minutes if nobody stops it. */
  readonly longQuery: string;
  /** Gives its first rows soon, and then works or gives rows for minutes. */
  readonly endlessRows: string;
  /** Two million rows, in more than ten batches. */
  readonly manyRows: string;
  /** Some times of what they take on a machine of their own. */
  readonly manyRowsMs: number;
  /** Fails at its row 900,000 of a million, with the text 'x' in its message. */
  readonly failsLate: string;
  /** The same at id 90,000 of the table numbers. */
  readonly failsInTable: string;
  /** Needs far more than 64 MiB of memory. */
  readonly needsMemory: string;
  /** The n-th parameter, from 1. */
  readonly parameter: (number: number) => string;
  /** The parameters a and b added, both whole numbers. */
  readonly namedParameters: string;
  /** Reads the upstream query `select x` twice. */
  readonly upstreamTwice: string;
  /** Takes long enough to be seen at work, most of the time while it reads the table numbers. */
  readonly readsForAWhile: string;
  /** How long it takes at most until the place of a statement that was stopped is free. */
  readonly stopMs: number;
  /** What no statement may: leave the sandbox, or change the engine. */
  readonly refused: readonly string[];
}
