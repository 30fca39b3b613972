import assert from 'node:assert/strict';
import { availableParallelism, loadavg } from 'node:os';

/** What one round of `work` takes on a machine of two cores that does nothing else. */
const roundMs = 12;
const rounds = 20;

/**
 * How many times longer than on a machine of its own work takes: others may use the same processors. At least 1. What is measured now may be a quiet
 * moment after a busy one, so the programs that wanted to run in the last minute count as well.
 */
export function machinePace(): number {
  const began = performance.now();
  for (let round = 0; round < rounds; round++) work();
  const measured = (performance.now() - began) / (rounds * roundMs);
  const [lastMinute = 0] = loadavg();
  return Math.max(1, measured, lastMinute / availableParallelism());
}

/**
 * Fails if something took longer than it may. A limit is meant for a machine of its own, so one that was missed is held against the
 * pace of this machine before it counts.
 */
export function assertTook(tookMs: number, limitMs: number, what = 'it'): void {
  if (tookMs < limitMs) return;
  const pace = machinePace();
  assert.ok(
    tookMs < limitMs * pace,
    `${what} took ${tookMs.toFixed()} ms, wanted ${limitMs} (the machine is ${pace.toFixed(1)} times slower than it can be)`,
  );
}

/** Whole numbers only: nothing that a collector or a cache would change. */
function work(): number {
  let hash = 0;
  for (let n = 0; n < 9_000_000; n++) hash = (Math.imul(hash, 31) + n) | 0;
  return hash;
}
