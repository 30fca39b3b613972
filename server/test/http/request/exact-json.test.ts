import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseExactJson } from '../../../src/http/request/exact-json.ts';
import { assertTook } from '../../support/machine-pace.ts';

test('every digit of a whole number is kept, and numbers with a fraction or an exponent are doubles', () => {
  const text =
    '[12345678901234567890, -9007199254740993, 9007199254740991, 1e20, 1e5, 1.0, 1.5, "1e999", null, true, {"a": [1]}]';
  assert.deepEqual(parseExactJson(text, 'x'), [
    12345678901234567890n,
    -9007199254740993n,
    9007199254740991n,
    1e20,
    1e5,
    1,
    1.5,
    '1e999',
    null,
    true,
    { a: [1n] },
  ]);
});

const refused = {
  'no JSON': ['[1,', /is not JSON/],
  'a number that is none': ['[1e400]', /larger than a number can be/],
  'a number of too many digits': [`[${'9'.repeat(400)}]`, /larger than a number can be/],
  'an integer of more than 128 bits': [`[${'9'.repeat(41)}]`, /more digits than an integer can have/],
  'more values than are read in a moment': [`[${'0,'.repeat(60_000)}0]`, /more than 50000 values/],
  'as many lists': [`[${'[],'.repeat(60_000)}0]`, /more than 50000 values/],
  'as many members': [
    `{${Array.from({ length: 60_000 }, (_, i) => `"${i}":0`).join(',')}}`,
    /more than 10000 members/,
  ],
  'as many members of many objects': [`[${'{"a":1},'.repeat(11_000)}0]`, /more than 10000 members/],
  'lists in lists in lists': ['['.repeat(200_000) + ']'.repeat(200_000), /nests deeper than 100 levels/],
} as const;
for (const [what, [text, message]] of Object.entries(refused)) {
  test(`${what} is refused`, () => {
    assert.throws(() => parseExactJson(text, 'x'), { message });
  });
}

test('texts, empty lists and members up to the limit are read', () => {
  const texts = ['[[[,,,:::{{{"', '\\', '\\"', '"\\\\",,', ''];
  assert.deepEqual(parseExactJson(JSON.stringify(texts), 'x'), texts);
  assert.deepEqual(parseExactJson(JSON.stringify([','.repeat(60_000), ':'.repeat(60_000)]), 'x'), [
    ','.repeat(60_000),
    ':'.repeat(60_000),
  ]);
  const empty = JSON.stringify(Array(49_000).fill([]));
  assert.equal((parseExactJson(empty, 'x') as unknown[]).length, 49_000);
  const deep = `${'[ '.repeat(100)} ${'] '.repeat(100)}`;
  assert.ok(Array.isArray(parseExactJson(deep, 'x')));
});

test('what is allowed is read in a moment, and what is not is refused in one', () => {
  const members = (count: number) => `{${Array.from({ length: count }, (_, i) => `"k${i}":${i}`).join(',')}}`;
  const within = members(9_999);
  const beyond = members(80_000);
  const begun = performance.now();
  for (let turn = 0; turn < 10; turn++) {
    parseExactJson(within, 'x');
    assert.throws(() => parseExactJson(beyond, 'x'), { kind: 'body_too_large' });
  }
  assertTook(performance.now() - begun, 2_000);
});
