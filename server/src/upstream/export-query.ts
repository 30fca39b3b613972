import { FrameholdError } from '../model/errors.ts';

/** A column as QuestDB's /exec describes it. */
export interface QuestdbColumn {
  readonly name: string;
  readonly type: string;
}

/** A query put into another; `offset` is where it begins in it, so that positions in the database's errors can be converted. */
export interface WrappedQuery {
  readonly text: string;
  readonly offset: number;
}

/** QuestDB's largest number of rows: all of them. */
const allRows = '9223372036854775807';

/** Asks for the columns of a SELECT. The line break ends what may be left of its last line. */
export function columnsQuery(select: string): WrappedQuery {
  return wrapped('select * from (', select, ') limit 0');
}

/**
 * Asks for the rows of a SELECT so that QuestDB 9.3.4's Parquet has them right:
 * - LIMIT, though it leaves out nothing, has it read rows instead of copying pages of the table. Copied pages come out with nulls in the place
 *   of every VARCHAR if all are shorter than ten bytes, and with several dictionaries in a column, which is not Parquet.
 * - What has no form in Parquet that says what it is (a CHAR becomes a number and its null 0, an IPv4 a number, a LONG256 or UUID bytes,
 *   geohashes their bits, an interval or an untyped null an error) comes as the text that /exec shows. So does VARCHAR, for the reason above.
 */
export function rowsQuery(
  select: string,
  columns: readonly QuestdbColumn[],
  rows: 'all' | 'none',
): WrappedQuery {
  const list = columns.some(isText) ? columns.map(selected).join(', ') : '*';
  return wrapped(`select ${list} from (`, select, `) limit ${rows === 'all' ? allRows : 0}`);
}

function wrapped(before: string, select: string, behind: string): WrappedQuery {
  return { text: `${before}${select}\n${behind}`, offset: before.length };
}

const textTypes = new Set(['CHAR', 'VARCHAR', 'STRING', 'IPv4', 'LONG256', 'UUID', 'INTERVAL', 'NULL']);

function isGeohash({ type }: QuestdbColumn): boolean {
  return type.startsWith('GEOHASH');
}

function isText(column: QuestdbColumn): boolean {
  // STRING, because an untyped null says that it is one.
  return textTypes.has(column.type) || isGeohash(column);
}

function selected(column: QuestdbColumn): string {
  const name = quoted(column.name);
  if (!isText(column)) return name;
  // Without the condition a geohash that is null becomes an empty text.
  if (isGeohash(column)) return `case when ${name} is not null then ${name}::string end ${name}`;
  return `${name}::string ${name}`;
}

function quoted(name: string): string {
  if (!/["'.\\]/.test(name)) return `"${name}"`;
  throw new FrameholdError(
    'sql_invalid',
    `The external database cannot be asked for a column of the name ${JSON.stringify(name)}.`,
    { hint: 'Give the column another name in the text of tsdb(): select … as another_name.' },
  );
}
