import type { DuckDBConnection, DuckDBType } from '@duckdb/node-api';
import type { Field, Schema } from '../../../arrow/field.ts';
import { parseMessage } from '../../../arrow/ipc/message.ts';
import { nestedTypeText } from '../../../arrow/schema/type-text.ts';
import { FrameholdError } from '../../../model/errors.ts';
import { unreadableText } from '../../../model/unreadable-column.ts';
import {
  hasFineTimes,
  isPlainFloat,
  wholeMicrosecondsKey,
  withoutNanKey,
} from '../../../parquet/transcode-notes.ts';
import type { EngineTable } from '../../../ports/engine.ts';
import { lowerCase, quoteName, quoteText } from '../sql-tokens.ts';
import { type Precision, type Reading, readingOf } from '../types/readable-types.ts';
import { WrittenViews } from './written-views.ts';

/** A source for tables that have no files: any table function that no statement may call, so that a plan shows it as such a view. */
const withoutFiles = 'pragma_version';

/** What the views of tables read from, as plans name it. */
export const viewSources: ReadonlySet<string> = new Set(['read_parquet', withoutFiles]);

/** Makes a table of a frame: a view over its Parquet files, with an expression for each column. */
export async function createTableView(
  connection: DuckDBConnection,
  table: EngineTable,
  written: WrittenViews = new WrittenViews(),
): Promise<void> {
  await connection.run(await written.textOf(table, () => viewText(connection, table)));
}

/** The statement that makes it. */
async function viewText(connection: DuckDBConnection, table: EngineTable): Promise<string> {
  const { fields } = schemaOf(table.schemaMessage);
  if (fields.length === 0)
    throw new FrameholdError('column_not_readable', `The frame "${table.name}" has no columns.`);
  const names = columnNames(fields);
  const view = `CREATE VIEW framehold.main.${quoteName(table.name)} AS`;
  const first = table.files[0];
  if (first === undefined) {
    const sources = fields.map((field, index) => {
      const reading = readingOf(field);
      const value = reading.kind === 'readable' ? `CAST(NULL AS ${reading.sqlType})` : null;
      return { field, name: names[index] as string, reading, type: null, value, isWithoutNan: true };
    });
    return `${view} SELECT ${columnValues(table.name, sources).join(', ')} FROM ${withoutFiles}() LIMIT 0`;
  }
  // A folder named a=1 is not a column.
  const files = `read_parquet([${table.files.map(quoteText).join(', ')}], hive_partitioning = false, union_by_name = false, filename = false)`;
  // The engine keeps the order of files and rows (preserve_insertion_order, which statements cannot set).
  const source = table.cut
    ? `(SELECT * FROM ${files} LIMIT ${table.cut.limit} OFFSET ${table.cut.offset})`
    : files;
  const types = await storedTypes(connection, files);
  const isWhole = types.length === fields.length;
  const hasFine = fields.some(hasFineTimes);
  const mayTrust = table.files.length <= notedFilesMax && fields.some(isPlainFloat);
  const noted = hasFine || mayTrust ? await storedNotes(connection, table.files) : noNotes;
  const storedNames = isWhole ? fields.map((field) => field.name) : await namesInFile(connection, first);
  const aliases: string[] = [];
  const sources: ColumnSource[] = [];
  for (const [index, field] of fields.entries()) {
    const name = names[index] as string;
    const stored = aliases.length;
    const reading = readingOf(field, hasFine ? precisionOf(noted.whole, stored) : undefined);
    const mayBeStored = isWhole || reading.kind === 'readable' || reading.isStored;
    const isStored = mayBeStored && storedNames[aliases.length] === field.name;
    const type = isStored ? (types[stored] as DuckDBType) : null;
    const isWithoutNan = isPlainFloat(field) && noted.withoutNan?.has(stored) === true;
    sources.push({ field, name, reading, type, isWithoutNan });
    if (isStored) aliases.push(quoteName(name));
  }
  if (aliases.length !== types.length)
    throw new FrameholdError('engine_failed', `The files of "${table.name}" do not fit its columns.`);
  const values = columnValues(table.name, sources);
  return `${view} SELECT ${values.join(', ')} FROM ${source} AS stored(${aliases.join(', ')})`;
}

/** The names that columns have in SQL: an empty one gets a number, and one that was there before in any case a number behind it. */
export function columnNames(fields: readonly Field[]): readonly string[] {
  const taken = new Set<string>();
  // A name that occurs once stays as it is, whatever comes before it.
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

interface ColumnSource {
  readonly field: Field;
  /** In SQL. */
  readonly name: string;
  readonly reading: Reading;
  /** As the files have it; null if they do not. */
  readonly type: DuckDBType | null;
  /** In place of what the files have. */
  readonly value?: string | null;
  /** In none of the files: their statistics of it hold. */
  readonly isWithoutNan: boolean;
}

/** An expression for each column. One that cannot be read fails if a statement needs it, and only there. */
function columnValues(table: string, sources: readonly ColumnSource[]): string[] {
  const reasons = sources.map(unreadableReason);
  const unreadable = sources.filter((_, index) => reasons[index] !== null).map(({ name }) => name);
  return sources.map(({ field, name, reading, value, isWithoutNan }, index) => {
    const fail = (why: string) => failure(table, field, why, [...new Set([...unreadable, name])]);
    const reason = reasons[index];
    const stored = quoteName(name);
    const convert = reading.kind === 'readable' ? reading.convert : null;
    const given = reason ? fail(reason) : (value ?? convert?.(stored, fail, 0) ?? stored);
    const mayHaveNan = reason === null && !isWithoutNan && hasFloats(field);
    return `${mayHaveNan ? withoutStatistics(given) : given} AS ${stored}`;
  });
}

/**
 * Smallest and largest values of a Parquet file leave NaN out, and DuckDB believes them: it lost rows with NaN for `x > 5` and took `x = 1` for true. It knows nothing
 * about the result of a function, and `greatest` of one value passes it on as it is.
 */
function withoutStatistics(expression: string): string {
  return `greatest(${expression})`;
}

function hasFloats({ type, children }: Field): boolean {
  return type.kind === 'float' || children.some(hasFloats);
}

function unreadableReason({ reading, type, value }: ColumnSource): string | null {
  if (reading.kind === 'unreadable') return reading.reason;
  if (value) return null;
  if (type === null) return 'its values are not in the Parquet form';
  return reading.matches(type) ? null : 'it is stored in another way';
}

/** Names in the advice; a frame may have thousands of columns, and each has this text. */
const namesMax = 10;

function failure(table: string, field: Field, reason: string, unreadable: readonly string[]): string {
  const detail = `Column "${field.name}" of "${table}" (${nestedTypeText(field)}) cannot be read exactly: ${reason}.`;
  const names = unreadable.slice(0, namesMax).map(quoteName).join(', ');
  const hint =
    unreadable.length > namesMax
      ? 'The other columns can be read: name them.'
      : `The other columns can be read: SELECT * EXCLUDE (${names}), or name them.`;
  return `error(${quoteText(unreadableText(detail, hint))})`;
}

async function storedTypes(connection: DuckDBConnection, source: string): Promise<readonly DuckDBType[]> {
  const statement = await connection.prepare(`SELECT * FROM ${source}`);
  try {
    return Array.from({ length: statement.columnCount }, (_, index) => statement.columnType(index));
  } finally {
    statement.destroySync();
  }
}

/** Reading the footers of more files would cost more than their statistics save. */
const notedFilesMax = 64;

/** The columns, counted from 0, of which transcoding noted it in every file; null if one of them has no such note. */
interface StoredNotes {
  readonly whole: ReadonlySet<number> | null;
  readonly withoutNan: ReadonlySet<number> | null;
}

const noNotes: StoredNotes = { whole: null, withoutNan: null };

async function storedNotes(connection: DuckDBConnection, files: readonly string[]): Promise<StoredNotes> {
  const reader = await connection.runAndReadAll(
    `SELECT file_name, decode(key), decode(value) FROM parquet_kv_metadata([${files.map(quoteText).join(', ')}]) WHERE decode(key) IN (${quoteText(wholeMicrosecondsKey)}, ${quoteText(withoutNanKey)})`,
  );
  const rows = reader.getRows().map((row) => row.map(String) as [file: string, key: string, list: string]);
  const columnsOf = (wanted: string): ReadonlySet<number> | null => {
    const found = rows.filter(([, key]) => key === wanted);
    if (new Set(found.map(([file]) => file)).size < new Set(files).size) return null;
    return found
      .map(([, , list]) => new Set(JSON.parse(list) as number[]))
      .reduce((inAll, columns) => inAll.intersection(columns));
  };
  return { whole: columnsOf(wholeMicrosecondsKey), withoutNan: columnsOf(withoutNanKey) };
}

/** What transcoding found out about the nanoseconds of a column. */
function precisionOf(whole: StoredNotes['whole'], column: number): Precision {
  if (whole === null) return 'unknown';
  return whole.has(column) ? 'whole' : 'finer';
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
