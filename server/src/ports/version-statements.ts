import type { Caller } from '../model/caller.ts';
import type { VersionRecord } from '../model/version.ts';

/** A cell as its exact text, as in the JSON of rows; null for a null. */
export type CellText = string | null | readonly CellText[];

export interface VersionStatement {
  /** In the list of running statements and in the log. */
  readonly title: string;
  readonly sql: string;
  /** By the names that the statement uses for them. */
  readonly tables: ReadonlyMap<string, VersionRecord>;
}

/** The server's own statements over versions that the caller may read; the caller of `rows` has checked that. */
export interface OwnStatements {
  rows(
    caller: Caller,
    statement: VersionStatement,
    signal: AbortSignal,
  ): Promise<readonly (readonly CellText[])[]>;
}
