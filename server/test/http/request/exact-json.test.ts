import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseExactJson } from '../../../src/http/request/exact-json.ts';

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
    /more than 50000 values/,
  ],
  'lists in lists in lists': ['['.repeat(200_000) + ']'.repeat(200_000), /more than 50000 values/],
} as const;
for (const [what, [text, message]] of Object.entries(refused)) {
  test(`${what} is refused`, () => {
    assert.throws(() => parseExactJson(text, 'x'), { message });
  });
}
