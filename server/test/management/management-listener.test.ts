import assert from 'node:assert/strict';
import { once } from 'node:events';
import { linkSync, renameSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import {
  type ManagementListener,
  type ManagementOptions,
  startManagementListener,
} from '../../src/management/management-listener.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const started: ManagementListener[] = [];
after(async () => {
  for (const each of started) await each.close();
});

async function start(options: Partial<ManagementOptions> = {}): Promise<string> {
  const listener = await startManagementListener({
    address: { host: '127.0.0.1', port: 0 },
    ready: async () => {},
    metrics: async () => ({ contentType: 'text/plain; version=0.0.4', text: 'framehold_ready 1\n' }),
    ...options,
  });
  started.push(listener);
  return listener.address;
}

async function get(url: string, method = 'GET'): Promise<{ status: number; type: string; text: string }> {
  const answer = await fetch(url, { method });
  return {
    status: answer.status,
    type: answer.headers.get('content-type') ?? '',
    text: await answer.text(),
  };
}

const plain = 'text/plain; charset=utf-8';

test('probes and metrics, and nothing else', async () => {
  const url = await start();
  assert.deepEqual(await get(`${url}/ping`), { status: 200, type: plain, text: 'ok' });
  assert.deepEqual(await get(`${url}/healthz?from=kubelet`), { status: 200, type: plain, text: 'ok' });
  assert.deepEqual(await get(`${url}/readyz`), { status: 200, type: plain, text: 'ready' });
  assert.deepEqual(await get(`${url}/metrics`), {
    status: 200,
    type: 'text/plain; version=0.0.4',
    text: 'framehold_ready 1\n',
  });
  assert.deepEqual(await get(`${url}/readyz`, 'HEAD'), { status: 200, type: plain, text: '' });
  for (const path of ['/v1/frames', '/exec', '/', '/%6detrics', '//metrics'])
    assert.equal((await get(url + path)).status, 404, path);
  assert.equal((await get(`${url}/healthz`, 'POST')).status, 405);
});

test('a server that cannot serve is alive and not ready, and says why', async () => {
  const url = await start({
    ready: async () => {
      throw new Error('The server is stopping.');
    },
  });
  assert.deepEqual(await get(`${url}/readyz`), { status: 503, type: plain, text: 'The server is stopping.' });
  assert.equal((await get(`${url}/healthz`)).status, 200);
});

test('a catalog that never answers does not keep a probe waiting', async () => {
  const url = await start({ ready: () => new Promise(() => {}) });
  const { status, text } = await get(`${url}/readyz`);
  assert.equal(status, 503);
  assert.match(text, /has not answered within 1800 ms/);
});

/** Asks again and again from a thread of its own, because this one is blocked. */
const askers = `
const { parentPort, workerData } = require('node:worker_threads');
(async () => {
  const answers = [];
  const end = performance.now() + workerData.forMs;
  while (performance.now() < end) {
    const round = [];
    for (const path of ['/healthz', '/ping', '/readyz', '/metrics']) {
      const began = performance.now();
      const answer = await fetch(workerData.url + path);
      round.push({ path, status: answer.status, text: await answer.text(), ms: performance.now() - began });
    }
    answers.push(...round);
    if (round.every(({ text }) => text.includes('has been stuck for'))) break;
  }
  parentPort.postMessage(answers);
})();
parentPort.postMessage('asking');
`;

test('a main thread that is stuck is told at once, and one that goes on again is well', async () => {
  const url = await start({ stuckMs: 1_000 });
  const asker = new Worker(askers, { eval: true, workerData: { url, forMs: 20_000 } });
  await once(asker, 'message');
  // The event loop of this thread takes no turn meanwhile.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 6_000);
  const [answers] = (await once(asker, 'message')) as [
    { path: string; status: number; text: string; ms: number }[],
  ];
  const stuck = answers.filter(({ text }) => text.includes('has been stuck for'));
  assert.deepEqual(
    [...new Set(stuck.map(({ path, status }) => `${path} ${status}`))].sort(),
    ['/healthz 503', '/metrics 503', '/ping 503', '/readyz 503'],
    JSON.stringify(answers.slice(-8)),
  );
  assert.ok(Math.min(...stuck.map(({ ms }) => ms)) < 1_000, 'told without waiting for the main thread');
  while ((await get(`${url}/healthz`)).status !== 200);
  await asker.terminate();
});

test('a unix socket, also if a killed server left it behind', async () => {
  const path = join(temporaryFolder('management'), 'probes.sock');
  // Made and left, as by a process that was killed.
  const left = createServer().listen(path);
  await once(left, 'listening');
  const copy = `${path}.left`;
  linkSync(path, copy);
  left.close();
  await once(left, 'close');
  renameSync(copy, path);
  assert.equal(await start({ address: { path } }), `unix:${path}`);
});

test('callers who send nothing do not keep others out for long, and an address in use is an error', async () => {
  const url = await start();
  const { hostname, port } = new URL(url);
  const silent = Array.from({ length: 256 }, () =>
    connect(Number(port), hostname)
      .on('error', () => {})
      .resume(),
  );
  await Promise.all(silent.map((socket) => once(socket, 'close')));
  assert.equal((await get(`${url}/healthz`)).status, 200);
  await assert.rejects(start({ address: { host: hostname, port: Number(port) } }), { code: 'EADDRINUSE' });
});
