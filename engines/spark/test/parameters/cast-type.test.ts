import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkStatement } from '../../src/allowlist/check-statement.ts';
import { castType } from '../../src/parameters/cast-type.ts';

const casts = (sql: string) => checkStatement(sql).parameters.casts;

test('a parameter is known by the cast around it, and by no other', () => {
  assert.deepEqual(casts('select cast(? as bigint), ?::date, try_cast((?) as decimal(10, 2)), ?'), [
    'bigint',
    'date',
    null,
    null,
  ]);
  assert.deepEqual(casts('select cast(? + 1 as bigint), cast(1 as bigint) + ?'), [null, null]);
  assert.deepEqual(casts('select :b, cast(:a as int), cast(:b as string)'), [null, 'int']);
  assert.deepEqual(casts('select cast(:b /* twice */ as  DECIMAL ( 10 , 2 )), :b'), ['DECIMAL(10,2)']);
});

test('a cast says what a client should send', () => {
  assert.deepEqual(castType('BIGINT'), { kind: 'int', bits: 64, signed: true });
  assert.deepEqual(castType('DECIMAL(10,2)'), { kind: 'decimal', bits: 128, precision: 10, scale: 2 });
  assert.deepEqual(castType('timestamp'), { kind: 'timestamp', unit: 'us', zone: 'UTC' });
  for (const unknown of [null, 'array<int>', 'interval day', 'decimal', 'constructor', 'char(3)'])
    assert.deepEqual(castType(unknown), { kind: 'null' }, String(unknown));
});
