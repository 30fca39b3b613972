import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseTtlMs } from '../../src/model/duration.ts';
import { formatHandle, mintName, parseHandle, parseName, parseRowsHandle } from '../../src/model/handle.ts';

describe('handle', () => {
  for (const name of ['a', '_x', '9', 'trades.2024-01_eu', 'A'.repeat(128)]) {
    it(`${name.slice(0, 30)} is a name`, () => assert.equal(parseName(name), name));
  }
  for (const name of ['', '.a', '-a', 'a b', 'a/b', 'ä', 'A'.repeat(129), 'a@1', 'a\n']) {
    it(`${JSON.stringify(name.slice(0, 30))} is not a name`, () =>
      assert.throws(() => parseName(name), { kind: 'bad_handle' }));
  }

  it('reads name and version', () => {
    assert.deepEqual(parseHandle('t'), { name: 't', version: null });
    assert.deepEqual(parseHandle('t@12'), { name: 't', version: 12 });
  });
  for (const text of ['t@', 't@0', 't@01', 't@-1', 't@1.5', 't@1@2', '@1', `t@${'9'.repeat(16)}`]) {
    it(`${text} is not a handle`, () => assert.throws(() => parseHandle(text), { kind: 'bad_handle' }));
  }

  it('reads rows since a version, where rows are read', () => {
    assert.deepEqual(parseRowsHandle('t@12..'), { name: 't', version: null, after: 12 });
    assert.deepEqual(parseRowsHandle('a:t.x@0..20'), { tenant: 'a', name: 't.x', version: 20, after: 0 });
    assert.deepEqual(parseRowsHandle('t@20..20'), { name: 't', version: 20, after: 20 });
    assert.deepEqual(parseRowsHandle('t@3'), { name: 't', version: 3 });
    assert.equal(formatHandle('t', 20, 12), 't@12..20');
    for (const text of ['t@12..', 't@0..20'])
      assert.throws(() => parseHandle(text), { kind: 'bad_handle', hint: /can be read/ });
  });
  for (const text of [
    't@..',
    't@..3',
    't@3..2',
    't@1..0',
    't@1...2',
    't@01..2',
    't@1..2..3',
    't@-1..2',
    '@1..',
  ])
    it(`${text} is not a handle of rows`, () =>
      assert.throws(() => parseRowsHandle(text), { kind: 'bad_handle' }));

  it('mints f_ and 26 base32 characters, never the same twice', () => {
    const minted = new Set(Array.from({ length: 1_000 }, mintName));
    assert.equal(minted.size, 1_000);
    for (const name of minted) assert.match(name, /^f_[a-z2-7]{26}$/);
  });
});

describe('time to live', () => {
  const cases: [string, number][] = [
    ['30', 30_000],
    ['90s', 90_000],
    ['15m', 900_000],
    ['12h', 43_200_000],
    ['30d', 2_592_000_000],
  ];
  for (const [text, ms] of cases) it(`${text} is ${ms} ms`, () => assert.equal(parseTtlMs(text), ms));
  for (const text of ['', '0', '-1', '1.5h', '1w', 'd', '999999999999d', ' 1']) {
    it(`${JSON.stringify(text)} is refused`, () =>
      assert.throws(() => parseTtlMs(text), { kind: 'bad_request' }));
  }
});
