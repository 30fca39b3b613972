/** Spark's driver is killed while its tasks write, and while it moves their files to where they belong. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { OwnSparkConnect } from '../../engines/spark/test/support/spark-connect-server.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { eventually } from '../../server/test/support/patience.ts';
import { createFrame, leftResults, rowsOf, runSql, writtenFiles } from './spark-results.ts';

const rowCount = 3_000_000;
let spark: OwnSparkConnect;
let framehold: Framehold;

before(async () => {
  // Many files: the driver renames them one after the other.
  spark = await OwnSparkConnect.start({ conf: { 'spark.sql.shuffle.partitions': '200' } });
  framehold = await Framehold.start({ flags: ['--spark-url', spark.url] });
  await createFrame(framehold, 'base', `SELECT range AS n, range % 100000 AS k FROM range(${rowCount})`);
});
after(async () => {
  await framehold?.remove();
  await spark?.stop();
});

/** Runs with a shuffle, so that every partition is a file. */
const grouped = 'SELECT k, count(*) AS rows, sum(n) AS total FROM base GROUP BY k';

const moments: readonly [string, (files: readonly string[]) => boolean][] = [
  [
    'while tasks write',
    (files) => files.some((file) => file.includes('_temporary') && file.endsWith('.parquet')),
  ],
  [
    'while the driver moves files',
    (files) => files.some((file) => /\/result\/part-[^/]*\.parquet$/.test(file)),
  ],
];

for (const [moment, isNow] of moments)
  test(`the driver is killed ${moment}: no frame, a clear error, and the next statement works`, async () => {
    const answered = runSql(framehold, grouped, { engine: 'spark', into: 'grouped' });
    await eventually(moment, () => isNow(writtenFiles(framehold)));
    await spark.kill();
    const { status, json } = await answered;
    assert.ok([500, 503].includes(status), JSON.stringify(json));
    const absent = await runSql(framehold, 'SELECT * FROM grouped');
    assert.equal(absent.json.code, 'frame_not_found');
    assert.deepEqual(leftResults(framehold), []);
    await spark.start();
    const again = await runSql(framehold, grouped, {
      engine: 'spark',
      into: { name: 'again', mode: 'replace' },
    });
    assert.equal(again.json.rows, 100_000, JSON.stringify(again.json));
    const sums = 'SELECT sum(rows), sum(total) FROM again';
    assert.deepEqual(await rowsOf(framehold, sums), [[rowCount, (rowCount * (rowCount - 1)) / 2]]);
  });
