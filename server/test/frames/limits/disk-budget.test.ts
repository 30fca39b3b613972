import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DiskBudget } from '../../../src/frames/limits/disk-budget.ts';
import { FrameholdError } from '../../../src/model/errors.ts';
import type { Staging } from '../../../src/ports/object-store.ts';

/** A disk with so many bytes free, and dropped content of these sizes that can be given up. */
function disk(freeBytes: number, dropped: number[] = []) {
  let free = freeBytes;
  const staging = { freeBytes: async () => free } as unknown as Staging;
  const makeRoom = async (lacking: number) => {
    if (dropped.reduce((sum, bytes) => sum + bytes, 0) < lacking) return false;
    const bytes = dropped.shift();
    free += bytes ?? 0;
    return bytes !== undefined;
  };
  const diskBudget = new DiskBudget(
    staging,
    () => 100,
    () => {},
    makeRoom,
  );
  return { diskBudget, dropped, use: (bytes: number) => (free -= bytes) };
}

const full = (error: unknown) => error instanceof FrameholdError && error.kind === 'disk_full';

test('as much dropped content goes as a put needs, and no more', async () => {
  const { diskBudget, dropped } = disk(150, [40, 40, 40]);
  await diskBudget.demand(50);
  assert.equal(dropped.length, 3);
  await diskBudget.demand(100);
  assert.equal(dropped.length, 1);
});

test('a put that would not fit anyway costs nothing of what was dropped', async () => {
  const { diskBudget, dropped } = disk(150, [10]);
  await assert.rejects(diskBudget.demand(100), full);
  assert.equal(dropped.length, 1);
});

test('a put that cannot fit does not take others along', async () => {
  const { diskBudget, dropped } = disk(110, [50, 50]);
  const [huge, small] = await Promise.allSettled([diskBudget.demand(1e12), diskBudget.demand(40)]);
  assert.deepEqual([huge.status, small.status], ['rejected', 'fulfilled']);
  assert.equal(dropped.length, 1);
});

test('bytes that are already coming make room as well', async () => {
  const { diskBudget, dropped, use } = disk(150, [40]);
  await diskBudget.demand(0);
  use(50);
  await diskBudget.take(60);
  assert.equal(dropped.length, 0);
  use(90);
  await assert.rejects(diskBudget.take(60), full);
});

test('many that wait for room give up the same content, once', async () => {
  const { diskBudget, dropped } = disk(110, [50, 50, 50]);
  await Promise.all([diskBudget.demand(40), diskBudget.demand(40), diskBudget.demand(40)]);
  assert.equal(dropped.length, 2);
});

test('transcoding and compaction take that room too', async () => {
  const { diskBudget, dropped } = disk(110, [50]);
  assert.equal(await diskBudget.fits('a/b.arrow', 40), true);
  assert.equal(dropped.length, 0);
  assert.equal(await diskBudget.fits('a/b.arrow', 80), false);
});

test('a disk that is short without any put is relieved when it is looked at', async () => {
  const { diskBudget, dropped } = disk(90, [5, 50, 50]);
  await diskBudget.look();
  await new Promise(setImmediate);
  assert.equal(dropped.length, 1);
});
