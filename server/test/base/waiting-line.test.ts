import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WaitingLine } from '../../src/base/waiting-line.ts';

const full = () => new Error('full');
const late = () => new Error('late');

test('what a turn begins is begun within serve, and nobody waits after it', async () => {
  const line = new WaitingLine<number>();
  const begun: number[] = [];
  const waiting = line.wait('a', (turn) => begun.push(turn), { max: 1, full });
  assert.equal(line.size, 1);
  assert.equal(line.serve(7), true);
  assert.deepEqual([begun, line.size], [[7], 0]);
  assert.equal(await waiting, 1);
  assert.equal(line.serve(8), false);
});

test('the next one of another tenant is served before the flood of the first', async () => {
  const line = new WaitingLine<void>();
  const order: string[] = [];
  const all = Array.from({ length: 300 }, (_, index) =>
    line.wait('a', () => order.push(`a${index}`), { max: 1_000, full }),
  );
  line.serve();
  all.push(line.wait('b', () => order.push('b'), { max: 1_000, full }));
  line.serve();
  line.serve();
  assert.deepEqual(order, ['a0', 'b', 'a1']);
  while (line.serve());
  await Promise.all(all);
});

test('one above the limit is refused; if another tenant has more, its last one is', async () => {
  const line = new WaitingLine<string>();
  const limits = { max: 2, full };
  const first = line.wait('a', (turn) => turn, limits);
  const last = line.wait('a', (turn) => turn, limits);
  assert.throws(() => line.wait('a', (turn) => turn, limits), /full/);
  const other = line.wait('b', (turn) => turn, limits);
  await assert.rejects(last, /full/);
  assert.throws(() => line.wait('b', (turn) => turn, limits), /full/);
  assert.equal(line.size, 2);
  line.serve('one');
  line.serve('two');
  assert.deepEqual(await Promise.all([first, other]), ['one', 'two']);
});

test('one that waits too long, leaves, or is there at the end, is refused once', async () => {
  const line = new WaitingLine<void>();
  await assert.rejects(
    line.wait('a', () => {}, { max: 1, waitMs: 5, full, late }),
    /late/,
  );
  const left = new AbortController();
  const leaving = line.wait('a', () => {}, { max: 1, full }, left.signal);
  left.abort(new Error('left'));
  await assert.rejects(leaving, /left/);
  const staying = line.wait('a', () => {}, { max: 1, full });
  line.refuseAll(new Error('closed'));
  await assert.rejects(staying, /closed/);
  assert.deepEqual([line.size, line.serve()], [0, false]);
});
