import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryPreparedStatements } from '../../src/cluster/memory-prepared-statements.ts';
import { preparedStatementsConformance } from './prepared-statements-conformance.ts';

preparedStatementsConformance('in memory', async (limits, now) => {
  const held = new MemoryPreparedStatements(limits, now);
  return { views: [held, held, held], async [Symbol.asyncDispose]() {} };
});

test('what has expired or was pushed out takes no memory', async () => {
  let now = 0;
  const held = new MemoryPreparedStatements({ countMax: 3, idleMs: 1_000, bytesMax: 1e6 }, () => now);
  const description = { isQuery: true, schemaMessage: null, parameterSchemaMessage: new Uint8Array(0) };
  for (let n = 0; n < 10; n++) await held.add('a', `select ${n}`, description);
  assert.equal(held.size, 3);
  now = 2_000;
  await held.add('a', 'select 10', description);
  assert.equal(held.size, 1);
});
