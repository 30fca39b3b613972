import { cellText, type Framehold, type Manifest } from '@framehold/client';
import { signal } from '@preact/signals';
import { quoteName } from '../sql/sql-names.ts';
import { orderClause, type SqlColumn, whereClause } from './filter-sql.ts';
import type { RowSource, Window } from './row-source.ts';
import { tableWindow } from './table-window.ts';
import type { GridView } from './view-state.ts';

/** Each page of sorted rows is a statement over the whole frame, so it brings more rows than a page of stored ones. */
const pageRows = 2000;

export interface SqlColumns {
  /** By position in the manifest; null for a column that SQL cannot read exactly. */
  readonly columns: readonly (SqlColumn | null)[];
}

/** What SQL calls the columns of a frame, and their types. */
export async function describeFrame(
  client: Pick<Framehold, 'sql'>,
  { handle, columns }: Pick<Manifest, 'handle' | 'columns'>,
  abort: AbortSignal,
): Promise<SqlColumns> {
  const rows = await client.sql(`describe ${quoteName(handle)}`, { history: false, signal: abort });
  const table = await rows.table();
  const textAt = (column: number, row: number) => {
    const child = table.children[column];
    return (child === undefined ? null : cellText(child, row)) ?? '';
  };
  const described = Array.from({ length: table.numRows }, (_, row) => ({
    sqlName: textAt(0, row),
    sqlType: textAt(1, row),
  }));
  // Names that differ only in case are renamed, but stay where they are.
  const isInOrder = described.length === columns.length;
  return {
    columns: columns.map(({ name }, index) => {
      const found = isInOrder ? described[index] : described.find(({ sqlName }) => sqlName === name);
      return found === undefined ? null : { name, ...found };
    }),
  };
}

/** Whether a view needs SQL: stored rows come in their own order and all of them. */
export function needsSql({ sort, filters }: GridView): boolean {
  return sort.length > 0 || filters.length > 0;
}

/** Sorted and filtered rows of one version, page by page. Counts them first. Throws a FilterError for a value that does not fit. */
export async function sqlRows(
  client: Pick<Framehold, 'sql'>,
  manifest: Pick<Manifest, 'handle' | 'rows' | 'columns'>,
  { columns: known }: SqlColumns,
  view: Pick<GridView, 'sort' | 'filters'>,
  abort: AbortSignal,
): Promise<RowSource> {
  const { handle } = manifest;
  const readable = known.filter((column) => column !== null);
  const where = whereClause(view.filters, readable);
  const isSorted = view.sort.length > 0;
  const number = unusedName('row_number', readable);
  const order = isSorted ? orderClause(view.sort, readable, quoteName(number)) : '';
  const rowCount =
    view.filters.length === 0
      ? manifest.rows
      : await countRows(client, `select count(*) from ${quoteName(handle)}${where}`, abort);
  const shown = known.flatMap((column, index) => (column === null ? [] : [{ ...column, index }]));
  return {
    columns: signal(
      shown.map(({ index }) => {
        const { name = '', type = '' } = manifest.columns[index] ?? {};
        return { name, type };
      }),
    ),
    rowCount: signal(rowCount),
    // Numbers of the frame come with the order; to find them for a filter alone would make the engine read everything.
    ...(isSorted ? { rowNumberMax: manifest.rows } : { numberLabel: 'Match' }),
    isComplete: signal(true),
    pageRows,
    isCostly: isSorted,
    async window(first, count, wanted, signal): Promise<Window> {
      const names = wanted.map((column) => quoteName(shown[column]?.sqlName ?? ''));
      const page = ` limit ${count} offset ${first}`;
      if (!isSorted) {
        // Without an order the engine keeps that of the frame, and stops as soon as the page is full.
        const rows = await client.sql(`select ${names.join(', ')} from ${quoteName(handle)}${where}${page}`, {
          history: false,
          signal,
        });
        return tableWindow(first, await rows.table(), wanted);
      }
      // Numbered before they are filtered. Only what is needed: one column that SQL cannot read would fail a star.
      const used = new Set([...names, ...usedNames(view, readable)]);
      const numbered = `select ${[...used].join(', ')}, row_number() over () - 1 as ${quoteName(number)} from ${quoteName(handle)}`;
      const statement = `select ${[...names, quoteName(number)].join(', ')} from (${numbered})${where}${order}${page}`;
      const table = await (await client.sql(statement, { history: false, signal })).table();
      const window = tableWindow(first, table, wanted);
      const numbers = table.children[wanted.length];
      return {
        ...window,
        rowNumber: (row) =>
          numbers === undefined ? BigInt(row) : BigInt(cellText(numbers, row - first) ?? row),
      };
    },
  };
}

/** Columns by which the rows are sorted or filtered, quoted. */
function usedNames(
  { sort, filters }: Pick<GridView, 'sort' | 'filters'>,
  columns: readonly SqlColumn[],
): string[] {
  const names = new Set([...sort, ...filters].map(({ column }) => column));
  return columns.flatMap(({ name, sqlName }) => (names.has(name) ? [quoteName(sqlName)] : []));
}

async function countRows(client: Pick<Framehold, 'sql'>, statement: string, signal: AbortSignal) {
  const table = await (await client.sql(statement, { history: false, signal })).table();
  const [count] = table.children;
  return count === undefined ? 0 : Number(cellText(count, 0));
}

/** A name that no column has, in any case. */
function unusedName(wish: string, columns: readonly SqlColumn[]): string {
  const used = new Set(columns.map(({ sqlName }) => sqlName.toLowerCase()));
  let name = wish;
  while (used.has(name)) name += '_';
  return name;
}
