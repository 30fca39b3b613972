import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { PendingWrites } from '../../../src/frames/writing/pending-writes.ts';
import type { StagedFile } from '../../../src/ports/object-store.ts';

const mebibyte = 1024 * 1024;

/** A disk whose writes end when the test says so. */
function heldDisk() {
  const ends: ((error?: Error) => void)[] = [];
  let bytesWritten = 0;
  const file = {
    get bytesWritten() {
      return bytesWritten;
    },
    write: (buffers: readonly Uint8Array[]) =>
      new Promise<void>((resolve, reject) => {
        ends.push((error) => {
          if (error !== undefined) return reject(error);
          for (const buffer of buffers) bytesWritten += buffer.byteLength;
          resolve();
        });
      }),
  };
  const end = async (error?: Error) => {
    ends.shift()?.(error);
    await nextTurn();
  };
  const writes = new PendingWrites(file as unknown as StagedFile, () => {});
  return { writes, end, written: () => bytesWritten };
}

/** Whether the write has been taken, and more may come. */
async function isTaken(write: Promise<void>): Promise<boolean> {
  return Promise.race([write.then(() => true), nextTurn().then(() => false)]);
}

test('small pieces are taken while one is being written', async () => {
  const { writes, end, written } = heldDisk();
  for (let count = 0; count < 7; count++)
    assert.ok(await isTaken(writes.write([Buffer.alloc(mebibyte)])), String(count));
  const last = writes.write([Buffer.alloc(mebibyte)]);
  assert.equal(await isTaken(last), false);
  // Seven are in flight now, as one.
  await end();
  assert.ok(await isTaken(last));
  await end();
  await writes.flush();
  assert.equal(written(), 8 * mebibyte);
});

test('a large piece that is being written counts: the next one waits until it is on the disk', async () => {
  const { writes, end, written } = heldDisk();
  const large = writes.write([Buffer.alloc(64 * mebibyte)]);
  assert.equal(await isTaken(large), false);
  await end();
  assert.ok(await isTaken(large));
  assert.equal(written(), 64 * mebibyte);
});

test('a failed write rejects those that wait for it', async () => {
  const { writes, end } = heldDisk();
  const failing = assert.rejects(writes.write([Buffer.alloc(64 * mebibyte)]), /no disk/);
  await end(new Error('no disk'));
  await failing;
  await assert.rejects(writes.flush(), /no disk/);
});
