import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { timePasses } from '../../../../server/test/support/passing-time.ts';
import { type Passage, Toxiproxy } from '../../../../server/test/support/toxiproxy-process.ts';
import { ConnectClient } from '../../src/connect/connect-client.ts';
import type { ConnectSession } from '../../src/connect/connect-session.ts';
import { type SparkConnectServer, startSparkConnect } from '../support/spark-connect-server.ts';
import { endlessStatement, never, settings, sqlPlan, sumBelow, sumRows } from './connect-rows.ts';

let server: SparkConnectServer;
let proxy: Toxiproxy;
let passage: Passage;
let client: ConnectClient;

before(async () => {
  server = await startSparkConnect();
  proxy = await Toxiproxy.start();
  passage = await proxy.before(server.url);
  client = await ConnectClient.open({ url: passage.url.replace('http:', 'sc:') });
});

after(async () => {
  client?.close();
  await proxy?.stop();
  await server?.stop();
});

async function withSession(use: (session: ConnectSession) => Promise<void>): Promise<void> {
  const session = client.session();
  try {
    await session.setConfig(settings, never);
    await use(session);
  } finally {
    await passage.open();
    await passage.heal();
    await session.release();
  }
}

const count = 400_000;
const query = `select id, cast(id as string) as s from range(0, ${count}, 1, 4)`;

test('a connection that is cut again and again gives every row once', async () => {
  await withSession(async (session) => {
    const { rows, sum, inOrder, reattached } = await sumRows(session, query, {
      onBatch: async (batch) => {
        if (batch % 10 !== 1) return;
        await passage.close();
        await passage.open();
      },
    });
    assert.deepEqual([rows, sum, inOrder], [count, sumBelow(count), true]);
    assert.ok(reattached >= 3, `attached ${reattached} times`);
  });
});

test('a connection that ends in the middle of a message gives every row once', async () => {
  await withSession(async (session) => {
    await passage.poison({ type: 'limit_data', attributes: { bytes: 1_000_000 } });
    const { rows, sum, inOrder, reattached } = await sumRows(session, query);
    assert.deepEqual([rows, sum, inOrder], [count, sumBelow(count), true]);
    assert.ok(reattached >= 3, `attached ${reattached} times`);
  });
});

test('a statement is executed once, also if the connection breaks before its first answer', async () => {
  await withSession(async (session) => {
    await session.analyzeSchema(sqlPlan(query), never);
    await passage.poison({ type: 'reset_peer', attributes: { timeout: 0 } });
    const healing = (async () => {
      await timePasses(500, 'the connection breaks meanwhile');
      await passage.heal();
    })();
    const execution = session.execute(sqlPlan('select id from range(10)'), { signal: never });
    let rows = 0;
    for await (const event of execution) if (event.kind === 'batch') rows += event.rows;
    await healing;
    assert.equal(rows, 10);
    assert.ok(execution.reattached >= 1);
  });
});

test('a statement is interrupted over a new connection if its own is stuck', async () => {
  await withSession(async (session) => {
    const controller = new AbortController();
    const left = new Error('the caller left');
    const execution = session.execute(sqlPlan(endlessStatement), { signal: controller.signal });
    const reading = (async () => {
      for await (const event of execution) {
        if (event.kind !== 'progress' || event.tasks === 0 || controller.signal.aborted) continue;
        // Connections that exist are silent from now on; new ones are not.
        await passage.poison({ type: 'timeout', attributes: { timeout: 0 } });
        void timePasses(200, 'the statement is interrupted meanwhile').then(() => passage.heal());
        controller.abort(left);
      }
    })();
    await assert.rejects(reading, left);
    await session.release();
    // Its tasks have left their places.
    const next = client.session();
    await next.setConfig(settings, never);
    assert.equal((await sumRows(next, 'select id from range(0, 8, 1, 8)')).rows, 8);
    await next.release();
  });
});

test('a connection that falls silent is given up for a new one, and every row comes once', async () => {
  await using relay = await FreezingRelay.start(server.url);
  const patient = await ConnectClient.open({ url: relay.url, waits: { silenceMs: 6_000 } });
  const session = patient.session();
  try {
    await session.setConfig(settings, never);
    const { rows, sum, inOrder, reattached } = await sumRows(session, query, {
      onBatch: (batch) => {
        if (batch === 3) relay.freeze();
      },
    });
    assert.deepEqual([rows, sum, inOrder], [count, sumBelow(count), true]);
    assert.equal(reattached, 1);
  } finally {
    await session.release();
    patient.close();
  }
});

/** Passes bytes on until it is frozen: connections that exist then stay open and silent, as behind a router that forgot them. */
class FreezingRelay implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(target: URL) {
    this.#server = createServer((socket) => {
      const onward = connect(Number(target.port), target.hostname);
      for (const [one, other] of [
        [socket, onward],
        [onward, socket],
      ] as const) {
        this.#sockets.add(one);
        one.on('error', () => other.destroy()).pipe(other);
      }
    });
  }

  static async start(targetUrl: string): Promise<FreezingRelay> {
    const relay = new FreezingRelay(new URL(targetUrl));
    relay.#server.listen(0, '127.0.0.1');
    await once(relay.#server, 'listening');
    return relay;
  }

  get url(): string {
    return `sc://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  freeze(): void {
    for (const socket of this.#sockets) socket.unpipe().pause();
    // What is silent stays open until the end of the test.
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }
}
