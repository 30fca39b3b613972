/** A listener that stops: kept connections end with an answer, requests under way end, and balancers are answered to the last. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import type { ProxyReceiver } from '../../src/frames/proxy/upstream-proxy.ts';
import { FrameholdError } from '../../src/model/errors.ts';
import { eventually } from '../support/patience.ts';
import { PlainClient } from '../support/plain-request.ts';
import { rawGet } from '../support/raw-http.ts';
import { startBareListener } from './bare-listener.ts';

const flow = { pause() {}, resume() {} };
const json = 'application/json; charset=utf-8';

/** A listener whose queries wait until the test answers them. */
async function started() {
  const asked: ProxyReceiver[] = [];
  let isReady = true;
  const listener = await startBareListener({
    proxy: {
      forward(_caller, _rawQuery, receiver) {
        asked.push(receiver);
        return () => {};
      },
    },
    ready: async () => {
      if (!isReady) throw new FrameholdError('draining', 'The server is stopping.');
    },
  });
  const client = new PlainClient(listener.url, undefined, 1);
  const slow = new PlainClient(listener.url, undefined, 1);
  return {
    listener,
    /** Both on one kept connection. */
    client,
    slow,
    stopsSoon: () => {
      isReady = false;
      listener.stopSoon();
    },
    /** Resolves when the query is under way. */
    async query(from: PlainClient) {
      const count = asked.length;
      const answer = from.ask('/exec?query=slow&fmt=json');
      answer.catch(() => {});
      await eventually('the query is under way', () => asked.length > count);
      return { answer, receiver: asked.at(-1) as ProxyReceiver };
    },
    [Symbol.asyncDispose]: async () => {
      client[Symbol.dispose]();
      slow[Symbol.dispose]();
      await listener.close();
    },
  };
}

function answerWhole(receiver: ProxyReceiver): void {
  receiver.head(200, json, flow);
  receiver.data(Buffer.from('{"whole":true}'));
  receiver.end();
}

test('a node that says that it stops still answers on kept connections, and each answer ends its connection', async () => {
  await using at = await started();
  const before = await at.client.ask('/ping');
  assert.equal(before.headers.connection, 'keep-alive');
  const { answer, receiver } = await at.query(at.slow);
  at.stopsSoon();
  const after = await at.client.ask('/ping');
  assert.deepEqual([after.status, after.headers.connection, after.body.toString()], [200, 'close', 'ok']);
  // One that began before says so, too: otherwise the client would use the connection while it is closed.
  answerWhole(receiver);
  const begun = await answer;
  assert.deepEqual(
    [begun.status, begun.headers.connection, begun.body.toString()],
    [200, 'close', '{"whole":true}'],
  );
});

test('while requests under way end, others are refused with a reason, and balancers are answered', async () => {
  await using at = await started();
  const { answer, receiver } = await at.query(at.slow);
  at.stopsSoon();
  const drained = at.listener.drain(60_000);
  // A new connection: the port is not closed, because a balancer would take the node for dead and end what it still serves.
  const probe = await rawGet(at.listener.url, '/readyz');
  assert.deepEqual([probe.status, probe.headers.connection], [503, 'close']);
  assert.equal((await rawGet(at.listener.url, '/healthz')).status, 200);
  const late = await rawGet(at.listener.url, '/v1/frames');
  assert.deepEqual([late.status, late.headers.connection, late.headers['retry-after']], [503, 'close', '5']);
  assert.match(late.body.toString(), /"code":"draining".*Retry in a few seconds/);
  answerWhole(receiver);
  assert.equal((await answer).body.toString(), '{"whole":true}');
  await drained;
});

test('callers who are refused again and again, and connections on which nothing comes, do not hold up the end', async () => {
  await using at = await started();
  await at.client.ask('/ping');
  const silent = connect(Number(new URL(at.listener.url).port), '127.0.0.1');
  await eventually('connected', () => silent.readyState === 'open');
  let refused = 0;
  let isOver = false;
  const { answer, receiver } = await at.query(at.slow);
  const drained = at.listener.drain(60_000);
  const asking = (async () => {
    while (!isOver) {
      const { status } = await rawGet(at.listener.url, '/v1/frames');
      if (status === 503) refused += 1;
    }
  })();
  await eventually('callers are refused', () => refused > 3);
  answerWhole(receiver);
  await answer;
  await drained;
  isOver = true;
  await asking;
  await at.listener.close();
  silent.destroy();
});

test('what has not ended in time is cut: a caller without an answer is told why, and an answer that has begun breaks off', async () => {
  await using at = await started();
  const waiting = await at.query(at.slow);
  const begun = await at.query(at.client);
  begun.receiver.head(200, json, flow);
  begun.receiver.data(Buffer.from('{"whole":'));
  await at.listener.drain(50);
  const told = await waiting.answer;
  assert.deepEqual([told.status, told.headers.connection, told.headers['retry-after']], [503, 'close', '5']);
  assert.match(told.body.toString(), /cannot wait longer for this request.*Retry in a few seconds/);
  await assert.rejects(begun.answer, /aborted|hang up|ECONNRESET/);
});
