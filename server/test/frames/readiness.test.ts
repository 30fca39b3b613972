import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Readiness } from '../../src/frames/readiness.ts';

const check = async () => {};

test('a server that nobody watches stops at once', async () => {
  const readiness = new Readiness({ delayMs: 60_000, check });
  const began = performance.now();
  await readiness.stop();
  assert.ok(performance.now() - began < 30_000, 'it does not wait');
  await assert.rejects(readiness.check(), { kind: 'draining' });
});

test('a server that is watched says that it stops, and goes on for a while', async () => {
  const readiness = new Readiness({ delayMs: 50, check });
  await readiness.check();
  const began = performance.now();
  const stopped = readiness.stop();
  await assert.rejects(readiness.check(), { kind: 'draining' });
  await stopped;
  assert.ok(performance.now() - began >= 45, `${performance.now() - began} ms`);
});

test('what keeps the server from serving is passed on', async () => {
  const broken = new Readiness({ delayMs: 0, check: () => Promise.reject(new Error('no catalog')) });
  await assert.rejects(broken.check(), /no catalog/);
});
