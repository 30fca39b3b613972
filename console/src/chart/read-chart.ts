import type { Framehold, RowBatch } from '@framehold/client';
import { countText } from '../ui/format.ts';
import { type ChartChoice, roleOf } from './chart-choice.ts';
import type { ChartPoints } from './chart-points.ts';
import {
  type Bins,
  binnedSql,
  type ChartTable,
  categoriesMax,
  categoriesSql,
  chooseBins,
  drawsRows,
  pointsMax,
  rangeSql,
  rowsSql,
} from './chart-sql.ts';
import { timeWidthText } from './nice-steps.ts';
import { pointsOfBins } from './points-of-bins.ts';
import { pointsOfRows, type TextRows } from './points-of-rows.ts';

const aggregateTexts = {
  avg: 'averages',
  sum: 'sums',
  min: 'least values',
  max: 'greatest values',
  count: 'counts',
};

/** The points of a chart over a frame of any size: the server reads its rows, and a few thousand values arrive. */
export async function readChart(
  api: Framehold,
  table: ChartTable,
  choice: ChartChoice,
  signal: AbortSignal,
): Promise<ChartPoints> {
  const type = table.typeOf(choice.x);
  const role = roleOf(type);
  const read = (sql: string) => readRows(api, sql, signal);
  if (role === 'category') {
    const rows = await read(categoriesSql(table, choice));
    const countAt = rows.columns.findIndex(({ name }) => name === 'categories');
    const count = rows.rowCount === 0 ? 0 : Number(rows.text(0, countAt));
    const notes = [`${aggregateTexts[choice.aggregate]} of ${countText(table.rows)} rows`];
    if (count > categoriesMax) notes.push(`the largest ${categoriesMax} of ${countText(count)} values`);
    return pointsOfBins(rows, choice, type, null, notes);
  }
  if (drawsRows(table, choice, role)) {
    const isSample = table.rows > pointsMax;
    const rows = renamed(await read(rowsSql(table, choice, isSample)), choice);
    return pointsOfRows(
      rows,
      choice,
      isSample ? [`a sample of ${countText(pointsMax)} of ${countText(table.rows)} rows`] : [],
    );
  }
  const range = await read(rangeSql(table, choice.x));
  const [placedText, low, high] = [range.text(0, 0), range.text(0, 1), range.text(0, 2)];
  if (low === null || high === null) return pointsOfRows({ ...range, rowCount: 0, columns: [] }, choice);
  const bins = chooseBins(type, low, high, choice.kind, seriesCount(choice));
  const missing = table.rows - Number(placedText);
  return pointsOfBins(await read(binnedSql(table, choice, bins)), choice, type, bins, [
    binNote(choice, bins, Number(placedText)),
    ...(missing > 0 ? [`${countText(missing)} rows without a place on the axis are left out`] : []),
  ]);
}

function binNote(choice: ChartChoice, bins: Bins, rows: number): string {
  const width =
    bins.kind === 'time' ? timeWidthText(bins.width * bins.unitNs) : `${Number(bins.width.toPrecision(6))}`;
  return `${aggregateTexts[choice.aggregate]} of ${countText(rows)} rows, per ${width}`;
}

function seriesCount({ y, by }: ChartChoice): number {
  return Math.max(1, y.length) * (by === null ? 1 : 8);
}

async function readRows(api: Framehold, sql: string, signal: AbortSignal): Promise<TextRows> {
  const rows = await api.sql(sql, { history: false, signal });
  const batches: RowBatch[] = [];
  let rowCount = 0;
  const starts: number[] = [];
  for await (const batch of rows) {
    starts.push(rowCount);
    batches.push(batch);
    rowCount += batch.rowCount;
  }
  return {
    columns: rows.columns,
    rowCount,
    text: (row, column) => {
      // A few batches at most: the statement returns some thousand rows.
      const at = starts.findLastIndex((start) => start <= row);
      return batches[at]?.text(row - (starts[at] ?? 0), column) ?? null;
    },
  };
}

/** `c0`, `c1` … under the names that the choice has. */
function renamed(rows: TextRows, choice: ChartChoice): TextRows {
  const names = [choice.x, ...choice.y, ...(choice.by === null ? [] : [choice.by])];
  return {
    ...rows,
    columns: rows.columns.map((column, index) => ({ name: names[index] ?? column.name, type: column.type })),
  };
}
