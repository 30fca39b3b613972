/** Workers and drivers of Spark end under statements over 50,000,000 rows in S3, and callers leave: real processes, killed at moments that Spark itself reports. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import type { SparkStage } from '../../engines/spark/test/support/spark-application.ts';
import { SparkSite } from '../../engines/spark/test/support/spark-site.ts';
import { assertTook } from '../../server/test/support/machine-pace.ts';
import { eventually } from '../../server/test/support/patience.ts';
import { pythonCommand } from '../../server/test/support/python.ts';

const rows = 50_000_000;
/** A group for each of a million keys: every task has output for every other. */
const aggregate = `select count(*) as groups, cast(sum(c) as bigint) as c, sum(v) as v, max(h) as h
  from (select key, count(*) as c, sum(value) as v, max(id) as h from big group by key) as each`;
/** What the end of a job may take after its caller has left. */
const goneMs = 5_000;

let site: SparkSite;
let expected: unknown[][];
before(async () => {
  site = await SparkSite.start();
  // Eighths: their sums are exact in any order.
  await site.make(
    'big',
    `select i as id, (i * 7919) % 1000003 as key, (i % 8000) / 8.0::double as value from range(${rows}) as t(i)`,
  );
  expected = await site.rows(aggregate, 'duckdb');
  assert.equal(expected[0]?.[1], rows);
});
after(async () => {
  await site?.remove();
});

/** The next moment at which Spark says that this holds of a stage that runs. */
async function stageWhere(what: string, holds: (stage: SparkStage) => boolean): Promise<SparkStage> {
  let found: SparkStage | undefined;
  await eventually(what, async () => {
    found = (await site.spark.application.activeStages()).find(holds);
    return found !== undefined;
  });
  return found as SparkStage;
}

async function allExecutors(): Promise<void> {
  await eventually('two executors', async () => (await site.spark.application.executors()).length === 2);
}

test('a worker that is killed before it has written any shuffle output changes nothing of the answer', async (t) => {
  await allExecutors();
  const answer = site.rows(aggregate);
  const stage = await stageWhere(
    'a stage with two tasks that run and no output',
    ({ numActiveTasks, numCompleteTasks, shuffleWriteBytes }) =>
      numActiveTasks === 2 && numCompleteTasks === 0 && shuffleWriteBytes === 0,
  );
  await site.spark.workers[0].kill();
  assert.deepEqual(await answer, expected);
  const failed = (await site.spark.application.stages()).filter(({ stageId }) => stageId === stage.stageId);
  t.diagnostic(`stage ${stage.stageId}: ${failed.map(({ numFailedTasks }) => numFailedTasks)} tasks failed`);
  assert.ok(
    failed.some(({ numFailedTasks }) => numFailedTasks > 0),
    'a task was lost and ran again',
  );
  site.spark.startAgain(site.spark.workers[0]);
});

test('a worker that is killed after it has written shuffle output changes nothing of the answer', async (t) => {
  await allExecutors();
  const answer = site.rows(aggregate);
  const stage = await stageWhere(
    'a stage with output of several tasks',
    ({ numCompleteTasks, shuffleWriteBytes }) => numCompleteTasks >= 4 && shuffleWriteBytes > 0,
  );
  await site.spark.workers[1].kill();
  assert.deepEqual(await answer, expected);
  const tries = (await site.spark.application.stages()).filter(({ stageId }) => stageId === stage.stageId);
  const tasks = tries.reduce((sum, { numCompleteTasks }) => sum + numCompleteTasks, 0);
  t.diagnostic(
    `stage ${stage.stageId}: ${stage.numTasks} tasks, ${tasks} completed in ${tries.length} attempts; ${stage.shuffleWriteBytes} bytes were there`,
  );
  assert.ok(tasks > stage.numTasks, 'output that was lost was made again');
  site.spark.startAgain(site.spark.workers[1]);
});

test('the job of a caller who leaves over HTTP is gone within five seconds', async () => {
  await allExecutors();
  const leaving = new AbortController();
  const answer = site.rows(aggregate, 'spark', leaving.signal);
  await stageWhere('a stage with tasks', ({ numActiveTasks }) => numActiveTasks > 0);
  leaving.abort();
  await assert.rejects(answer, { name: 'AbortError' });
  await jobsAreGone();
});

test('the job of a caller who leaves over Flight is gone within five seconds', async () => {
  const script = `
import sys
import adbc_driver_flightsql.dbapi as adbc
url, sql = sys.argv[1:]
options = {'adbc.flight.sql.rpc.call_header.framehold-engine': 'spark'}
with adbc.connect(url, options, autocommit=True) as connection, connection.cursor() as cursor:
    cursor.execute(sql)
    cursor.fetch_arrow_table()
`;
  const client = spawn(pythonCommand, ['-c', script, site.framehold.grpcUrl, aggregate], {
    stdio: 'inherit',
  });
  await stageWhere('a stage with tasks', ({ numActiveTasks }) => numActiveTasks > 0);
  client.kill('SIGKILL');
  await once(client, 'exit');
  await jobsAreGone();
});

test('a statement under way when the driver is killed fails with a clear error, and the next one works', async () => {
  const answer = site.send({ sql: aggregate, engine: 'spark' });
  await stageWhere('a stage with tasks', ({ numActiveTasks }) => numActiveTasks > 0);
  await site.spark.connect.kill();
  const failed = await answer;
  const error = (await failed.json()) as {
    readonly code?: string;
    readonly detail?: string;
    readonly hint?: string;
  };
  assert.ok(['engine_failed', 'unavailable'].includes(error.code ?? ''), JSON.stringify(error));
  assert.ok(failed.status >= 500, `${failed.status}`);
  assert.doesNotMatch(JSON.stringify(error), /s3a:|127\.0\.0\.1|fh_\d|\bat org\./);
  await site.spark.connect.start();
  assert.deepEqual(await site.rows(aggregate), expected);
});

async function jobsAreGone(): Promise<void> {
  const began = Date.now();
  await eventually('no job', async () => (await site.spark.application.runningJobs()).length === 0);
  assertTook(Date.now() - began, goneMs, 'the end of the job');
}
