import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BufferPool } from '../../src/base/buffer-pool.ts';

const mebibyte = 1024 * 1024;

describe('buffer pool', () => {
  it('gives buffers of the size asked for, and the same memory again', () => {
    const pool = new BufferPool(64 * mebibyte);
    const first = pool.take(4 * mebibyte + 300);
    assert.equal(first.length, 4 * mebibyte + 300);
    pool.give(first);
    const second = pool.take(4 * mebibyte + 900);
    assert.equal(second.length, 4 * mebibyte + 900);
    assert.equal(second.buffer, first.buffer);
    assert.equal(pool.idleBytes, 0);
  });

  it('never gives one buffer to two', () => {
    const pool = new BufferPool(64 * mebibyte);
    pool.give(pool.take(mebibyte));
    assert.notEqual(pool.take(mebibyte).buffer, pool.take(mebibyte).buffer);
  });

  it('keeps no more than its limit, and nothing tiny or huge', () => {
    const pool = new BufferPool(10 * mebibyte);
    const taken = Array.from({ length: 8 }, () => pool.take(3 * mebibyte));
    for (const buffer of taken) pool.give(buffer);
    assert.ok(pool.idleBytes > 0 && pool.idleBytes <= 10 * mebibyte);
    const empty = new BufferPool(100 * mebibyte);
    for (const bytes of [10, 60_000, 40 * mebibyte]) empty.give(empty.take(bytes));
    assert.equal(empty.idleBytes, 0);
  });

  it('wastes a quarter at most', () => {
    const pool = new BufferPool(0);
    for (let bytes = 70_000; bytes < 30 * mebibyte; bytes = Math.floor(bytes * 1.07)) {
      const capacity = pool.take(bytes).buffer.byteLength;
      assert.ok(capacity >= bytes && capacity <= bytes * 1.25 + 1, `${bytes} in ${capacity}`);
    }
  });
});
