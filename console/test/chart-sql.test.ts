import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type { ChartChoice } from '../src/chart/chart-choice.ts';
import {
  binnedSql,
  type ChartTable,
  categoriesSql,
  chooseBins,
  drawsRows,
  pointsMax,
  rangeSql,
  rowsSql,
} from '../src/chart/chart-sql.ts';
import { pointsOfBins } from '../src/chart/points-of-bins.ts';
import { pointsOfRows } from '../src/chart/points-of-rows.ts';

// The engine's own library runs what the console writes.
let engine: DuckDBInstance;
let connection: DuckDBConnection;

const types: Readonly<Record<string, string>> = {
  'time "x"': 'TIMESTAMP',
  ns: 'TIMESTAMP_NS',
  day: 'DATE',
  n: 'LONG',
  d: 'DOUBLE',
  dec: 'DECIMAL(38,10)',
  // What the statements call their own columns, and a reserved word.
  bin: 'LONG',
  series: 'STRING',
  at: 'TIMESTAMP',
  name: 'STRING',
};
const table: ChartTable = { sql: '"frame@1"', rows: 10_000, typeOf: (column) => types[column] ?? '' };
const choice: ChartChoice = { kind: 'line', x: 'time "x"', y: ['n'], by: null, aggregate: 'avg' };

before(async () => {
  engine = await DuckDBInstance.create(':memory:');
  connection = await engine.connect();
  // Before 1970 and after, with a null, an infinity, a NaN and a number beyond 2^53.
  await connection.run(`create table "frame@1" as
    select timestamp '1969-12-31 23:00:00' + interval (i) second as "time ""x""",
      make_timestamp_ns(1767225600000000000 + i * 7) as ns, date '2026-01-01' + (i // 100)::int as day,
      9007199254740993 + i as n, i / 10.0 as d, i::decimal(38,10) as dec,
      case when i % 7 = 0 then null else 'name ' || (i % 3) end as name,
      i as bin, 's' || (i % 2) as series, timestamp '2026-01-01' + interval (i) hour as at
    from range(10000) t(i)
    union all select null, null, null, null, 'NaN'::double, 1, 'odd', null, null, null
    union all select 'infinity'::timestamp, null, 'infinity'::date, null, 'infinity'::double, 1, 'odd', null, null, null`);
});

after(() => {
  connection.closeSync();
  engine.closeSync();
});

async function read(sql: string) {
  const result = await connection.runAndReadAll(sql);
  const rows = result.getRows();
  return {
    columns: result.columnNames().map((name) => ({ name, type: '' })),
    rowCount: rows.length,
    text: (row: number, column: number) => {
      const value = rows[row]?.[column];
      return value == null ? null : String(value);
    },
  };
}

async function binned(asked: ChartChoice) {
  const type = table.typeOf(asked.x);
  const range = await read(rangeSql(table, asked.x));
  const bins = chooseBins(type, range.text(0, 1) ?? '', range.text(0, 2) ?? '', asked.kind, asked.y.length);
  const rows = await read(binnedSql(table, asked, bins));
  return { bins, rows, points: pointsOfBins(rows, asked, type, bins, []), placed: Number(range.text(0, 0)) };
}

function total(values: readonly (number | null)[]): number {
  return values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
}

for (const x of ['time "x"', 'ns', 'day', 'n', 'd', 'dec', 'bin', 'at']) {
  test(`each row with a place on the axis is in one bin: ${x}`, async () => {
    for (const kind of ['line', 'bar', 'histogram'] as const) {
      const { points, placed, rows } = await binned({ ...choice, kind, x, y: [], aggregate: 'count' });
      assert.equal(total(points.series[0]?.values ?? []), placed);
      assert.ok(rows.rowCount <= pointsMax && rows.rowCount > 5, `${kind}: ${rows.rowCount} bins`);
      for (let index = 1; index < points.x.length; index++)
        assert.ok((points.x[index] as number) > (points.x[index - 1] as number), 'in order');
    }
  });
}

test('bins of times begin at round times, also before 1970', async () => {
  const { points, bins } = await binned(choice);
  assert.equal(bins.kind === 'time' ? bins.width * bins.unitNs : 0n, 10_000_000_000n);
  assert.equal(points.x[0], -3600);
  assert.ok(points.x.every((x) => x % 10 === 0));
  assert.equal(points.xTexts[0], '1969-12-31 23:00:00 to 1969-12-31 23:00:09');
});

test('the least and the greatest value of a bin are exact beyond 2^53', async () => {
  const { points } = await binned(choice);
  assert.equal(points.series[0]?.band?.texts[0], '9007199254740993 to 9007199254741002');
});

test('a series for each of the most frequent values', async () => {
  const { points } = await binned({ ...choice, by: 'name', y: [], aggregate: 'count' });
  assert.deepEqual(
    points.series.map(({ name }) => name),
    // `odd` has no place on the axis in both of its rows.
    ['name 0', 'name 1', 'name 2'],
  );
  const all = points.series.flatMap(({ values }) => values);
  const { points: unsplit } = await binned({ ...choice, y: [], aggregate: 'count' });
  assert.ok(total(all) < total(unsplit.series[0]?.values ?? []), 'nulls are in no series');
});

test('categories are ordered by their size, and null is one of them', async () => {
  const rows = await read(
    categoriesSql(table, { ...choice, kind: 'bar', x: 'name', y: [], aggregate: 'count' }),
  );
  const points = pointsOfBins(rows, { ...choice, kind: 'bar', x: 'name', y: [] }, 'STRING', null, []);
  assert.equal(points.xTexts.length, 5);
  assert.ok(points.xTexts.includes('null') && points.xTexts.at(-1) === 'odd');
  assert.equal(total(points.series[0]?.values ?? []), 10_002);
  const sums = await read(
    categoriesSql(table, { ...choice, kind: 'bar', x: 'name', y: ['d'], aggregate: 'max' }),
  );
  assert.equal(sums.rowCount, 5);
  const split = await read(
    categoriesSql(table, { ...choice, kind: 'bar', x: 'name', y: ['bin'], by: 'series' }),
  );
  const splitPoints = pointsOfBins(
    split,
    { ...choice, x: 'name', y: ['bin'], by: 'series' },
    'STRING',
    null,
    [],
  );
  assert.deepEqual(
    splitPoints.series.map(({ name }) => name),
    ['s0', 's1'],
  );
  assert.deepEqual(splitPoints.xTexts.toSorted(), ['name 0', 'name 1', 'name 2', 'null']);
});

test('single rows and samples', async () => {
  assert.ok(drawsRows({ ...table, rows: 2_000 }, choice, 'time'));
  assert.ok(!drawsRows({ ...table, rows: 2_001 }, choice, 'time'));
  const scatter: ChartChoice = { ...choice, kind: 'scatter', x: 'd', y: ['n'] };
  assert.ok(drawsRows(table, scatter, 'number'));
  const [first, second] = [
    await read(rowsSql(table, scatter, true)),
    await read(rowsSql(table, scatter, true)),
  ];
  assert.equal(first.rowCount, pointsMax);
  assert.equal(first.text(7, 0), second.text(7, 0), 'the same sample every time');
  const named = {
    ...first,
    columns: [
      { name: 'd', type: 'DOUBLE' },
      { name: 'n', type: 'LONG' },
    ],
  };
  assert.equal(pointsOfRows(named, scatter).x.length, pointsMax);
});
