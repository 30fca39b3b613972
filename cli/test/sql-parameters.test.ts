import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseParameters, parseValue } from '../src/sql/parameters.ts';
import { statementsIn } from '../src/sql/run-statements.ts';

test('values keep all of their digits', () => {
  assert.equal(parseValue('9007199254740993'), 9007199254740993n);
  assert.equal(parseValue('-5'), -5n);
  assert.equal(parseValue('0.5'), 0.5);
  assert.equal(parseValue('0.12345678901234567890'), '0.12345678901234567890');
  assert.equal(parseValue('007'), '007');
  assert.equal(parseValue('true'), true);
  assert.equal(parseValue('null'), null);
  assert.equal(parseValue('"5"'), '5');
  assert.equal(parseValue('BTC-USD'), 'BTC-USD');
  assert.equal(parseValue(''), '');
  assert.equal(parseValue('[1]'), '[1]');
});

test('parameters have names or numbers', () => {
  assert.equal(parseParameters([]), undefined);
  assert.deepEqual(parseParameters(['a=1', '$b=x=y']), { a: 1n, b: 'x=y' });
  assert.deepEqual(parseParameters(['2=two', '1=one']), ['one', 'two']);
  assert.throws(() => parseParameters(['1=a', '3=b']), /have a gap/);
  assert.throws(() => parseParameters(['1=a', 'name=b']), /mixed/);
  assert.throws(() => parseParameters(['nothing']), /not a parameter/);
});

test('statements end with semicolons outside of texts and comments', () => {
  assert.deepEqual(statementsIn("SELECT ';' -- ;\n; ; SELECT 2"), ["SELECT ';'", 'SELECT 2']);
});
