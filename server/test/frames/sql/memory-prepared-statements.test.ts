import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  MemoryPreparedStatements,
  type PreparedLimits,
} from '../../../src/frames/sql/memory-prepared-statements.ts';

const description = { isQuery: true, schemaMessage: null, parameterSchemaMessage: new Uint8Array(0) };

const tenant = 'default';

function tableOf(limits: Partial<PreparedLimits>) {
  const clock = { now: 0 };
  const held = new MemoryPreparedStatements(
    { countMax: 100, idleMs: 1_000, bytesMax: 1e6, ...limits },
    () => clock.now,
  );
  const add = async (sql: string) => (await held.add(tenant, sql, description)).handle;
  const has = (handle: string) =>
    held.get(tenant, handle).then(
      ({ sql }) => sql,
      () => null,
    );
  return { held, clock, add, has };
}

test('the statement that was not used for the longest time goes when there are too many', async () => {
  const { add, has } = tableOf({ countMax: 2 });
  const first = await add('one');
  const second = await add('two');
  assert.equal(await has(first), 'one');
  const third = await add('three');
  assert.deepEqual([await has(first), await has(second), await has(third)], ['one', null, 'three']);
});

test('a tenant that prepares many pushes out its own, not those of others', async () => {
  const { add, has, held } = tableOf({ countMax: 10 });
  const other = 'other';
  const theirs = await Promise.all([1, 2].map((n) => held.add(other, `select ${n}`, description)));
  const mine: string[] = [];
  for (let n = 0; n < 50; n++) mine.push(await add(`select ${n}`));
  assert.deepEqual(await Promise.all(theirs.map(async ({ handle }) => (await held.get(other, handle)).sql)), [
    'select 1',
    'select 2',
  ]);
  const kept = await Promise.all(mine.map(has));
  assert.equal(kept.filter((sql) => sql !== null).length, 8);
});

test('a statement that nobody uses expires, and use renews it', async () => {
  const { add, has, clock, held } = tableOf({});
  const used = await add('used');
  const idle = await add('idle');
  clock.now = 900;
  assert.equal(await has(used), 'used');
  clock.now = 1_500;
  assert.deepEqual([await has(used), await has(idle), held.size], ['used', null, 1]);
});

test('bound parameters count, and push older statements out', async () => {
  const { add, has, held } = tableOf({ bytesMax: 1_000 });
  const first = await add('one');
  const second = await add('two');
  const parameters = { kind: 'arrow', stream: new Uint8Array(995) } as const;
  await held.bind(await held.get(tenant, second), parameters);
  assert.deepEqual([await has(first), await has(second)], [null, 'two']);
  await held.bind(await held.get(tenant, second), null);
  await add('three');
  assert.equal(held.size, 2);
});

test('a statement belongs to its tenant', async () => {
  const { add, has, held } = tableOf({});
  const handle = await add('mine');
  const other = 'other';
  await assert.rejects(held.get(other, handle), /no such prepared statement/);
  await held.close(other, handle);
  assert.equal(await has(handle), 'mine');
  await held.close(tenant, handle);
  assert.equal(await has(handle), null);
});

test('a statement that was closed while it was described stays closed', async () => {
  const { add, has, held } = tableOf({});
  const handle = await add('gone');
  const statement = await held.get(tenant, handle);
  await held.close(tenant, handle);
  await held.describe(statement, description);
  assert.deepEqual([await has(handle), held.size], [null, 0]);
});
