import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ColumnStatistics, FrameDiff, FrameStatistics } from '../server/src/frames/analysis/analysis.ts';
import {
  arrowStreamType,
  assertProblem,
  getText,
  putFrame,
  send,
} from '../server/test/support/frame-client.ts';
import { Framehold } from '../server/test/support/framehold-process.ts';
import { arrowBytes } from '../server/test/support/python.ts';

/** Statistics of versions and differences between versions, against the started command. */

let framehold: Framehold;
let frames: Awaited<ReturnType<typeof arrowBytes>>;
before(async () => {
  framehold = await Framehold.start();
  frames = await arrowBytes({
    exact: `pa.table({
      'big': pa.array([9007199254740993, -9007199254740993, None, 9007199254740993], pa.int64()),
      'unsigned': pa.array([18446744073709551615, 0, 1, None], pa.uint64()),
      'money': pa.array([__import__('decimal').Decimal('12345678901234567890.1234567890'), __import__('decimal').Decimal('-0.0000000001'), None, None], pa.decimal128(38, 10)),
      'ns': pa.array([1709209800123456789, 1709209800123456790, None, None], pa.int64()).cast(pa.timestamp('ns')),
      'day': pa.array([0, 10, 59, None], pa.int32()).cast(pa.date32()),
      'real': pa.array([float('nan'), -0.0, 1.5, float('inf')], pa.float64()),
      'word': pa.array(['', 'b', 'b', None]),
      'flag': pa.array([True, False, True, True]),
      'list': pa.array([[1], None, [], [2, 3]], pa.list_(pa.int64())),
      'a,b': pa.array([1, 2, 3, 4], pa.int8()),
      'twice': pa.array([1, 1, 1, 1], pa.int8())}).append_column('twice', pa.array([2, 2, 2, 2], pa.int8()))`,
    spans: `pa.table({'n': pa.array([1, 2], pa.int64()), 'mdn': pa.array([pa.scalar((1, 2, 3), pa.month_day_nano_interval()), None], pa.month_day_nano_interval())})`,
    empty: `pa.table({'n': pa.array([], pa.int64()), 's': pa.array([], pa.utf8())})`,
    one: `pa.table({'n': pa.array([1, 2, 2, 3], pa.int64()), 'x': pa.array([0.0, 1.0, 1.0, None], pa.float64())})`,
    more: `pa.table({'n': pa.array([4], pa.int64()), 'x': pa.array([9.0], pa.float64())})`,
    other: `pa.table({'x': pa.array([1.0, -0.0, 9.0], pa.float64()), 'n': pa.array([2, 1, 7], pa.int64())})`,
    typed: `pa.table({'n': pa.array([2, 2, 5], pa.int64()), 'x': pa.array(['a', 'b', 'c']), 'new': pa.array([True, True, None])})`,
    apart: `pa.table({'z': pa.array([1], pa.int64())})`,
  });
});
after(async () => await framehold.remove());

async function statistics(handle: string, query = ''): Promise<FrameStatistics> {
  const { status, text } = await getText(`${framehold.url}/v1/frames/${handle}/statistics${query}`);
  assert.equal(status, 200, text);
  return JSON.parse(text);
}

async function diff(query: string): Promise<FrameDiff> {
  const { status, text } = await getText(`${framehold.url}/v1/frames/${query}`);
  assert.equal(status, 200, text);
  return JSON.parse(text);
}

function byName({ columns }: FrameStatistics): Record<string, ColumnStatistics> {
  return Object.fromEntries(columns.map((column) => [column.name, column]));
}

const binsOf = ({ histogram }: ColumnStatistics) =>
  histogram?.kind === 'range' ? histogram.bins.map(({ from, to, count }) => `${from}…${to}: ${count}`) : [];

test('statistics are exact where values are: no integer, decimal or nanosecond passes through a double', async () => {
  await putFrame(framehold.url, 'exact', frames.exact as Buffer<ArrayBuffer>);
  const found = await statistics('exact');
  assert.deepEqual([found.handle, found.rows, found.columns.length], ['exact@1', 4, 12]);
  const columns = byName(found);
  const range = (name: string) => {
    const { nulls, min, max } = columns[name] as ColumnStatistics;
    return [nulls, min, max];
  };
  assert.deepEqual(range('big'), [1, '-9007199254740993', '9007199254740993']);
  assert.deepEqual(range('unsigned'), [1, '0', '18446744073709551615']);
  assert.deepEqual(range('money'), [2, '-0.0000000001', '12345678901234567890.1234567890']);
  assert.deepEqual(range('ns'), [2, '2024-02-29T12:30:00.123456789Z', '2024-02-29T12:30:00.123456790Z']);
  assert.deepEqual(range('day'), [1, '1970-01-01T00:00:00.000Z', '1970-03-01T00:00:00.000Z']);
  assert.deepEqual(range('real'), [0, '-0', 'Infinity']);
  assert.equal(columns.real?.notFinite, 2);
  assert.equal(columns.real?.mean, '0.75');
  assert.deepEqual(range('word'), [1, '', 'b']);
  assert.deepEqual(range('list'), [1, null, null]);

  const big = binsOf(columns.big as ColumnStatistics);
  assert.equal(big[0], '-9007199254740993…-8256599316845911: 1');
  assert.match(big.at(-1) ?? '', /…9007199254740993: 2$/);
  assert.match(
    binsOf(columns.money as ColumnStatistics).at(-1) ?? '',
    /…12345678901234567890\.1234567890: 1$/,
  );
  assert.deepEqual(binsOf(columns.ns as ColumnStatistics), [
    '2024-02-29T12:30:00.123456789Z…2024-02-29T12:30:00.123456789Z: 1',
    '2024-02-29T12:30:00.123456789Z…2024-02-29T12:30:00.123456790Z: 1',
  ]);
  assert.deepEqual(binsOf(columns['a,b'] as ColumnStatistics), ['1…1: 1', '2…2: 1', '3…3: 1', '4…4: 1']);
  const day = binsOf(columns.day as ColumnStatistics);
  assert.deepEqual(day.slice(0, 2), [
    '1970-01-01T00:00:00.000Z…1970-01-03T00:00:00.000Z: 1',
    '1970-01-04T00:00:00.000Z…1970-01-05T00:00:00.000Z: 0',
  ]);
  for (const name of ['big', 'unsigned', 'money', 'ns', 'day', 'real'] as const) {
    const { histogram, nulls, notFinite = 0 } = columns[name] as ColumnStatistics;
    const counted =
      histogram?.kind === 'range' ? histogram.bins.reduce((sum, bin) => sum + bin.count, 0) : -1;
    assert.equal(counted, 4 - (nulls ?? 0) - notFinite, `${name}: every value is in one bin`);
  }
  const values = (name: string) => columns[name]?.histogram;
  assert.deepEqual(values('word'), {
    kind: 'values',
    values: [
      { value: 'b', count: 2 },
      { value: '', count: 1 },
    ],
    others: 0,
  });
  assert.deepEqual(columns.flag?.distinct, 2);
  assert.equal(values('list'), null);
  assert.match(columns.list?.reason ?? '', /not grouped/);
  const twice = found.columns.filter(({ name }) => name === 'twice').map(({ min }) => min);
  assert.deepEqual(twice, ['1', '2'], 'columns of the same name are told apart');
});

test('columns= chooses and orders; an unknown one is 400', async () => {
  await putFrame(framehold.url, 'chosen', frames.one as Buffer<ArrayBuffer>);
  assert.deepEqual(
    (await statistics('chosen', '?columns=x,n')).columns.map(({ name }) => name),
    ['x', 'n'],
  );
  assertProblem(
    await getText(`${framehold.url}/v1/frames/chosen/statistics?columns=nope`),
    400,
    'column_not_found',
  );
  assertProblem(await getText(`${framehold.url}/v1/frames/absent/statistics`), 404, 'frame_not_found');
});

test('a column that SQL cannot read has a reason, and the others have statistics', async () => {
  await putFrame(framehold.url, 'spans', frames.spans as Buffer<ArrayBuffer>);
  const { n, mdn } = byName(await statistics('spans'));
  assert.deepEqual([n?.min, n?.max, n?.nulls], ['1', '2', 0]);
  assert.deepEqual([mdn?.nulls, mdn?.distinct, mdn?.histogram], [null, null, null]);
  assert.match(mdn?.reason ?? '', /cannot be read exactly/);
});

test('a frame without rows has statistics without values', async () => {
  await putFrame(framehold.url, 'empty', frames.empty as Buffer<ArrayBuffer>);
  const { n, s } = byName(await statistics('empty'));
  for (const column of [n, s])
    assert.deepEqual(
      [column?.nulls, column?.distinct, column?.min, column?.max, column?.histogram],
      [0, 0, null, null, null],
    );
});

test('statistics are computed once for a version, also if many ask at once, and after a restart', async () => {
  await putFrame(framehold.url, 'kept', frames.one as Buffer<ArrayBuffer>);
  const statements = async () => {
    const lines = await framehold.linesUntilNow();
    return lines.filter((line) => line.includes('"event":"sql"')).length;
  };
  const earlier = await statements();
  const answers = await Promise.all(Array.from({ length: 8 }, () => statistics('kept')));
  for (const answer of answers) assert.deepEqual(answer, answers[0]);
  // A line is written when a statement has been put away, which nobody waits for.
  await framehold.until('the lines of its statements', async () =>
    (await statements()) > earlier ? true : null,
  );
  const computed = (await statements()) - earlier;
  assert.ok(computed <= 3, `${computed} statements`);
  await framehold.kill();
  await framehold.start();
  assert.deepEqual(await statistics('kept'), answers[0]);
  assert.equal(await statements(), 0, 'nothing is computed again');
  await send(framehold.url, '/v1/frames/kept', frames.more as Buffer<ArrayBuffer>, { status: 200 });
  await fetch(`${framehold.url}/v1/frames/kept/restore?version=1`, { method: 'POST' });
  const restored = await statistics('kept');
  assert.deepEqual([restored.handle, restored.columns], ['kept@3', answers[0]?.columns]);
  assert.equal(await statements(), 0, 'a restored version has the statistics of the one it came from');
});

test('diff: appended rows are found without reading, others are compared', async () => {
  await putFrame(framehold.url, 'd', frames.one as Buffer<ArrayBuffer>);
  const appended = await fetch(`${framehold.url}/v1/frames/d/rows`, {
    method: 'POST',
    headers: { 'content-type': arrowStreamType },
    body: frames.more as Buffer<ArrayBuffer>,
  });
  assert.equal(appended.status, 200);
  const schema = { added: [], removed: [], changed: [], reordered: false };
  assert.deepEqual(await diff('d/diff?from=1&to=2'), {
    from: 1,
    to: 2,
    schema,
    rows: { kind: 'appended', count: 1, offset: 4 },
  });
  assert.equal((await diff('d@2/diff?from=1')).to, 2);
  assert.deepEqual(await diff('d/diff?from=1&to=1'), { from: 1, to: 1, schema, rows: { kind: 'same' } });
  assert.deepEqual((await diff('d/diff?from=2&to=1')).rows, {
    kind: 'compared',
    onlyInFrom: 1,
    onlyInTo: 0,
    inBoth: 4,
  });

  await send(framehold.url, '/v1/frames/d', frames.other as Buffer<ArrayBuffer>, { status: 200 });
  const other = await diff('d/diff?from=1');
  assert.equal(other.to, 3);
  assert.deepEqual(other.schema, { ...schema, reordered: true });
  // Of (2, 1.0) there were two and is one; (1, 0.0) is not (1, -0.0).
  assert.deepEqual(other.rows, { kind: 'compared', onlyInFrom: 3, onlyInTo: 2, inBoth: 1 });

  await send(framehold.url, '/v1/frames/d', frames.typed as Buffer<ArrayBuffer>, { status: 200 });
  const typed = await diff('d/diff?from=1&to=4');
  assert.deepEqual(typed.schema, {
    added: [{ name: 'new', type: 'BOOLEAN' }],
    removed: [],
    changed: [{ name: 'x', from: 'DOUBLE', to: 'STRING' }],
    reordered: false,
  });
  assert.deepEqual(typed.rows, {
    kind: 'compared',
    onlyInFrom: 2,
    onlyInTo: 1,
    inBoth: 2,
    columns: ['n'],
  });

  await send(framehold.url, '/v1/frames/d', frames.apart as Buffer<ArrayBuffer>, { status: 200 });
  const apart = await diff('d/diff?from=4&to=5');
  assert.equal(apart.rows.kind, 'not_comparable');
});

test('diff: what is wrong with a request', async () => {
  const get = (query: string) => getText(`${framehold.url}/v1/frames/${query}`);
  assertProblem(await get('d/diff'), 400, 'bad_request');
  assertProblem(await get('d@2/diff?from=1&to=2'), 400, 'bad_request');
  assertProblem(await get('d/diff?from=x'), 400, 'bad_request');
  assertProblem(await get('d/diff?from=99'), 404, 'frame_not_found');
  assertProblem(await get('absent/diff?from=1'), 404, 'frame_not_found');
});
