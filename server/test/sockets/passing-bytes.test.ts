import assert from 'node:assert/strict';
import { constants, PerformanceObserver } from 'node:perf_hooks';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { countPassing } from '../../src/sockets/passing-bytes.ts';

/** As Node's own types do not have it. */
interface GcEntry {
  readonly detail: { readonly kind: number };
}

const pieceBytes = 64 * 1024;

test('buffers that were received are collected while they are young, and not by looking through the whole heap', async () => {
  const kinds: number[] = [];
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) kinds.push((entry as unknown as GcEntry).detail.kind);
  });
  observer.observe({ entryTypes: ['gc'] });
  for (let pieces = 0; pieces < 4_000; pieces++) {
    Buffer.allocUnsafeSlow(pieceBytes).fill(1);
    countPassing(pieceBytes);
    if (pieces % 100 === 0) await setImmediate();
  }
  await setImmediate();
  observer.disconnect();
  const minor = kinds.filter((kind) => kind === constants.NODE_PERFORMANCE_GC_MINOR).length;
  const major = kinds.filter((kind) => kind === constants.NODE_PERFORMANCE_GC_MAJOR).length;
  assert.ok(minor >= 50, `${minor} of what is young`);
  // The test runner has a heap of its own to look through.
  assert.ok(major <= 3, `${major} of all`);
});
