import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertProblem, exec, putFrame } from '../../server/test/support/frame-client.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { arrowBytes } from '../../server/test/support/python.ts';
import { assertStrictJson, parseExact } from '../../server/test/support/strict-json.ts';

let framehold: Framehold;
before(async () => {
  framehold = await Framehold.start();
  const frames = await arrowBytes({
    prices: `pa.table({'id': pa.array([1, 2, 3], pa.int64()), 'name': ['a', 'b', None]})`,
    many: `pa.table({'n': pa.array(range(1500), pa.int64())})`,
  });
  await putFrame(framehold.url, 'prices', frames.prices);
  await putFrame(framehold.url, 'many', frames.many);
});
after(async () => await framehold.remove());

const ask = (parameters: Record<string, string>) => exec(framehold.url, parameters);

test('4.2 handle mode: the frame identified by handle is loaded from the own store, status 200', async () => {
  const answer = await ask({ handle: 'prices', fmt: 'json' });
  assert.equal(answer.status, 200);
  await assertStrictJson([answer.text]);
});

test('2.2 the exec result is query, columns, dataset, count', async () => {
  const answer = await ask({ handle: 'prices', fmt: 'json' });
  assert.deepEqual(JSON.parse(answer.text), {
    query: 'handle:prices',
    columns: [
      { name: 'id', type: 'LONG' },
      { name: 'name', type: 'STRING' },
    ],
    dataset: [
      [1, 'a'],
      [2, 'b'],
      [3, null],
    ],
    count: 3,
  });
});

test('2.2 query is the text handle: followed by the requested handle', async () => {
  assert.equal(JSON.parse((await ask({ handle: 'prices@1', fmt: 'json' })).text).query, 'handle:prices@1');
  assert.equal(JSON.parse((await ask({ handle: 'prices', fmt: 'json' })).text).query, 'handle:prices');
});

test('2.2 columns: one entry per column, in column order, with name and type', async () => {
  const { columns } = JSON.parse((await ask({ handle: 'prices', fmt: 'json' })).text);
  assert.deepEqual(
    columns.map((column: { name: string }) => column.name),
    ['id', 'name'],
  );
});

test('2.2 LONG is the type name for a 64-bit integer column', async () => {
  const { columns } = JSON.parse((await ask({ handle: 'many', fmt: 'json', limit: '0' })).text);
  assert.deepEqual(columns, [{ name: 'n', type: 'LONG' }]);
});

test('2.2 dataset: one inner array per row, cells in column order', async () => {
  const { dataset } = JSON.parse((await ask({ handle: 'prices', fmt: 'json', limit: '2' })).text);
  assert.deepEqual(dataset, [
    [1, 'a'],
    [2, 'b'],
  ]);
});

test('4.2 limit defaults to 1000 rows', async () => {
  const result = parseExact((await ask({ handle: 'many', fmt: 'json' })).text) as {
    dataset: number[][];
    count: number;
  };
  assert.equal(result.count, 1000);
  assert.deepEqual(
    result.dataset,
    Array.from({ length: 1000 }, (_, row) => [row]),
  );
});

test('4.2 limit caps the number of rows returned, and count reports them', async () => {
  for (const [limit, rows] of [
    ['1', 1],
    ['1200', 1200],
    ['1500', 1500],
    ['1501', 1500],
    ['000007', 7],
  ] as const) {
    const result = JSON.parse((await ask({ handle: 'many', fmt: 'json', limit })).text);
    assert.equal(result.count, rows, `limit=${limit}`);
    assert.equal(result.dataset.length, rows, `limit=${limit}`);
  }
});

test('4.2 handle is required: without it and without query the request is refused', async () => {
  assertProblem(await ask({ fmt: 'json' }), 400, 'bad_request');
});

test('4.2 fmt is required and must be json', async () => {
  assertProblem(await ask({ handle: 'prices' }), 400, 'bad_request');
  assertProblem(await ask({ handle: 'prices', fmt: 'csv' }), 400, 'bad_request');
});
