import { FrameholdError } from '../../../model/errors.ts';
import { nextToken } from '../sql-tokens.ts';

interface Refusal {
  /** Its first words, without OR REPLACE. */
  readonly begins: readonly string[];
  readonly detail: string;
  readonly hint: string;
  /** It begins as a query does: only the parser knows that it is none. */
  readonly ifNoQuery?: true;
}

const versions = 'The versions of a frame never change.';

/** Statements that people try, each with what to do instead. The first that matches counts. */
const refusals: readonly Refusal[] = [
  {
    begins: ['UPDATE'],
    detail: `UPDATE is not offered. ${versions}`,
    hint: 'Make the next version: CREATE OR REPLACE TABLE name AS SELECT * REPLACE (new_value AS column) FROM name.',
  },
  {
    begins: ['DELETE'],
    detail: `DELETE is not offered. ${versions}`,
    hint: 'Make the next version: CREATE OR REPLACE TABLE name AS SELECT * FROM name WHERE the rows to keep.',
  },
  {
    begins: ['TRUNCATE'],
    detail: `TRUNCATE is not offered. ${versions}`,
    hint: 'Make an empty version: CREATE OR REPLACE TABLE name AS FROM name WHERE false; or drop it: DROP TABLE name.',
  },
  {
    begins: ['MERGE'],
    detail: `MERGE is not offered. ${versions}`,
    hint: 'Make the next version out of a join: CREATE OR REPLACE TABLE name AS SELECT … FROM name FULL JOIN other USING (id).',
  },
  {
    begins: ['ALTER'],
    detail: `ALTER is not offered. ${versions}`,
    hint: 'Make the next version: CREATE OR REPLACE TABLE name AS SELECT a, b AS new_name, 0 AS new_column FROM name.',
  },
  {
    begins: ['CREATE TEMP', 'CREATE TEMPORARY', 'CREATE LOCAL', 'CREATE UNLOGGED'],
    detail: 'There are no temporary tables.',
    hint: 'Name a query with WITH, or hold its rows for a while: "into" with a "ttl" in POST /v1/sql.',
  },
  {
    begins: ['CREATE VIEW', 'CREATE RECURSIVE VIEW'],
    detail: 'There are no views.',
    hint: 'Hold the rows: CREATE TABLE name AS query; or name the query within a statement: WITH name AS (query).',
  },
  {
    begins: ['CREATE TABLE'],
    detail: 'A table is made out of a list of columns, or of the rows of a query.',
    hint: 'Write CREATE TABLE name (column TYPE, …), or CREATE TABLE name AS SELECT ….',
  },
  {
    begins: ['DROP TABLE'],
    detail: 'One table is dropped by a statement.',
    hint: 'Write DROP TABLE [IF EXISTS] name, without CASCADE or RESTRICT.',
  },
  {
    begins: ['COMMENT'],
    detail: 'Comments are on tables and columns, as a text or NULL.',
    hint: "Write COMMENT ON TABLE name IS 'text', or COMMENT ON COLUMN name.column IS 'text'.",
  },
  {
    begins: ['CREATE', 'DROP'],
    detail: 'There are only tables: no schemas, indexes, sequences, types, macros or secrets.',
    hint: 'CREATE TABLE name AS query makes a table, DROP TABLE name drops it.',
  },
  {
    begins: ['INSERT'],
    detail: 'This form of INSERT is not offered.',
    hint: 'Write INSERT INTO name [(columns)] query, without OR REPLACE, ON CONFLICT or RETURNING.',
  },
  {
    begins: ['COPY', 'EXPORT', 'IMPORT'],
    detail: 'Statements read and write no files.',
    hint: 'Take the rows of a query as a file: POST /v1/sql?fmt=csv (or parquet, ndjson, arrow). Put a file as a frame: PUT /v1/frames/name.',
  },
  {
    begins: ['ATTACH', 'DETACH'],
    detail: 'Statements attach no databases.',
    hint: "The DuckDB file of storage.duckdb_path is there as analytics, the external database as tsdb('select …').",
  },
  {
    begins: ['USE'],
    detail: 'There is no database or schema to choose.',
    hint: 'Frames are found by their names; only framehold.main may precede them.',
  },
  {
    begins: ['SET', 'RESET', 'PRAGMA'],
    detail: 'Statements change and show no settings.',
    hint: 'Times are in UTC: write AT TIME ZONE for another zone. DESCRIBE name shows the columns of a frame.',
  },
  {
    begins: ['INSTALL', 'LOAD', 'FORCE'],
    detail: 'Extensions cannot be installed or loaded.',
    hint: 'Functions for JSON, Parquet, time zones and text are there.',
  },
  {
    begins: ['ROLLBACK', 'ABORT'],
    detail: 'There are no transactions: nothing is undone.',
    hint: 'Each statement took effect as a whole when it was done. An earlier version is brought back with POST /v1/frames/NAME/restore?version=N, a dropped frame with undrop.',
  },
  {
    begins: ['BEGIN', 'START', 'COMMIT', 'END', 'SAVEPOINT', 'RELEASE'],
    detail: 'There are no transactions.',
    hint: 'Each statement takes effect as a whole when it is done: leave this one out.',
  },
  {
    begins: ['PREPARE', 'EXECUTE', 'DEALLOCATE'],
    detail: 'Statements are not prepared in SQL.',
    hint: 'Send the values with the statement: "parameters" in POST /v1/sql, a prepared statement in Flight SQL.',
  },
  {
    begins: ['VACUUM', 'ANALYZE', 'CHECKPOINT', 'REINDEX'],
    detail: 'There is nothing to maintain by hand.',
    hint: 'Frames are merged and compressed in the background.',
  },
  {
    begins: ['GRANT', 'REVOKE'],
    detail: 'Access is not given in SQL.',
    hint: 'Share a frame with another tenant: PUT /v1/frames/name/shares/tenant. Scopes belong to credentials.',
  },
  {
    begins: ['CALL'],
    detail: 'CALL is not offered.',
    hint: 'Functions that make rows go into FROM: FROM range(3).',
  },
  {
    begins: ['WITH'],
    ifNoQuery: true,
    detail: 'Behind WITH only a query is run.',
    hint: 'Write INSERT INTO name WITH … SELECT …, and CREATE OR REPLACE TABLE name AS WITH … SELECT … for other changes.',
  },
];

/** How many words are looked at: CREATE OR REPLACE TEMPORARY TABLE. */
const wordsMax = 5;

/**
 * Why a statement is not run, and what to do instead; null if its beginning says nothing about that. `isNoQuery`: it is well formed,
 * and no query.
 */
export function refusalOf(sql: string, isNoQuery: boolean): FrameholdError | null {
  const words: string[] = [];
  for (let position = 0; words.length < wordsMax; ) {
    const token = nextToken(sql, position);
    if (token.kind !== 'word') break;
    words.push(token.text.toUpperCase());
    position = token.end;
  }
  const beginning = `${words.join(' ').replace(' OR REPLACE', '')} `;
  const found = refusals.find(
    ({ begins, ifNoQuery }) =>
      (isNoQuery || !ifNoQuery) && begins.some((phrase) => beginning.startsWith(`${phrase} `)),
  );
  return found === undefined ? null : new FrameholdError('sql_refused', found.detail, { hint: found.hint });
}
