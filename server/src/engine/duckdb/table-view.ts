import type { DuckDBConnection, DuckDBType } from '@duckdb/node-api';
import type { Field, Schema } from '../../arrow/field.ts';
import { parseMessage } from '../../arrow/message.ts';
import { FrameholdError } from '../../frames/errors.ts';
import type { EngineTable } from '../../frames/ports/engine.ts';
import { arrowTypeText } from './arrow-type-text.ts';
import { unreadableMarker } from './duckdb-errors.ts';
import { type Reading, readingOf } from './readable-types.ts';
import { lowerCase, quoteName, quoteText } from './sql-tokens.ts';

/** Makes a table of a frame: a view over its Parquet files, with an expression for each column. */
export async function createTableView(connection: DuckDBConnection, table: EngineTable): Promise<void> {
  const { fields } = schemaOf(table.schemaMessage);
  if (fields.length === 0)
    throw new FrameholdError('column_not_readable', `The frame "${table.name}" has no columns.`);
  const names = columnNames(fields);
  const view = `CREATE VIEW framehold.main.${quoteName(table.name)} AS`;
  const first = table.files[0];
  if (first === undefined) {
    const columns = fields.map(
      (field, index) =>
        `${absentValue(table.name, field, readingOf(field))} AS ${quoteName(names[index] as string)}`,
    );
    await connection.run(`${view} SELECT ${columns.join(', ')} WHERE false`);
    return;
  }
  // A folder named a=1 is not a column.
  const source = `read_parquet([${table.files.map(quoteText).join(', ')}], hive_partitioning = false, union_by_name = false, filename = false)`;
  const types = await storedTypes(connection, source);
  const isWhole = types.length === fields.length;
  const storedNames = isWhole ? fields.map((field) => field.name) : await namesInFile(connection, first);
  const columns: string[] = [];
  const aliases: string[] = [];
  for (const [index, field] of fields.entries()) {
    const name = quoteName(names[index] as string);
    const reading = readingOf(field);
    const mayBeStored = isWhole || reading.kind === 'readable' || reading.isStored;
    const isStored = mayBeStored && storedNames[aliases.length] === field.name;
    const stored = isStored ? { name, type: types[aliases.length] as DuckDBType } : null;
    if (isStored) aliases.push(name);
    columns.push(`${columnValue(table.name, field, reading, stored)} AS ${name}`);
  }
  if (aliases.length !== types.length)
    throw new FrameholdError('engine_failed', `The files of "${table.name}" do not fit its columns.`);
  await connection.run(
    `${view} SELECT ${columns.join(', ')} FROM ${source} AS stored(${aliases.join(', ')})`,
  );
}

/** The names that columns have in SQL: an empty one gets a number, and one that was there before in any case a number behind it. */
export function columnNames(fields: readonly Field[]): readonly string[] {
  const taken = new Set<string>();
  // Names that are there once keep them, whatever stands before.
  const own = new Set(fields.map((field) => lowerCase(field.name)));
  return fields.map((field, index) => {
    const wanted = field.name.includes('\0') || field.name === '' ? `column_${index + 1}` : field.name;
    let name = wanted;
    for (
      let count = 1;
      taken.has(lowerCase(name)) || (name !== field.name && own.has(lowerCase(name)));
      count++
    )
      name = `${wanted}_${count}`;
    taken.add(lowerCase(name));
    return name;
  });
}

function columnValue(
  table: string,
  field: Field,
  reading: Reading,
  stored: { readonly name: string; readonly type: DuckDBType } | null,
): string {
  if (reading.kind === 'unreadable') return failure(table, field, reading.reason);
  if (stored === null) return failure(table, field, 'its values are not in the Parquet form');
  if (!reading.matches(stored.type)) return failure(table, field, 'it is stored in another way');
  const fail = (why: string) => failure(table, field, why);
  return reading.convert?.(stored.name, fail, 0) ?? stored.name;
}

function absentValue(table: string, field: Field, reading: Reading): string {
  return reading.kind === 'readable'
    ? `CAST(NULL AS ${reading.sqlType})`
    : failure(table, field, reading.reason);
}

/** Fails only where a statement needs the value. */
function failure(table: string, field: Field, reason: string): string {
  const text = `Column "${field.name}" of "${table}" (${arrowTypeText(field)}) cannot be read exactly: ${reason}.`;
  return `error(${quoteText(unreadableMarker + text.replaceAll('\0', ''))})`;
}

async function storedTypes(connection: DuckDBConnection, source: string): Promise<readonly DuckDBType[]> {
  const statement = await connection.prepare(`SELECT * FROM ${source}`);
  try {
    return Array.from({ length: statement.columnCount }, (_, index) => statement.columnType(index));
  } finally {
    statement.destroySync();
  }
}

/** As they are in the file: the engine itself changes names that are empty or there twice. */
async function namesInFile(connection: DuckDBConnection, path: string): Promise<readonly string[]> {
  const reader = await connection.runAndReadAll(
    `SELECT name, coalesce(num_children, 0)::INTEGER FROM parquet_schema(${quoteText(path)})`,
  );
  const nodes = reader.getRows() as unknown as readonly (readonly [string, number])[];
  const names: string[] = [];
  // The root, then each column followed by what is inside of it.
  const skip = (at: number): number => {
    let next = at + 1;
    for (let child = 0; child < (nodes[at]?.[1] ?? 0); child++) next = skip(next);
    return next;
  };
  for (let at = 1; at < nodes.length; at = skip(at)) names.push(nodes[at]?.[0] as string);
  return names;
}

export function schemaOf(schemaMessage: Uint8Array): Schema {
  const message = parseMessage(schemaMessage);
  if (message.kind !== 'schema') throw new FrameholdError('engine_failed', 'A table has no schema.');
  return message.schema;
}
