import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashSecret, idOf, mintToken, parseToken, tokenText } from '../../src/auth/token.ts';

test('a token is read back as it was made', () => {
  for (let count = 0; count < 200; count++) {
    const token = mintToken();
    assert.deepEqual(parseToken(tokenText(token)), token);
    assert.equal(idOf(tokenText(token)), token.id);
    assert.equal(idOf(token.id), token.id);
  }
});

test('no two tokens are the same', () => {
  const tokens = Array.from({ length: 1_000 }, () => mintToken());
  assert.equal(new Set(tokens.map(({ id }) => id)).size, 1_000);
  assert.equal(new Set(tokens.map(({ secret }) => secret)).size, 1_000);
});

for (const text of ['', 'fh_', 'fh_abc_def', 'Bearer x', `fh_${'a'.repeat(12)}_${'b'.repeat(42)}`]) {
  test(`${JSON.stringify(text)} is no token`, () => assert.equal(parseToken(text), null));
}

test('a token with anything before or after it is none', () => {
  const text = tokenText(mintToken());
  for (const other of [`${text} `, ` ${text}`, `${text}\n`, text.toUpperCase(), `${text}x`])
    assert.equal(parseToken(other), null);
  assert.equal(idOf(`${text}x`), null);
});

test('the hash of a secret is SHA-256', () => {
  assert.equal(
    hashSecret('abc').toString('hex'),
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  );
});
