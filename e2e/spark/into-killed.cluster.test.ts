/** `into` of 50,000,000 rows through the workers of Spark and S3: all of its rows or no frame, whichever process is killed. */
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { SparkSite } from '../../engines/spark/test/support/spark-site.ts';
import { eventually } from '../../server/test/support/patience.ts';

const rows = 50_000_000;
const copy = 'select id, key, value from big';
const sums = (name: string) =>
  `select count(*) as n, cast(sum(id) as bigint) as i, cast(sum(key) as bigint) as k, sum(value) as v, count(distinct id) as d from ${name}`;

let site: SparkSite;
let expected: unknown[][];
before(async () => {
  site = await SparkSite.start();
  await site.make(
    'big',
    `select i as id, (i * 7919) % 1000003 as key, (i % 8000) / 8.0::double as value from range(${rows}) as t(i)`,
  );
  expected = await site.rows(sums('big'), 'duckdb');
  assert.equal(expected[0]?.[0], rows);
});
after(async () => {
  await site?.remove();
});
afterEach(async () => {
  for (const name of ['whole', 'torn'])
    await fetch(`${site.framehold.url}/v1/frames/${name}`, { method: 'DELETE' });
});

const into = (name: string, url = site.framehold.url) =>
  fetch(`${url}/v1/sql?fmt=json`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ sql: copy, engine: 'spark', into: name }),
  });

async function isThere(name: string): Promise<boolean> {
  const answer = await fetch(`${site.framehold.url}/v1/frames/${name}`);
  await answer.arrayBuffer();
  // 410 if an earlier test has dropped one.
  assert.ok([200, 404, 410].includes(answer.status), `${answer.status}`);
  return answer.ok;
}

async function assertWhole(name: string): Promise<void> {
  assert.deepEqual(await site.rows(sums(name), 'duckdb'), expected);
}

async function attemptKeys(): Promise<string[]> {
  return (await site.framehold.objectKeys()).filter((key) => key.includes('/_attempts/'));
}

/** The moment at which every task of the job that writes has ended: what follows is the commit. */
async function tasksEnded(): Promise<void> {
  await eventually('a job that writes', async () =>
    (await attemptKeys()).some((key) => key.includes('__magic')),
  );
  await eventually('the end of its tasks', async () => {
    const stages = await site.spark.application.activeStages();
    return stages.every(({ numTasks, numCompleteTasks }) => numTasks === numCompleteTasks);
  });
}

test('a result of 50,000,000 rows becomes a frame with all of them, and nothing is left of the attempt', async () => {
  const answer = await into('whole');
  assert.equal(answer.status, 201, await answer.text());
  await assertWhole('whole');
  assert.deepEqual(await attemptKeys(), []);
});

test('a worker that is killed while it writes changes nothing of the frame', async () => {
  const answer = into('whole');
  await eventually('a task that has written', async () =>
    (await site.spark.application.activeStages()).some(({ numCompleteTasks }) => numCompleteTasks > 1),
  );
  const [worker] = site.spark.workers;
  await worker.kill();
  assert.equal((await answer).status, 201);
  await assertWhole('whole');
  site.spark.startAgain(worker);
});

test('there is no frame, or a whole one, if the driver is killed during the commit, and the same statement works later', async (t) => {
  const answer = into('torn').catch((error: unknown) => error);
  await tasksEnded();
  const wasComplete = (await attemptKeys()).some((key) => key.endsWith('/_SUCCESS'));
  await site.spark.connect.kill();
  await answer;
  const isWhole = await isThere('torn');
  t.diagnostic(
    `when the driver was killed, _SUCCESS was ${wasComplete ? '' : 'not '}there; the frame is ${isWhole ? '' : 'not '}there`,
  );
  if (!isWhole) {
    assert.deepEqual(await attemptKeys(), [], 'what was written is removed');
    await site.spark.connect.start();
    assert.equal((await into('torn')).status, 201);
  } else await site.spark.connect.start();
  await assertWhole('torn');
});

test('there is no frame, or a whole one, if the node is killed after _SUCCESS', async (t) => {
  const node = site.framehold.node(0);
  const answer = into('torn', node.url).catch((error: unknown) => error);
  await eventually('_SUCCESS', async () => (await attemptKeys()).some((key) => key.endsWith('/_SUCCESS')));
  await node.kill();
  await answer;
  const isWhole = await isThere('torn');
  t.diagnostic(
    `on the other node the frame is ${isWhole ? '' : 'not '}there; keys of the attempt: ${(await attemptKeys()).length}`,
  );
  if (!isWhole) assert.equal((await into('torn', site.framehold.node(1).url)).status, 201);
  await assertWhole('torn');
  await node.start();
});
