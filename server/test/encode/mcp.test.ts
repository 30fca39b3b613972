import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { ArrayData } from '../../src/arrow/arrays/array-data.ts';
import { describeColumn } from '../../src/arrow/schema/column-types.ts';
import { jsonFormat } from '../../src/encode/json.ts';
import { mcp, mcpOptions } from '../../src/encode/mcp.ts';
import { renderText } from '../../src/encode/render-text.ts';
import type { RowBatch } from '../../src/encode/rows/row-batch.ts';
import { FrameholdError } from '../../src/model/errors.ts';
import type { Column } from '../../src/model/version.ts';
import { arrayOf, fieldOf, utf8 } from '../arrow/hand-made.ts';
import { randomColumn, seededRandom } from './random-columns.ts';
import { collect } from './sample-frames.ts';

interface Table {
  readonly data: readonly ArrayData[];
  readonly length: number;
  readonly columns: readonly Column[];
}

const sources = ['trades@3', 'ann:"prices"@1'];
const unlimited = { rowsMax: 1_000_000, bytesMax: 1_000_000_000 };

async function* batchesOf({ data, length }: Table, rows: number): AsyncGenerator<RowBatch, void, void> {
  const batch = { length, columns: data };
  for (let from = 0; from < length; from += rows) yield { batch, from, to: Math.min(length, from + rows) };
}

async function answer(
  table: Table,
  limits: Partial<typeof unlimited>,
  batches: AsyncIterable<RowBatch> = batchesOf(table, 7),
): Promise<string> {
  const { columns } = table;
  const options = mcpOptions({ columns, sources }, { ...unlimited, ...limits });
  const chunks = mcp.write({ options, columns, schemaMessage: new Uint8Array(0), batches });
  return (await collect(chunks)).toString('utf8');
}

/** Each row as the JSON of the same rows has it. */
function jsonRows({ data, length, columns }: Table): Promise<string[]> {
  const row = async (from: number) => {
    const one = async function* () {
      yield { batch: { length, columns: data }, from, to: from + 1 };
    };
    const whole = (await collect(renderText(jsonFormat('', columns, true), one()))).toString('utf8');
    const start = `{"query":"","columns":${JSON.stringify(columns)},"dataset":[`;
    assert.ok(whole.startsWith(start) && whole.endsWith('],"count":1}'), whole);
    return whole.slice(start.length, -'],"count":1}'.length);
  };
  return Promise.all(Array.from({ length }, (_, from) => row(from)));
}

function headOf({ columns }: Table): string {
  const named = columns.map(({ name, type }) => ({ name, type }));
  return JSON.stringify({ columns: named, sources }).slice(0, -1);
}

/** What has to come: the rows of the JSON, cut at the first that is too many or too long. */
function expected(table: Table, rows: readonly string[], limits: Partial<typeof unlimited>): string {
  const { rowsMax, bytesMax } = { ...unlimited, ...limits };
  const kept = rows.slice(0, rowsMax);
  // One byte more for each, because commas are between them.
  let bytes = Buffer.byteLength(headOf(table)) - 1;
  const tooLong = kept.findIndex((row) => {
    bytes += Buffer.byteLength(row) + 1;
    return bytes > bytesMax;
  });
  const count = tooLong === -1 ? kept.length : tooLong;
  const advice = 'Aggregate, filter, choose fewer columns, or page with ORDER BY, LIMIT and OFFSET.';
  const truncated =
    tooLong !== -1
      ? `The result is larger than ${bytesMax} bytes; only its first ${count} rows are here. ${advice}`
      : rows.length > rowsMax
        ? `The result has more than ${rowsMax} rows; the rest is not here. ${advice}`
        : undefined;
  const tail = JSON.stringify({ rowCount: count, truncated }).slice(1);
  return `${headOf(table)},"rows":[${kept.slice(0, count).join(',')}],${tail}`;
}

function randomTable(seed: number): Table {
  const random = seededRandom(seed);
  const length = random(40);
  const data = Array.from({ length: 1 + random(4) }, (_, index) =>
    randomColumn(random, length, random(4), `c"${index}`),
  );
  return { data, length, columns: data.map(({ field }) => describeColumn(field)) };
}

function textTable(texts: readonly string[]): Table {
  const bytes = texts.map((text) => Buffer.from(text));
  const ends = new Int32Array(texts.length + 1);
  for (const [row, { length }] of bytes.entries()) ends[row + 1] = (ends[row] as number) + length;
  const data = [arrayOf(fieldOf(utf8, [], 'text'), texts.length, [ends, Buffer.concat(bytes)])];
  return { data, length: texts.length, columns: data.map(({ field }) => describeColumn(field)) };
}

test('of every type, an answer is the JSON of the same rows, cut where a limit is, wherever batches end', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat(),
      fc.integer({ min: 1, max: 45 }),
      fc.nat(2_000),
      fc.integer({ min: 1, max: 20 }),
      async (seed, rowsMax, bytes, batchRows) => {
        const table = randomTable(seed);
        const rows = await jsonRows(table);
        const limits = { rowsMax, bytesMax: Buffer.byteLength(headOf(table)) + bytes };
        const text = await answer(table, limits, batchesOf(table, batchRows));
        assert.equal(text, expected(table, rows, limits));
        const { rows: parsed, rowCount } = JSON.parse(text) as { rows: unknown[]; rowCount: number };
        assert.equal(parsed.length, rowCount);
      },
    ),
    { numRuns: 400 },
  );
});

test('without limits that matter, all rows are here, also those of many chunks', async () => {
  const table = textTable(Array.from({ length: 800 }, (_, row) => `${row}"ż`.repeat(200)));
  assert.equal(await answer(table, {}, batchesOf(table, 300)), expected(table, await jsonRows(table), {}));
});

test('a limit is a byte: a row that fits exactly is here, and of one that does not there is nothing', async () => {
  const table = textTable(['a', '"],["', 'żółw', '', 'x'.repeat(300_000), 'last']);
  const rows = await jsonRows(table);
  const head = Buffer.byteLength(headOf(table));
  for (let count = 1; count <= rows.length; count++) {
    const fits = head + Buffer.byteLength(rows.slice(0, count).join(','));
    for (const [bytesMax, whole] of [
      [fits, count],
      [fits - 1, count - 1],
      [fits + 1, count],
    ] as const) {
      const text = await answer(table, { bytesMax });
      assert.equal(text, expected(table, rows, { bytesMax }));
      assert.equal((JSON.parse(text) as { rowCount: number }).rowCount, whole);
    }
  }
});

test('a result of as many rows as are returned is whole; one more is said, however long it is', async () => {
  const table = textTable(['a', 'b', 'x'.repeat(10_000)]);
  const limits = { rowsMax: 2, bytesMax: 1_000 };
  const parse = async (given: Table) => JSON.parse(await answer(given, limits)) as { truncated?: string };
  assert.match((await parse(table)).truncated ?? '', /^The result has more than 2 rows;/);
  assert.equal((await parse(textTable(['a', 'b']))).truncated, undefined);
  assert.deepEqual(await parse(textTable([])), {
    columns: [{ name: 'text', type: 'STRING' }],
    sources,
    rows: [],
    rowCount: 0,
  });
});

test('no batch is asked for behind the row that ends the answer', async () => {
  const table = textTable(Array.from({ length: 50 }, () => 'abc'));
  for (const [limits, batches] of [
    [{ rowsMax: 10 }, 3],
    [{ rowsMax: 9 }, 2],
    [{ bytesMax: Buffer.byteLength(headOf(table)) + 20 }, 1],
  ] as const) {
    let taken = 0;
    const counted = async function* () {
      for await (const batch of batchesOf(table, 5)) {
        taken++;
        yield batch;
      }
    };
    await answer(table, limits, counted());
    assert.equal(taken, batches);
  }
});

test('names of columns that do not fit are refused before a row is read', () => {
  const columns = [{ name: 'ż'.repeat(500), type: 'LONG' }];
  const head = Buffer.byteLength(JSON.stringify({ columns, sources }).slice(0, -1));
  assert.equal(mcpOptions({ columns, sources }, { rowsMax: 1, bytesMax: head }).writer, 'mcp');
  assert.throws(
    () => mcpOptions({ columns, sources }, { rowsMax: 1, bytesMax: head - 1 }),
    (thrown) =>
      thrown instanceof FrameholdError &&
      thrown.kind === 'bad_request' &&
      thrown.message ===
        `The result has 1 columns, whose names do not fit into an answer of ${head - 1} bytes.`,
  );
});
