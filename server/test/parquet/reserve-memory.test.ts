import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parquetModule, renewParquet, reserveMemory } from '../../src/parquet/parquet-module.ts';

const mebibyte = 1024 * 1024;

function memoryBytes(): number {
  return parquetModule().wasmMemory().buffer.byteLength;
}

test('reserved memory is there for what follows, and what does not fit is not asked for', () => {
  renewParquet();
  const before = memoryBytes();
  reserveMemory(32 * mebibyte);
  const reserved = memoryBytes();
  assert.ok(reserved >= before + 32 * mebibyte, `${before} bytes became ${reserved}`);
  reserveMemory(16 * mebibyte);
  assert.equal(memoryBytes(), reserved, 'the library uses what it has');
  reserveMemory(1536 * mebibyte);
  assert.equal(memoryBytes(), reserved);
  renewParquet();
  assert.equal(memoryBytes(), before, 'another instance begins small');
});
