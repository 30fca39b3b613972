import assert from 'node:assert/strict';
import test from 'node:test';
import { parameterValue, parameterValues } from '../src/screens/query/parameter-value.ts';

test('typed values keep their digits and their type', () => {
  for (const [text, expected] of [
    ['9007199254740993', 9007199254740993n],
    ['-1', -1n],
    ['007', '007'],
    ['0.1', '0.1'],
    ['true', true],
    ['NULL', null],
    ["'null'", 'null'],
    ["'it''s'", "it's"],
    [' BTC ', ' BTC '],
    ['', ''],
  ] as const)
    assert.equal(parameterValue(text), expected, JSON.stringify(text));
});

test('numbered parameters are a list, named ones an object', () => {
  assert.deepEqual(
    parameterValues(
      ['2', '1'],
      new Map([
        ['1', 'a'],
        ['2', '3'],
      ]),
    ),
    ['a', 3n],
  );
  assert.deepEqual(parameterValues(['low'], new Map([['low', '4']])), { low: 4n });
});
