import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Readiness, readyWithinMs } from '../../src/frames/readiness.ts';

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

test('a catalog that is silent is reported in time, so that a balancer does not take the server for dead', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const answers: (() => void)[] = [];
  const readiness = new Readiness({
    delayMs: 0,
    check: () => new Promise<void>((resolve) => answers.push(resolve)),
  });
  const asked = [readiness.check(), readiness.isReady()] as const;
  context.mock.timers.tick(readyWithinMs);
  await assert.rejects(asked[0], { kind: 'unavailable', message: /has not answered for 1500 ms/ });
  assert.equal(await asked[1], false);
  // Those who ask meanwhile wait for the same answer, and do not add to the load.
  const later = readiness.check();
  assert.equal(answers.length, 1);
  answers[0]?.();
  await later;
  const next = readiness.check();
  answers[1]?.();
  await next;
});
