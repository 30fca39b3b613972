import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PreparedStatements } from '../../../src/flight/sql/prepared-statements.ts';
import { openCaller } from '../../../src/frames/access/caller.ts';

const description = { isQuery: true, schemaMessage: null, parameterSchemaMessage: new Uint8Array(0) };

function tableOf(bounds: Partial<ConstructorParameters<typeof PreparedStatements>[0]>) {
  const clock = { now: 0 };
  const held = new PreparedStatements(
    { countMax: 100, idleMs: 1_000, bytesMax: 1e6, ...bounds },
    () => clock.now,
  );
  const add = (sql: string) => Buffer.from(held.add(openCaller, sql, description).handle);
  const has = (handle: Uint8Array) => {
    try {
      return held.get(openCaller, handle).sql;
    } catch {
      return null;
    }
  };
  return { held, clock, add, has };
}

test('the statement that was not used for the longest time goes when there are too many', () => {
  const { add, has } = tableOf({ countMax: 2 });
  const first = add('one');
  const second = add('two');
  assert.equal(has(first), 'one');
  const third = add('three');
  assert.deepEqual([has(first), has(second), has(third)], ['one', null, 'three']);
});

test('a tenant that prepares many pushes out its own, not those of others', () => {
  const { add, has, held } = tableOf({ countMax: 10 });
  const other = { ...openCaller, tenant: 'other' };
  const theirs = [1, 2].map((n) => Buffer.from(held.add(other, `select ${n}`, description).handle));
  const mine = Array.from({ length: 50 }, (_, n) => add(`select ${n}`));
  assert.deepEqual(
    theirs.map((handle) => held.get(other, handle).sql),
    ['select 1', 'select 2'],
  );
  assert.equal(mine.filter((handle) => has(handle) !== null).length, 8);
});

test('a statement that nobody uses expires, and use renews it', () => {
  const { add, has, clock, held } = tableOf({});
  const used = add('used');
  const idle = add('idle');
  clock.now = 900;
  assert.equal(has(used), 'used');
  clock.now = 1_500;
  assert.deepEqual([has(used), has(idle), held.size], ['used', null, 1]);
});

test('bound parameters count, and push older statements out', () => {
  const { add, has, held } = tableOf({ bytesMax: 1_000 });
  const first = add('one');
  const second = add('two');
  const parameters = { kind: 'arrow', stream: new Uint8Array(995) } as const;
  held.bind(held.get(openCaller, second), parameters);
  assert.deepEqual([has(first), has(second)], [null, 'two']);
  held.bind(held.get(openCaller, second), null);
  add('three');
  assert.equal(held.size, 2);
});

test('a statement belongs to its tenant', () => {
  const { add, has, held } = tableOf({});
  const handle = add('mine');
  const other = { ...openCaller, tenant: 'other' };
  assert.throws(() => held.get(other, handle), /no such prepared statement/);
  held.close(other, handle);
  assert.equal(has(handle), 'mine');
  held.close(openCaller, handle);
  assert.equal(has(handle), null);
});

test('a statement that was closed while it was described stays closed', () => {
  const { add, has, held } = tableOf({});
  const handle = add('gone');
  const statement = held.get(openCaller, handle);
  held.close(openCaller, handle);
  held.describe(statement, description);
  assert.deepEqual([has(handle), held.size], [null, 0]);
});
