import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  type SparkConnectServer,
  startSparkConnect,
} from '../../engines/spark/test/support/spark-connect-server.ts';
import { catalogFaults, catalogParts } from '../../server/test/support/catalog-file.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { createFrame, leftResults, rowsOf, runSql } from './spark-results.ts';

/** A multiple of 2,000. */
const rowCount = Number(process.env.SPARK_INTO_ROWS ?? '1000000');
let spark: SparkConnectServer;
let framehold: Framehold;

before(async () => {
  spark = await startSparkConnect();
  framehold = await Framehold.start({ flags: ['--spark-url', spark.url] });
  await createFrame(
    framehold,
    'base',
    `SELECT range AS n, range % 1000 AS k, 'value ' || (range % 77) AS s FROM range(${rowCount})`,
  );
});
after(async () => {
  await framehold?.remove();
  await spark?.stop();
});

test('rows that the workers write are a frame, with every row and value', async () => {
  const { status, json } = await runSql(framehold, 'SELECT n, k, s, n * 2 AS twice FROM base', {
    engine: 'spark',
    into: 'copied',
  });
  assert.ok(status < 300, JSON.stringify(json));
  assert.equal(json.rows, rowCount);
  const sums = (name: string, twice: string) =>
    `SELECT count(*), count(DISTINCT n), sum(n), sum(k), sum(${twice}), count(DISTINCT s), min(s), max(s) FROM ${name}`;
  assert.deepEqual(
    await rowsOf(framehold, sums('copied', 'twice')),
    await rowsOf(framehold, sums('base', 'n * 2')),
  );
  assert.deepEqual(leftResults(framehold), []);
  const differing = 'SELECT count(*) FROM base b JOIN copied c USING (n) WHERE b.k <> c.k OR b.s <> c.s';
  assert.deepEqual((await rowsOf(framehold, differing)).flat(), [0]);
});

test('the order of a sorted result is the order of the rows of the frame', async () => {
  const select = 'SELECT n FROM base WHERE k < 100 ORDER BY n DESC';
  const { json } = await runSql(framehold, select, { engine: 'spark', into: 'sorted' });
  assert.equal(json.rows, rowCount / 10);
  const page = async (offset: number) => {
    const answer = await fetch(`${framehold.url}/v1/frames/sorted/rows?fmt=json&offset=${offset}&limit=3`);
    return ((await answer.json()) as { dataset: number[][] }).dataset.flat();
  };
  const from = (first: number) => [first, first - 1, first - 2];
  assert.deepEqual(await page(0), from(rowCount - 901));
  assert.deepEqual(await page(rowCount / 20), from(rowCount / 2 - 901));
  assert.deepEqual(await page(rowCount / 10 - 3), from(2));
});

test('every type that Parquet gives back is written, and is the same as in the rows of the statement', async () => {
  const select = `SELECT CAST(n % 100 AS TINYINT) AS i8, CAST(n AS SMALLINT) AS i16, CAST(n AS INT) AS i32, n AS i64,
    CAST(n AS FLOAT) / 3 AS f4, CAST(n AS DOUBLE) / 3 AS f8, n % 2 = 0 AS b, CAST(n AS DECIMAL(7, 2)) AS d7,
    CAST(n AS DECIMAL(38, 10)) AS d38, s, CAST(s AS BINARY) AS bin, DATE '1582-10-01' + CAST(n AS INT) AS d,
    TIMESTAMP '1899-12-31 23:59:59.999999' AS ts, TIMESTAMP_NTZ '2024-02-29 12:00:00.000001' AS plain,
    array(n, null) AS list, named_struct('x', n, 'y', CAST(null AS STRING)) AS st, map('k', n) AS m
    FROM base WHERE n < 50 ORDER BY n`;
  const { json } = await runSql(framehold, select, { engine: 'spark', into: 'types' });
  assert.equal(json.rows, 50, JSON.stringify(json));
  const answer = await fetch(`${framehold.url}/v1/frames/types/rows?fmt=json`);
  const { dataset, columns } = (await answer.json()) as { dataset: unknown[]; columns: unknown };
  const streamed = await runSql(framehold, select, { engine: 'spark' });
  assert.deepEqual(dataset, streamed.json.dataset);
  assert.deepEqual(columns, (streamed.json as { columns?: unknown }).columns);
});

test('what Parquet would change comes as a stream, and is not changed', async () => {
  const select = "SELECT INTERVAL '90' MINUTE AS span, n FROM base WHERE n < 3";
  const { json } = await runSql(framehold, select, { engine: 'spark', into: 'spans' });
  assert.equal(json.rows, 3, JSON.stringify(json));
  const manifest = await fetch(`${framehold.url}/v1/frames/spans`);
  assert.match(await manifest.text(), /DURATION|INTERVAL/);
});

test('rows are appended, also to a frame of another engine, and a result without rows is a frame', async () => {
  const into = (name: string, mode: string) => ({ engine: 'spark', into: { name, mode } });
  await createFrame(framehold, 'mixed', 'SELECT range AS n FROM range(10)');
  const { json } = await runSql(framehold, 'SELECT n FROM base WHERE n < 5', into('mixed', 'append'));
  assert.equal(json.rows, 5, JSON.stringify(json));
  assert.deepEqual((await rowsOf(framehold, 'SELECT count(*), sum(n) FROM mixed')).flat(), [15, 55]);
  const none = await runSql(framehold, 'SELECT n, s FROM base WHERE n < 0', into('none', 'create'));
  assert.equal(none.json.rows, 0, JSON.stringify(none.json));
  assert.deepEqual((await rowsOf(framehold, 'SELECT count(*) FROM none')).flat(), [0]);
  const taken = await runSql(framehold, 'SELECT n FROM base', into('none', 'create'));
  assert.deepEqual([taken.status, taken.json.code], [412, 'frame_exists']);
});

test('a statement that fails in the middle leaves no frame and no files', async () => {
  const select = `SELECT n, 1 / (n - ${rowCount - 7}) AS q FROM base`;
  const { status, json } = await runSql(framehold, select, { engine: 'spark', into: 'divided' });
  assert.equal(status, 422, JSON.stringify(json));
  const { json: absent } = await runSql(framehold, 'SELECT * FROM divided');
  assert.equal(absent.code, 'frame_not_found');
  assert.deepEqual(leftResults(framehold), []);
});

test('Spark reads what Spark wrote, and the catalog has no fault', async () => {
  const [row] = await rowsOf(framehold, 'SELECT count(*), sum(n) FROM copied', 'spark');
  assert.deepEqual(row, [rowCount, (rowCount * (rowCount - 1)) / 2]);
  await framehold.stop();
  assert.deepEqual(catalogFaults(framehold.dataDirectory), []);
  assert.ok(catalogParts(framehold.dataDirectory).length > 0);
});
