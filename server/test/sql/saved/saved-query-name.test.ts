import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkNewName, checkStoredName } from '../../../src/sql/saved/saved-query-name.ts';

const refusal = { kind: 'bad_request', message: 'The name of the saved query is not usable.' };

test('names of people are taken as they are', () => {
  for (const name of [
    'Lowest / höchste? 🦆 #1',
    '…',
    '...',
    'a.b',
    '👩‍👩‍👧',
    'می‌خواهم',
    '価格',
    'x'.repeat(128),
    ' a ',
  ])
    assert.doesNotThrow(() => checkNewName(name));
});

const odd = {
  'a part of a path': ['.', '..'],
  'a mark of direction': ['safe\u202etxt', '\u200fa', 'a\u2066b', '\u061c'],
  'a character without a width': ['a\u200bb', '\ufeffa', 'a\u2060', 'soft\u00adhyphen'],
  'a control character of the second range': ['a\u0085b', '\u009b1m'],
  'a separator of lines': ['a\u2028b', 'a\u2029'],
  'a name that is not composed': ['cafe\u0301', '\u212b'],
};
for (const [what, names] of Object.entries(odd))
  test(`${what} is refused in a new name, and can be removed`, () => {
    for (const name of names) {
      assert.throws(() => checkNewName(name), refusal, JSON.stringify(name));
      assert.doesNotThrow(() => checkStoredName(name));
    }
  });

test('what no release has taken is refused everywhere', () => {
  for (const name of ['', ' ', 'a\nb', '\x7f', 'a\0', '\ud800', 'x'.repeat(129)]) {
    assert.throws(() => checkNewName(name), refusal);
    assert.throws(() => checkStoredName(name), refusal);
  }
});
