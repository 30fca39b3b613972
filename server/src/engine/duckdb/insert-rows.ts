import type { DuckDBConnection, DuckDBPreparedStatement } from '@duckdb/node-api';
import type { Field, Schema } from '../../arrow/field.ts';
import { FrameholdError } from '../../frames/errors.ts';
import type { StatementTarget } from '../../frames/ports/engine.ts';
import { arrowTypeText } from './arrow-type-text.ts';
import { castTypeOf } from './encode-result.ts';
import { lowerCase, quoteName } from './sql-tokens.ts';
import { columnNames } from './table-view.ts';

/** An empty table with the columns of the frame: the engine's own INSERT into it says what fits and which types parameters have. */
const targetTable = 'framehold.main."insert:target"';

export interface InsertPlan {
  /** The engine's own statement, into the empty table. */
  readonly insert: DuckDBPreparedStatement;
  /** Gives the rows as the target has them: out of the query, or out of the table that was inserted into. */
  readonly rows: DuckDBPreparedStatement;
  /** The text of `rows`. */
  readonly text: string;
  /** The rows are all in the text: the insert is run, then the table read. Else the query streams, and the insert is never run. */
  readonly throughTable: boolean;
}

/** Makes rows of the target's columns out of those of a query, as the engine does in an INSERT: cast, and null where a column is not named. */
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
  const insert = await connection.prepare(
    `INSERT INTO ${targetTable}${list}${target.byName ? ' BY NAME' : ''} ${query}`,
  );
  if (isValuesList && !target.byName) {
    const text = `SELECT * FROM ${targetTable}`;
    return { insert, rows: await connection.prepare(text), text, throughTable: true };
  }
  const sources = target.byName
    ? await namesOf(connection, query)
    : (target.columns ?? names).map((name) => name);
  const places = new Map(sources.map((name, index) => [lowerCase(name), index]));
  const values = names.map((name, index) => {
    const place = places.get(lowerCase(name));
    const value = place === undefined ? 'NULL' : `rows.c${place}`;
    return `CAST(${value} AS ${types[index]}) AS ${quoteName(name)}`;
  });
  const aliases = sources.map((_, index) => `c${index}`);
  const text = `SELECT ${values.join(', ')} FROM (\n${query}\n) AS rows(${aliases.join(', ')})`;
  return { insert, rows: await connection.prepare(text), text, throughTable: false };
}

function requireCastType(field: Field): string {
  const type = castTypeOf(field);
  if (type === null)
    throw new FrameholdError(
      'schema_conflict',
      `SQL cannot write column "${field.name}" (${arrowTypeText(field)}).`,
      { hint: 'Append with Arrow instead.' },
    );
  return type;
}

async function namesOf(connection: DuckDBConnection, query: string): Promise<readonly string[]> {
  const statement = await connection.prepare(query);
  try {
    return Array.from({ length: statement.columnCount }, (_, index) => statement.columnName(index));
  } finally {
    statement.destroySync();
  }
}
