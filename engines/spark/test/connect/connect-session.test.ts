import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertTook } from '../../../../server/test/support/machine-pace.ts';
import { timePasses } from '../../../../server/test/support/passing-time.ts';
import { ArrowResult } from '../../src/connect/arrow-result.ts';
import { ConnectClient } from '../../src/connect/connect-client.ts';
import { ConnectError } from '../../src/connect/connect-error.ts';
import type { ConnectSession } from '../../src/connect/connect-session.ts';
import { resultSchema } from '../../src/connect/result-schema.ts';
import { type SparkConnectServer, startSparkConnect } from '../support/spark-connect-server.ts';
import { inWholeSparkRun } from '../support/spark-run.ts';
import { endlessStatement, never, settings, sqlPlan, sumBelow, sumRows } from './connect-rows.ts';

let server: SparkConnectServer;
let client: ConnectClient;

before(async () => {
  server = await startSparkConnect();
  client = await ConnectClient.open({ url: server.url });
});

after(async () => {
  client?.close();
  await server?.stop();
});

async function withSession(use: (session: ConnectSession) => Promise<void>): Promise<void> {
  const session = client.session();
  try {
    await session.setConfig(settings, never);
    await use(session);
  } finally {
    await session.release();
  }
}

function failure(reason: ConnectError['reason'], condition: string | null) {
  return (thrown: unknown) =>
    thrown instanceof ConnectError && thrown.reason === reason && thrown.condition === condition;
}

test('settings are set, read back, and belong to one session', async () => {
  await withSession(async (session) => {
    await session.setConfig(new Map([['spark.sql.shuffle.partitions', '3']]), never);
    const read = await session.getConfig(
      ['spark.sql.shuffle.partitions', 'spark.sql.nothing.of.this'],
      never,
    );
    assert.deepEqual(
      [...read],
      [
        ['spark.sql.shuffle.partitions', '3'],
        ['spark.sql.nothing.of.this', null],
      ],
    );
    await withSession(async (other) => {
      const values = await other.getConfig(['spark.sql.shuffle.partitions'], never);
      assert.notEqual(values.get('spark.sql.shuffle.partitions'), '3');
    });
  });
});

test('the version of Spark is the one that the protocol files are of', async () => {
  await withSession(async (session) => assert.match(await session.sparkVersion(never), /^4\.2\./));
});

test('rows of every type have the schema that was announced for them', async () => {
  const columns = [
    'cast(1 as tinyint) a1, cast(1 as smallint) a2, 1 a3, 1L a4, 1f a5, 1d a6, true a7',
    "cast(1 as decimal(38, 37)) b1, cast(1 as decimal(1)) b2, 'x' c1, cast('x' as varchar(9)) c2, X'01' c3, 'x' collate UTF8_LCASE c4",
    "date'2020-01-01' d1, timestamp'2020-01-01' d2, timestamp_ntz'2020-01-01' d3",
    "interval '1' year d4, interval '1' second d5, make_interval(1) d6, null e1, if(rand() > 2, 1, null) e2",
    "array(1, null) f1, array() f2, map('k', array(1)) f3, named_struct('a', 1, 'b', named_struct('a', null)) f4",
    '1 twice, 2 twice',
  ];
  await withSession(async (session) => {
    const plan = sqlPlan(`select ${columns.join(', ')}`);
    const result = new ArrowResult(resultSchema(await session.analyzeSchema(plan, never), 'UTC'));
    let batches = 0;
    for await (const event of session.execute(plan, { signal: never }))
      if (event.kind === 'batch') batches += result.messagesOf(event).length;
    assert.deepEqual([batches, result.rows], [1, 1]);
  });
});

test('an empty result gives no batch and ends well', async () => {
  await withSession(async (session) => {
    const { rows, sum } = await sumRows(session, 'select id from range(0, 1000, 1, 3) where id < 0');
    assert.deepEqual([rows, sum], [0, 0n]);
  });
});

test('a large result arrives whole and in order, in little memory, with a reader that is slow', async () => {
  const count = inWholeSparkRun(5_000_000, 1_000_000);
  await withSession(async (session) => {
    let largest = 0;
    globalThis.gc?.();
    const before = process.memoryUsage().arrayBuffers;
    const { rows, sum, inOrder, batches } = await sumRows(
      session,
      `select id, id * 2.5d as d, cast(id as string) as s from range(0, ${count}, 1, 4)`,
      {
        onBatch: async (batch) => {
          if (batch === 3) await timePasses(3_000, 'a slow reader');
          largest = Math.max(largest, process.memoryUsage().arrayBuffers - before);
        },
      },
    );
    assert.deepEqual([rows, sum, inOrder], [count, sumBelow(count), true]);
    assert.ok(batches >= count / 10_000, `${batches} batches`);
    // The result has some 27 bytes a row. A window, two messages, and what the collector has not come to yet.
    assert.ok(largest < 24 * 1024 * 1024, `${largest} bytes were held`);
  });
});

test('a wrong statement fails with its name, state and place, and without a stack', async () => {
  await withSession(async (session) => {
    const failed = session.analyzeSchema(sqlPlan('select 1,\n  nothing from (select 1 as b)'), never);
    await assert.rejects(failed, (thrown) => {
      assert.ok(thrown instanceof ConnectError);
      assert.equal(thrown.condition, 'UNRESOLVED_COLUMN.WITH_SUGGESTION');
      assert.equal(thrown.sqlState, '42703');
      assert.deepEqual(thrown.places, [{ start: 12, stop: 18, fragment: 'nothing', objectType: '' }]);
      assert.equal(thrown.parameters.get('objectName'), '`nothing`');
      assert.doesNotMatch(thrown.message, /\.scala|\.java/);
      return true;
    });
  });
});

test('a statement that fails while it runs says so after its first rows', async () => {
  await withSession(async (session) => {
    const query = 'select id, 1 / (id - 900) as q from range(0, 1000, 1, 1)';
    await assert.rejects(sumRows(session, query), failure('spark', 'DIVIDE_BY_ZERO'));
  });
});

/** Both places of the server are free again. */
async function placesAreFree(): Promise<void> {
  await withSession(async (session) => {
    const { rows } = await sumRows(session, 'select id from range(0, 8, 1, 8)');
    assert.equal(rows, 8);
  });
}

test('what the caller aborts ends for the caller at once, and at Spark before its session is released', async () => {
  // While Spark plans, while it submits the first stage, and while tasks run.
  for (const delayMs of [0, 300, 3_000])
    await withSession(async (session) => {
      const controller = new AbortController();
      const execution = session.execute(sqlPlan(endlessStatement), { signal: controller.signal });
      const left = new Error('the caller left');
      let abortedAt = 0;
      void timePasses(delayMs, 'each time Spark is at another step').then(() => {
        abortedAt = Date.now();
        controller.abort(left);
      });
      const reading = (async () => {
        for await (const _ of execution);
      })();
      await assert.rejects(reading, left);
      assertTook(Date.now() - abortedAt, 1_000, 'telling the caller');
      await session.release();
      await placesAreFree();
    });
});

test('a reader that stops reading interrupts the statement', async () => {
  await withSession(async (session) => {
    for await (const _ of session.execute(sqlPlan(endlessStatement), { signal: never })) break;
    await session.release();
    await placesAreFree();
  });
});

test('a statement that somebody else interrupts fails as interrupted', async () => {
  await withSession(async (session) => {
    const execution = session.execute(sqlPlan(endlessStatement), { signal: never });
    const reading = (async () => {
      for await (const event of execution)
        if (event.kind === 'progress' && event.tasks > 0) await session.interrupt(execution.operationId);
    })();
    await assert.rejects(reading, failure('interrupted', 'OPERATION_CANCELED'));
  });
});

test('a released session cannot be used again, nor made anew under its name', async () => {
  const session = client.session();
  await session.setConfig(settings, never);
  assert.equal(await session.release(), true);
  await assert.rejects(
    session.getConfig(['spark.sql.ansi.enabled'], never),
    failure('lost', 'INVALID_HANDLE.SESSION_CLOSED'),
  );
  assert.equal(await session.release(), true);
});

test('nobody at the address is an error that says so, soon', async () => {
  const nobody = await ConnectClient.open({ url: 'sc://127.0.0.1:9' });
  const session = nobody.session();
  const began = Date.now();
  await assert.rejects(session.setConfig(settings, never), failure('unreachable', null));
  assertTook(Date.now() - began, 5_000, 'noticing that nobody listens');
  assert.equal(await session.release(), false);
  nobody.close();
});
