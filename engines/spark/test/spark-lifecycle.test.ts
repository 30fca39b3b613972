import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { EngineStatement, EngineTable } from '../../../server/src/ports/engine.ts';
import type { Observation } from '../../../server/src/ports/observation.ts';
import { parquetTable } from '../../../server/test/engine/parquet-table.ts';
import { freePort } from '../../../server/test/support/free-port.ts';
import { assertTook } from '../../../server/test/support/machine-pace.ts';
import { eventually } from '../../../server/test/support/patience.ts';
import { removeFolder, temporaryFolder } from '../../../server/test/support/temporary-folder.ts';
import type { SparkEngine } from '../src/spark-engine.ts';
import { openSparkEngine, rowsOf } from './spark-engines.ts';
import { SparkApplication } from './support/spark-application.ts';
import { OwnSparkConnect } from './support/spark-connect-server.ts';

const folder = temporaryFolder('spark-lifecycle');
const observed: Observation[] = [];
let spark: OwnSparkConnect;
let application: SparkApplication;
let engine: SparkEngine;
let numbers: EngineTable;

/** Takes hours. Its tasks look whether they were ended after each million rows; see spark-engine.test.ts. */
const endless =
  'SELECT sum(sin(a.id * b.id + c.id)) AS s FROM numbers a CROSS JOIN numbers b CROSS JOIN (SELECT id FROM numbers WHERE id < 10) c';

before(async () => {
  const port = await freePort();
  spark = await OwnSparkConnect.start({
    conf: { 'spark.ui.enabled': 'true', 'spark.ui.port': `${port}` },
  });
  application = new SparkApplication(port);
  numbers = await parquetTable(
    folder,
    'numbers',
    'SELECT range::BIGINT AS id, range / 4 AS share FROM range(100000)',
  );
  engine = await openSparkEngine(spark.url, {
    observe: (observation) => observed.push(observation),
    health: { answerMs: 5_000, againMs: 200 },
  });
});

after(async () => {
  await engine?.close();
  await spark?.stop();
  removeFolder(folder);
});

interface Running {
  readonly statement: EngineStatement;
  /** Transcodes when the statement ends. */
  readonly first: Promise<unknown>;
}

/** A statement whose job Spark has begun. */
async function runEndless(signal: AbortSignal, from: SparkEngine = engine): Promise<Running> {
  const statement = await from.begin(endless, 'acme', signal);
  await statement.bind({ tables: [numbers], insertInto: null });
  const first = statement.run(null)[Symbol.asyncIterator]().next();
  first.catch(() => {});
  await eventually('Spark works', async () =>
    (await application.activeStages()).some((s) => s.numActiveTasks > 0),
  );
  return { statement, first };
}

async function assertNothingRuns(since: number): Promise<void> {
  await eventually('no job is left', async () => (await application.runningJobs()).length === 0);
  assertTook(performance.now() - since, 5_000, 'the end of the job');
  // A task can outlive its job: the workers are free if they do something else.
  assert.deepEqual(await rowsOf(engine, 'SELECT count(*) AS n FROM numbers', [numbers]), [['100000']]);
}

test('a caller that leaves takes the job with it, within 5 s', async () => {
  const leaving = new AbortController();
  const { statement, first } = await runEndless(leaving.signal);
  const since = performance.now();
  leaving.abort(new Error('left'));
  await assert.rejects(first, /left/);
  await assertNothingRuns(since);
  await statement.close();
});

test('a statement that is closed, or takes too long, leaves no job behind', async () => {
  const { statement, first } = await runEndless(new AbortController().signal);
  let since = performance.now();
  await statement.close();
  await assert.rejects(first, { kind: 'cancelled' });
  await assertNothingRuns(since);

  const hasty = await openSparkEngine(spark.url, { timeoutMs: 8_000 });
  await assert.rejects(rowsOf(hasty, endless, [numbers]), { kind: 'sql_timeout' });
  since = performance.now();
  await assertNothingRuns(since);
  await hasty.close();
});

test('an engine that closes takes its jobs with it', async () => {
  const other = await openSparkEngine(spark.url);
  const { first } = await runEndless(new AbortController().signal, other);
  const since = performance.now();
  await other.close();
  await assert.rejects(first, { kind: 'draining' });
  await assertNothingRuns(since);
});

test('a driver that does not answer makes the engine unavailable until it does', async () => {
  observed.length = 0;
  const { statement, first } = await runEndless(new AbortController().signal);
  spark.signal('SIGSTOP');
  try {
    await statement.close();
    await assert.rejects(first, { kind: 'cancelled' });
    await eventually('the engine knows', () => observed.some(({ event }) => event === 'spark-silent'));
    await assert.rejects(engine.begin('SELECT 1', 'acme', new AbortController().signal), {
      kind: 'unavailable',
      hint: /again/,
    });
  } finally {
    spark.signal('SIGCONT');
  }
  await eventually('it answers', () => observed.some(({ event }) => event === 'spark-answers-again'));
  assert.deepEqual(await rowsOf(engine, 'SELECT 1 AS one'), [['1']]);
});

test('Connect is killed in mid-statement: an error that says so, and the next statement works when it is back', async () => {
  observed.length = 0;
  const { statement, first } = await runEndless(new AbortController().signal);
  await spark.kill();
  await assert.rejects(first, (error: Error & { kind: string; hint: string }) => {
    assert.ok(['unavailable', 'engine_failed'].includes(error.kind), error.kind);
    assert.match(error.message, /^Spark /);
    assert.match(error.hint, /again/);
    return true;
  });
  await statement.close();
  assert.equal(engine.running, 0);
  await spark.start();
  await eventually('it answers', async () => {
    try {
      return (await rowsOf(engine, 'SELECT count(*) AS n FROM numbers', [numbers])).length === 1;
    } catch {
      return false;
    }
  });
});
