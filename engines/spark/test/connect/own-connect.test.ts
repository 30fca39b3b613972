import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { after, before, test } from 'node:test';
import { createServer, type Server } from 'node:tls';
import { freePort } from '../../../../server/test/support/free-port.ts';
import { assertTook } from '../../../../server/test/support/machine-pace.ts';
import { timePasses } from '../../../../server/test/support/passing-time.ts';
import { eventually } from '../../../../server/test/support/patience.ts';
import { TestAuthority } from '../../../../server/test/support/test-authority.ts';
import { ConnectClient, type ConnectOptions } from '../../src/connect/connect-client.ts';
import { ConnectError } from '../../src/connect/connect-error.ts';
import type { ConnectSession } from '../../src/connect/connect-session.ts';
import { SparkApplication } from '../support/spark-application.ts';
import { OwnSparkConnect } from '../support/spark-connect-server.ts';
import { inWholeSparkRun } from '../support/spark-run.ts';
import { endlessStatement, never, settings, sqlPlan, sumBelow, sumRows } from './connect-rows.ts';

const token = 'a-token-of-this-test';
/** A second Spark, and starting it twice, takes more than the share of `.ci/run` has. */
const whole = { skip: inWholeSparkRun<string | false>(false, 'only in npm run test:spark') };
let server: OwnSparkConnect;
let application: SparkApplication;

/** A Spark that ends streams early, gives up soon, and wants a token. */
before(async () => {
  if (whole.skip) return;
  const uiPort = await freePort();
  application = new SparkApplication(uiPort);
  server = await OwnSparkConnect.start({
    conf: {
      'spark.ui.enabled': 'true',
      'spark.ui.port': `${uiPort}`,
      'spark.connect.authenticate.token': token,
      'spark.connect.execute.reattachable.senderMaxStreamSize': '1m',
      'spark.connect.execute.reattachable.senderMaxStreamDuration': '2s',
      'spark.connect.execute.manager.detachedTimeout': '4s',
      'spark.connect.execute.manager.maintenanceInterval': '1s',
    },
  });
});

after(async () => {
  await server?.stop();
});

async function withSession(
  use: (session: ConnectSession) => Promise<void>,
  options: Partial<ConnectOptions> = {},
): Promise<void> {
  const client = await ConnectClient.open({ url: server.url, token, ...options });
  const session = client.session();
  try {
    await session.setConfig(settings, never);
    await use(session);
  } finally {
    await session.release();
    client.close();
  }
}

function failure(reason: ConnectError['reason'], condition?: string) {
  return (thrown: unknown) =>
    thrown instanceof ConnectError &&
    thrown.reason === reason &&
    (condition === undefined || thrown.condition === condition);
}

const count = 400_000;
const query = `select id, cast(id as string) as s from range(0, ${count}, 1, 4)`;

test('Spark lets in who has its token', whole, async () => {
  await withSession(async (session) => assert.equal((await sumRows(session, 'select 7L as a')).sum, 7n));
  for (const wrong of ['another', null])
    await assert.rejects(
      withSession(async () => assert.fail('let in'), { token: wrong }),
      failure('unauthenticated'),
    );
});

test('a proxy that ends TLS is trusted by its certificate only', whole, async () => {
  const authority = new TestAuthority();
  const files = authority.sign('/CN=localhost', 'IP:127.0.0.1,DNS:localhost');
  await using proxy = await TlsProxy.start(files, server.port);
  const url = `sc://localhost:${proxy.port}/;use_ssl=true`;
  await withSession(async (session) => assert.equal((await sumRows(session, query)).sum, sumBelow(count)), {
    url,
    caFile: authority.cert,
  });
  await assert.rejects(
    withSession(async () => assert.fail('trusted'), { url }),
    failure('unreachable'),
  );
});

test('streams that Spark ends early give every row once', whole, async () => {
  await withSession(async (session) => {
    const { rows, sum, inOrder, reattached } = await sumRows(session, query);
    assert.deepEqual([rows, sum, inOrder], [count, sumBelow(count), true]);
    assert.ok(reattached >= 4, `attached ${reattached} times`);
  });
});

test('a reader that pauses for longer than Spark waits keeps its result', whole, async () => {
  const paused = {
    onBatch: async (batch: number) => {
      if (batch === 5) await timePasses(9_000, 'longer than Spark waits');
    },
  };
  await withSession(
    async (session) => {
      const { rows, sum, inOrder } = await sumRows(session, query, paused);
      assert.deepEqual([rows, sum, inOrder], [count, sumBelow(count), true]);
    },
    { waits: { pausedMs: 1_000 } },
  );
  // Spark does give up one that is not attached again.
  await withSession(async (session) => {
    await assert.rejects(
      sumRows(session, query, paused),
      failure('lost', 'INVALID_HANDLE.OPERATION_ABANDONED'),
    );
  });
});

test("an aborted statement's job is gone at Spark within five seconds", whole, async () => {
  await withSession(async (session) => {
    const controller = new AbortController();
    const left = new Error('the caller left');
    const reading = (async () => {
      for await (const _ of session.execute(sqlPlan(endlessStatement), { signal: controller.signal }));
    })();
    await eventually('a running job', async () => (await application.runningJobs()).length > 0);
    const began = Date.now();
    controller.abort(left);
    await assert.rejects(reading, left);
    await eventually('no running job', async () => (await application.runningJobs()).length === 0);
    assertTook(Date.now() - began, 5_000, 'ending the job');
  });
});

test('a released session takes its jobs with it', whole, async () => {
  await withSession(async (session) => {
    const reading = (async () => {
      for await (const _ of session.execute(sqlPlan(endlessStatement), { signal: never }));
    })();
    const failed = assert.rejects(reading, ConnectError);
    await eventually('a running job', async () => (await application.runningJobs()).length > 0);
    await session.release();
    await failed;
    await eventually('no running job', async () => (await application.runningJobs()).length === 0);
  });
});

test(
  'a Spark that is killed fails its statements clearly, and answers only to new sessions',
  whole,
  async () => {
    const client = await ConnectClient.open({ url: server.url, token });
    const session = client.session();
    await session.setConfig(settings, never);
    const reading = sumRows(session, query, {
      onBatch: async (batch) => {
        if (batch === 2) await server.kill();
      },
    });
    await assert.rejects(reading, failure('unreachable'));
    await server.start();
    // The same names at a server that knows nothing of our settings.
    await assert.rejects(
      session.getConfig(['spark.sql.session.timeZone'], never),
      failure('lost', 'INVALID_HANDLE.SESSION_CHANGED'),
    );
    await assert.rejects(sumRows(session, query), failure('lost', 'INVALID_HANDLE.SESSION_CHANGED'));
    await session.release();
    client.close();
    await withSession(async (next) => assert.equal((await sumRows(next, query)).sum, sumBelow(count)));
  },
);

/** Spark Connect has no TLS of its own: a proxy before it does that. */
class TlsProxy implements AsyncDisposable {
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(
    files: { readonly cert: string; readonly key: string },
    target: number,
  ): Promise<TlsProxy> {
    const certificate = {
      cert: readFileSync(files.cert),
      key: readFileSync(files.key),
      ALPNProtocols: ['h2'],
    };
    const server = createServer(certificate, (socket) => {
      const onward = connect(target, '127.0.0.1');
      for (const [one, other] of [
        [socket, onward],
        [onward, socket],
      ] as const)
        one.on('error', () => other.destroy()).pipe(other);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new TlsProxy(server);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
  }
}
