import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Transactions } from '../../src/catalog/postgres/transactions.ts';
import { Resolver, type ResolverTables } from '../../src/catalog/postgres/versions/resolver.ts';
import { RecordCache } from '../../src/catalog/record-cache.ts';
import { FrameholdError } from '../../src/model/errors.ts';

/** Tells which tenants each statement asks for, and answers none of them. */
function resolverOf(asked: string[][]): Resolver {
  const sql = {
    rows: async (_text: string, [tenants]: readonly unknown[]) => {
      asked.push([...(tenants as readonly string[])]);
      return [];
    },
  };
  const database = { read: (work: (given: typeof sql) => Promise<unknown>) => work(sql) };
  const tables = {
    names: {},
    schemas: { readAll: async () => [] },
    cache: new RecordCache(),
    onDamage: () => {},
    onLookup: () => {},
  };
  return new Resolver(database as unknown as Transactions, tables as unknown as ResolverTables);
}

test('a tenant with thousands of look-ups that wait delays another by one of them', async () => {
  const asked: string[][] = [];
  const resolver = resolverOf(asked);
  const all = Array.from({ length: 5_000 }, (_, index) => resolver.resolve('flood', `f${index}`, null, 0));
  all.push(resolver.resolve('acme', 'f', null, 0));
  await Promise.allSettled(all);
  assert.deepEqual(asked[0]?.slice(0, 3), ['flood', 'acme', 'flood']);
  assert.equal(asked.flat().length, 5_001);
});

test('if as many wait as may, the tenant that has most makes way', async () => {
  const resolver = resolverOf([]);
  const all = Array.from({ length: 10_000 }, (_, index) => resolver.resolve('flood', `f${index}`, null, 0));
  const other = resolver.resolve('acme', 'f', null, 0);
  const isOverloaded = (error: unknown) => error instanceof FrameholdError && error.kind === 'overloaded';
  await assert.rejects(resolver.resolve('flood', 'one more', null, 0), isOverloaded);
  const ended = await Promise.allSettled([...all, other]);
  const refused = ended.flatMap((each, index) =>
    each.status === 'rejected' && isOverloaded(each.reason) ? [index] : [],
  );
  assert.deepEqual(refused, [9_999]);
});
