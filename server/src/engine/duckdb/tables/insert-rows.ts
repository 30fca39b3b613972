import {
  type DuckDBConnection,
  type DuckDBPreparedStatement,
  type DuckDBType,
  DuckDBTypeId,
} from '@duckdb/node-api';
import type { Field, Schema } from '../../../arrow/field.ts';
import { nestedTypeText } from '../../../arrow/schema/type-text.ts';
import { FrameholdError } from '../../../model/errors.ts';
import type { StatementTarget } from '../../../ports/engine.ts';
import { castTypeOf } from '../result/encode-result.ts';
import { lowerCase, quoteName } from '../sql-tokens.ts';
import { exactCast, exactText, textTypeOf } from '../types/exact-casts.ts';
import { columnNames } from './table-view.ts';

/** An empty table with the columns of the frame: the engine's own INSERT into it says what fits and which types parameters have. */
const targetTable = 'framehold.main."insert:target"';
/** The same rows as texts: whether the target's types would change a value is seen in its text. */
const textTable = 'framehold.main."insert:texts"';

export interface InsertPlan {
  /** The engine's own statement, into the empty table. */
  readonly insert: DuckDBPreparedStatement;
  /** Gives the rows as the target has them: out of the query, or out of the table that was inserted into. */
  readonly rows: DuckDBPreparedStatement;
  /** The text of `rows`. */
  readonly text: string;
  /** The rows are all in the text: they are inserted, then the table is read. Null: the query streams, and the insert is never run. */
  readonly throughTable: ThroughTable | null;
}

interface ThroughTable {
  /** Run for each row of parameters: into the table, and into the one with texts if a type could change a value. */
  readonly inserts: readonly DuckDBPreparedStatement[];
  /** Fails at the first value that a type would change. A text: prepared before there are rows, it would be planned for none. */
  readonly check: string | null;
}

/**
 * Makes rows of the target's columns out of those of a query, as the engine does in an INSERT: cast, and null if a column is not named.
 * But a value that the cast would change fails.
 */
export async function planInsert(
  connection: DuckDBConnection,
  query: string,
  target: StatementTarget,
  schema: Schema,
  isValuesList: boolean,
): Promise<InsertPlan> {
  const names = columnNames(schema.fields);
  const types = schema.fields.map((field) => requireCastType(field));
  const columns = names.map((name, index) => `${quoteName(name)} ${types[index]}`);
  await connection.run(`CREATE TABLE ${targetTable} (${columns.join(', ')})`);
  const list = target.columns === null ? '' : ` (${target.columns.map(quoteName).join(', ')})`;
  const into = (table: string) =>
    connection.prepare(`INSERT INTO ${table}${list}${target.byName ? ' BY NAME' : ''} ${query}`);
  const insert = await into(targetTable);
  if (isValuesList && !target.byName) {
    const text = `SELECT * FROM ${targetTable}`;
    const check = await planTexts(connection, schema.fields, names);
    const inserts = check === null ? [insert] : [insert, await into(textTable)];
    return { insert, rows: await connection.prepare(text), text, throughTable: { inserts, check } };
  }
  const given = await columnsOf(connection, query);
  const sources = target.byName ? given.names : (target.columns ?? names);
  const places = new Map(sources.map((name, index) => [lowerCase(name), index]));
  const values = schema.fields.map((field, index) => {
    const name = names[index] as string;
    const place = places.get(lowerCase(name));
    const value =
      place === undefined
        ? `CAST(NULL AS ${types[index]})`
        : exactCast(field, name, given.types?.[place] ?? null, `rows.c${place}`);
    return `${value} AS ${quoteName(name)}`;
  });
  const aliases = sources.map((_, index) => `c${index}`);
  const text = `SELECT ${values.join(', ')} FROM (\n${query}\n) AS rows(${aliases.join(', ')})`;
  return { insert, rows: await connection.prepare(text), text, throughTable: null };
}

/** A table for the texts of the rows, and what finds those that would not be kept; null if every value is. */
async function planTexts(
  connection: DuckDBConnection,
  fields: readonly Field[],
  names: readonly string[],
): Promise<string | null> {
  const checks = fields
    .map((field, index) => exactText(field, names[index] as string, quoteName(names[index] as string)))
    .filter((check) => check !== null);
  if (checks.length === 0) return null;
  const columns = fields.map((field, index) => `${quoteName(names[index] as string)} ${textTypeOf(field)}`);
  await connection.run(`CREATE TABLE ${textTable} (${columns.join(', ')})`);
  return `SELECT ${checks.join(', ')} FROM ${textTable}`;
}

function requireCastType(field: Field): string {
  const type = castTypeOf(field);
  if (type === null)
    throw new FrameholdError(
      'schema_conflict',
      `SQL cannot write column "${field.name}" (${nestedTypeText(field)}).`,
      { hint: 'Append with Arrow instead.' },
    );
  return type;
}

/** Types are null if they depend on parameters. */
async function columnsOf(
  connection: DuckDBConnection,
  query: string,
): Promise<{ readonly names: readonly string[]; readonly types: readonly DuckDBType[] | null }> {
  const statement = await connection.prepare(query);
  try {
    const places = Array.from({ length: statement.columnCount }, (_, index) => index);
    const isTyped = places.every((index) => statement.columnTypeId(index) !== DuckDBTypeId.INVALID);
    return {
      names: places.map((index) => statement.columnName(index)),
      types: isTyped ? places.map((index) => statement.columnType(index)) : null,
    };
  } finally {
    statement.destroySync();
  }
}
