import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { exec, getText, putFrame } from '../../server/test/support/frame-client.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { arrowBytes } from '../../server/test/support/python.ts';
import { assertStrictJson, parseExact } from '../../server/test/support/strict-json.ts';

let framehold: Framehold;
before(async () => {
  framehold = await Framehold.start();
  const frames = await arrowBytes({
    integers: `pa.table({
      'i64': pa.array([2**63 - 1, -2**63, 9007199254740993, None], pa.int64()),
      'u64': pa.array([2**64 - 1, 0, 9007199254740993, None], pa.uint64()),
      'i32': pa.array([2**31 - 1, -2**31, 0, None], pa.int32())})`,
    doubles: `pa.table({
      'd': pa.array([0.1, -0.0, 5e-324, 1.7976931348623157e308, float('nan'), float('inf'), float('-inf')], pa.float64()),
      'f': pa.array([0.1, 16777216.0, 1e-45, 3.4028234663852886e38, float('nan'), float('inf'), float('-inf')], pa.float32())})`,
    times: `pa.table({
      'zoneless': pa.array([1704067199123456], pa.timestamp('us')),
      'zoned': pa.array([1704067199123456], pa.timestamp('us', 'Europe/Berlin'))})`,
    strings: `pa.table({'s': ['"', '\\\\', '/', '\\x00\\x01\\x1f\\x7f', '\\n\\r\\t\\b\\f', '\\u2028\\u2029', '\\U0001F600', 'é', '</script>', '']})`,
  });
  for (const [name, bytes] of Object.entries(frames)) await putFrame(framehold.url, name, bytes);
});
after(async () => await framehold.remove());

const ask = async (handle: string, more: Record<string, string> = {}) =>
  (await exec(framehold.url, { handle, fmt: 'json', ...more })).text;

interface Table {
  readonly dataset: unknown[][];
}

test('an integer is written with all its digits, never through a double', async () => {
  const text = await ask('integers');
  await assertStrictJson([text]);
  assert.deepEqual((parseExact(text) as unknown as Table).dataset, [
    [9223372036854775807n, 18446744073709551615n, 2147483647],
    [-9223372036854775808n, 0, -2147483648],
    [9007199254740993n, 9007199254740993n, 0],
    [null, null, null],
  ]);
});

test('quoteLargeNum=true writes 64-bit ones as strings', async () => {
  const text = await ask('integers', { quoteLargeNum: 'true' });
  await assertStrictJson([text]);
  assert.deepEqual(JSON.parse(text).dataset, [
    ['9223372036854775807', '18446744073709551615', 2147483647],
    ['-9223372036854775808', '0', -2147483648],
    ['9007199254740993', '9007199254740993', 0],
    [null, null, null],
  ]);
});

test('quoteLargeNum=false is the same as none', async () => {
  assert.equal(await ask('integers', { quoteLargeNum: 'false' }), await ask('integers'));
});

test('NaN and the infinities are null', async () => {
  const text = await ask('doubles');
  await assertStrictJson([text]);
  assert.deepEqual(JSON.parse(text).dataset.slice(4), [
    [null, null],
    [null, null],
    [null, null],
  ]);
});

test('a double is written so that it reads back as the same double', async () => {
  const { dataset } = JSON.parse(await ask('doubles')) as { dataset: [number, number][] };
  const doubles = dataset.slice(0, 4).map(([double]) => double);
  assert.deepEqual(doubles.map(Math.abs), [0.1, 0, 5e-324, Number.MAX_VALUE]);
  const floats = dataset.slice(0, 4).map(([, float]) => Math.fround(float));
  assert.deepEqual(floats, [0.1, 16777216, 1e-45, 3.4028234663852886e38].map(Math.fround));
});

test('a timestamp without a zone is written with Z', async () => {
  const { dataset } = JSON.parse(await ask('times'));
  assert.deepEqual(dataset, [['2023-12-31T23:59:59.123456Z', '2023-12-31T23:59:59.123456Z']]);
});

test('csv writes NaN and Infinity', async () => {
  const { text } = await getText(`${framehold.url}/exp?handle=doubles&fmt=csv`);
  const cells = text
    .trimEnd()
    .split(/\r?\n/)
    .slice(5)
    .map((line) => line.split(','));
  assert.deepEqual(cells, [
    ['NaN', 'NaN'],
    ['Infinity', 'Infinity'],
    ['-Infinity', '-Infinity'],
  ]);
});

test('csv and ndjson write zoneless times without Z, zoned ones with', async () => {
  const csv =
    (await getText(`${framehold.url}/exp?handle=times&fmt=csv`)).text.trimEnd().split(/\r?\n/)[1] ?? '';
  const [zoneless = '', zoned = ''] = csv.replaceAll('"', '').split(',');
  assert.match(zoneless, /^2023-12-31[T ]23:59:59\.123456$/);
  assert.match(zoned, /^2023-12-31[T ]23:59:59\.123456Z$/);
  const ndjson = JSON.parse((await getText(`${framehold.url}/exp?handle=times&fmt=ndjson`)).text);
  assert.match(ndjson.zoneless, /^2023-12-31[T ]23:59:59\.123456$/);
  assert.match(ndjson.zoned, /^2023-12-31[T ]23:59:59\.123456Z$/);
});

test('ndjson is valid JSON in every line, also with NaN in it', async () => {
  const { text } = await getText(`${framehold.url}/exp?handle=doubles&fmt=ndjson`);
  const lines = text.trimEnd().split('\n');
  assert.equal(lines.length, 7);
  await assertStrictJson(lines);
});

test('every string is escaped to valid JSON', async () => {
  const text = await ask('strings');
  await assertStrictJson([text]);
  assert.deepEqual(
    JSON.parse(text).dataset.map(([cell]: [string]) => cell),
    ['"', '\\', '/', '\0\u0001\u001f\u007f', '\n\r\t\b\f', '\u2028\u2029', '\u{1F600}', 'é', '</script>', ''],
  );
});
