import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { exactJson } from '../src/exact-json.ts';

describe('exact JSON', () => {
  it('keeps every digit of a BigInt', () => {
    assert.equal(exactJson([9007199254740993n, -(2n ** 63n)]), '[9007199254740993,-9223372036854775808]');
  });

  it('keeps the sign of zero', () => {
    assert.equal(exactJson(-0), '-0.0');
  });

  it('refuses what JSON would turn into null', () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY])
      assert.throws(() => exactJson([value]), { code: 'bad_argument' });
  });

  it('leaves out members that are undefined', () => {
    assert.equal(exactJson({ sql: 'select 1', limit: undefined }), '{"sql":"select 1"}');
  });

  it('is otherwise as JSON.stringify', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const plain = JSON.parse(JSON.stringify(value));
        assert.deepEqual(JSON.parse(exactJson(plain)), plain);
      }),
    );
    assert.equal(exactJson(new Date(0)), '"1970-01-01T00:00:00.000Z"');
  });
});
