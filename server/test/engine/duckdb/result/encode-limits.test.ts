import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DuckDBInstance } from '@duckdb/node-api';
import { arrowSchemaOf, encodeResult } from '../../../../src/engine/duckdb/result/encode-result.ts';
import type { IpcPiece } from '../../../../src/engine/statement-runner.ts';
import { FrameholdError } from '../../../../src/model/errors.ts';
import { decodeStream } from '../../../arrow/stream-bytes.ts';
import { encodedStream } from './encoded-stream.ts';

function failsWith(kind: string, text: RegExp): (thrown: unknown) => boolean {
  return (thrown) => thrown instanceof FrameholdError && thrown.kind === kind && text.test(thrown.message);
}

/** 1,000,000 rows, of which the one with number 900,000 cannot be cast. */
const failing =
  "SELECT CASE WHEN i = 900000 THEN 'x' ELSE i::VARCHAR END::INTEGER AS v FROM range(1000000) t(i)";

test('a cast that fails at row 900,000 fails the result, and does not end it early', async () => {
  await assert.rejects(encodedStream(failing), failsWith('sql_failed', /failed before its last row/));
});

test('the text of such a failure is the one that the engine gives when it is asked', async () => {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const result = await (await connection.prepare(failing)).stream();
  const explainFailure = async (): Promise<string | null> => {
    try {
      await connection.run(`EXPLAIN ANALYZE ${failing}`);
      return null;
    } catch (thrown) {
      return (thrown as Error).message;
    }
  };
  const schema = arrowSchemaOf(result.columnNames(), result.columnTypes());
  await assert.rejects(
    async () => {
      for await (const _ of encodeResult(result, schema, { explainFailure }));
    },
    failsWith('sql_failed', /Could not convert string 'x' to INT32/),
  );
  connection.closeSync();
  instance.closeSync();
});

test('a result that is interrupted between two batches fails', async () => {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const result = await (
    await connection.prepare('SELECT i, md5(i::VARCHAR) AS t FROM range(100000000) t(i)')
  ).stream();
  const messages: IpcPiece[] = [];
  await assert.rejects(
    async () => {
      const schema = arrowSchemaOf(result.columnNames(), result.columnTypes());
      for await (const message of encodeResult(result, schema)) {
        messages.push(message);
        if (messages.length === 3) connection.interrupt();
        assert.ok(messages.length < 100, 'the interrupt is not seen');
      }
    },
    failsWith('sql_failed', /failed before its last row/),
  );
  assert.ok(messages.length >= 3);
  connection.closeSync();
  instance.closeSync();
});

test('a reader that goes away leaves no fetch behind', async () => {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const result = await (await connection.prepare('SELECT i FROM range(100000000) t(i)')).stream();
  const fetchChunk = result.fetchChunk.bind(result);
  let [begun, pending] = [0, 0];
  result.fetchChunk = async () => {
    begun += 1;
    pending += 1;
    try {
      return await fetchChunk();
    } finally {
      pending -= 1;
    }
  };
  for await (const _ of encodeResult(result, arrowSchemaOf(['i'], result.columnTypes()))) break;
  assert.ok(begun > 1, 'it fetches ahead');
  assert.equal(pending, 0);
  connection.closeSync();
  instance.closeSync();
});

test('a batch has at most 65,536 rows and about 4 MiB, unless one row has more', async () => {
  const rowCounts = async (sql: string): Promise<number[]> =>
    (await decodeStream((await encodedStream(sql)).bytes)).batches.map((batch) => batch.length);
  const narrow = await rowCounts('SELECT i FROM range(200000) t(i)');
  assert.deepEqual(narrow, [65_536, 65_536, 65_536, 3392]);

  const sizesOf = async (sql: string): Promise<number[]> =>
    (await encodedStream(sql)).messages.map(({ body }) => body.length);
  const limit = 4 * 1024 * 1024 + 64 * 1024;
  const wide = [
    "SELECT repeat('x', 20000) || i AS t FROM range(3000) t(i)",
    'SELECT range(i % 3000) AS l FROM range(6000) t(i)',
    `SELECT ${Array.from({ length: 60 }, (_, column) => `i + ${column} AS c${column}`).join(', ')} FROM range(70000) t(i)`,
    "SELECT {'a': [{'b': repeat('x', 3000)}, {'b': i::VARCHAR}]} AS s FROM range(5000) t(i)",
    "SELECT map([i], [repeat('x', 5000)]) AS m FROM range(3000) t(i)",
  ];
  for (const sql of wide) {
    const sizes = await sizesOf(sql);
    assert.ok(sizes.length > 1, sql);
    assert.ok(Math.max(...sizes) <= limit, `${Math.max(...sizes)} bytes: ${sql}`);
  }
  const single = await sizesOf("SELECT repeat('x', 5000000 + i::INTEGER) AS t FROM range(3) t(i)");
  assert.equal(single.length, 3);
});

test('bytes of rows that the statement has not chosen are nowhere in the answer', async () => {
  const { bytes } = await encodedStream(`
    SELECT t, [t, NULL, t] AS l FROM (SELECT i, CASE WHEN i % 3 = 0 THEN 'open to all, number ' || i
      ELSE 'SECRET of the row with number ' || i END AS t FROM range(20000) t(i)) WHERE i % 3 = 0`);
  assert.equal(bytes.includes('SECRET'), false);
  assert.ok(bytes.includes('open to all, number 19998'));
});

test('the place of a null value is zero', async () => {
  const { bytes } = await encodedStream(
    'SELECT CASE WHEN i % 2 = 0 THEN i + 1000 END AS v, nullif(i, i) AS w, [nullif(i, 1)] AS l FROM range(3000) t(i)',
  );
  const { batches } = await decodeStream(bytes);
  for (const batch of batches) {
    for (const column of [batch.columns[0], batch.columns[1], batch.columns[2]?.children[0]]) {
      assert.ok(column?.validity);
      const values = new BigInt64Array(new Uint8Array(column.buffers[0] as Uint8Array).buffer);
      for (let row = 0; row < column.length; row++)
        if ((((column.validity[row >> 3] as number) >> (row & 7)) & 1) === 0) assert.equal(values[row], 0n);
    }
  }
});

test('what Arrow cannot hold is refused, and not changed', async () => {
  await assert.rejects(
    encodedStream('SELECT 170141183460469231731687303715884105727::HUGEINT AS h'),
    failsWith('sql_failed', /"h".*38 digits/),
  );
  await assert.rejects(
    encodedStream('SELECT 340282366920938463463374607431768211455::UHUGEINT AS h'),
    failsWith('sql_failed', /"h".*38 digits/),
  );
  const digits = '9'.repeat(38);
  const { batches } = await decodeStream(
    (
      await encodedStream(
        `SELECT ${digits}::HUGEINT AS a, -${digits}::HUGEINT AS b, ${digits}::UHUGEINT AS c`,
      )
    ).bytes,
  );
  assert.equal(batches[0]?.length, 1);
  await assert.rejects(
    encodedStream("SELECT INTERVAL '300000 years' + to_microseconds(9223372036854775807) AS i"),
    failsWith('sql_failed', /"i".*range/),
  );
  await assert.rejects(encodedStream('SELECT 1::VARIANT AS v'), failsWith('sql_invalid', /"v".*VARIANT/));
});
