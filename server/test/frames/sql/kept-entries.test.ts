import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KeptEntries } from '../../../src/frames/sql/kept-entries.ts';

/** Of an entry with a key of one letter and no value. */
const weight = 514;

test('what was not used for the longest time goes first, and the bytes stay within their limit', () => {
  const kept = new KeptEntries<string>(3 * (weight + 100), 1_000);
  for (const key of ['a', 'b', 'c']) kept.set(key, key.toUpperCase(), 100);
  assert.equal(kept.bytes, 3 * (weight + 100));
  assert.equal(kept.get('a'), 'A');
  kept.set('d', 'D', 100);
  assert.deepEqual(
    ['a', 'b', 'c', 'd'].map((key) => kept.get(key)),
    ['A', undefined, 'C', 'D'],
  );
  kept.set('e', 'E', 1_000);
  assert.ok(kept.bytes <= 3 * (weight + 100), `${kept.bytes}`);
  assert.equal(kept.get('e'), 'E');
  assert.equal(kept.get('a'), undefined);
});

test('a tenant that keeps much displaces its own values, and those of others down to an equal share', () => {
  const kept = new KeptEntries<string>(10 * (weight + 100), 1_000);
  for (const key of ['a', 'b']) kept.set(key, key, 100, 'quiet');
  for (let index = 0; index < 1_000; index++) kept.set(String.fromCharCode(0x4e00 + index), '', 100, 'busy');
  assert.deepEqual([kept.get('a'), kept.get('b'), kept.count], ['a', 'b', 10]);
  for (let index = 0; index < 10; index++) kept.set(String(index), '', 100, 'quiet');
  assert.deepEqual([kept.get('a'), kept.get('9'), kept.count], [undefined, '', 10]);
  const busy = Array.from({ length: 1_000 }, (_, index) => kept.get(String.fromCharCode(0x4e00 + index)));
  assert.equal(busy.filter((value) => value !== undefined).length, 5);
});

test('a value in place of another one counts once', () => {
  const kept = new KeptEntries<number>(10_000, 1_000);
  kept.set('a', 1, 900);
  kept.set('a', 2, 50);
  assert.deepEqual([kept.get('a'), kept.bytes, kept.count], [2, weight + 50, 1]);
});

test('a value above its share is not kept, and nothing goes because of it', () => {
  const kept = new KeptEntries<number>(10_000, 1_000);
  kept.set('a', 1, 10);
  kept.set('b', 2, 1_001);
  kept.set('c', 3, 1_000);
  assert.deepEqual([kept.get('a'), kept.get('b'), kept.get('c')], [1, undefined, 3]);
});

test('keys weigh, too: a million empty values do not fit', () => {
  const kept = new KeptEntries<null>(100_000, 1_000);
  for (let index = 0; index < 10_000; index++) kept.set(`${index}`.padStart(100, '0'), null, 0);
  assert.ok(kept.bytes <= 100_000);
  assert.ok(kept.count > 100 && kept.count < 200, `${kept.count}`);
});

test('with no room nothing is kept', () => {
  const kept = new KeptEntries<number>(0, 1_000);
  kept.set('a', 1, 0);
  assert.deepEqual([kept.get('a'), kept.bytes, kept.count], [undefined, 0, 0]);
});

test('cleared, it is empty', () => {
  const kept = new KeptEntries<number>(10_000, 1_000);
  kept.set('a', 1, 10);
  kept.clear();
  assert.deepEqual([kept.get('a'), kept.bytes, kept.count], [undefined, 0, 0]);
});
