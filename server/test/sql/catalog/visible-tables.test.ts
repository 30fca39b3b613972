import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openCaller } from '../../../src/model/caller.ts';
import { FrameholdError } from '../../../src/model/errors.ts';
import { framesOfViews } from '../../../src/sql/catalog/information-schema.ts';
import { NamePattern } from '../../../src/sql/catalog/name-pattern.ts';
import {
  type TablesWanted,
  type VisibleTablesDependencies,
  visibleTables,
} from '../../../src/sql/catalog/visible-tables.ts';

const never = new AbortController().signal;
const schemaPage = 3;

/** Frames and shares as sorted lists; a page with schemas has three. Counts the requests. */
class Listed {
  asked = 0;
  readonly #own: readonly string[];
  readonly #shared: readonly (readonly [tenant: string, name: string])[];
  readonly #message: Uint8Array;

  constructor(own: readonly string[], shared: readonly (readonly [string, string])[], schemaBytes = 8) {
    this.#own = own;
    this.#shared = shared;
    this.#message = new Uint8Array(schemaBytes);
  }

  parts(): VisibleTablesDependencies {
    const schema = { hash: '', message: this.#message, columns: [] };
    const names = async (_: unknown, page: { prefix: string; after: string | null; limit: number }) => {
      this.asked++;
      return this.#own
        .filter((name) => name.startsWith(page.prefix) && (page.after === null || name > page.after))
        .slice(0, page.limit);
    };
    const list = async (_: unknown, page: { prefix: string; after: string | null; limit: number }) =>
      (await names(_, { ...page, limit: schemaPage })).map((name) => ({ tenant: 'main', name, schema }));
    const sharedWithMe = async (
      _: unknown,
      page: { after: { tenant: string; name: string } | null; limit: number; schemas: boolean },
    ) => {
      this.asked++;
      const { after } = page;
      const from =
        after === null
          ? 0
          : 1 + this.#shared.findIndex(([tenant, name]) => tenant === after.tenant && name === after.name);
      const found = this.#shared.slice(from, from + (page.schemas ? schemaPage : page.limit));
      return found.map(([tenant, name]) => ({ tenant, name, ...(page.schemas ? { schema } : {}) }));
    };
    return { frames: { names, list }, sharing: { sharedWithMe } } as unknown as VisibleTablesDependencies;
  }
}

function numbered(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `f${String(index).padStart(6, '0')}`);
}

async function seen(listed: Listed, wanted: TablesWanted): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { owner, name, isShared, schema } of visibleTables(
    listed.parts(),
    openCaller,
    wanted,
    never,
  )) {
    assert.equal(schema !== null, wanted.schemas);
    found.push(isShared ? `${owner}:${name}` : name);
  }
  return found;
}

const everything = { names: null, shared: true, schemas: false };

test('a caller sees its own frames, then those that others share with it, over any number of pages', async () => {
  const own = numbered(1_200);
  const shared = [
    ['acme', 'a'],
    ['acme', 'b'],
    ['beta', 'a'],
    ['beta', 'b'],
  ] as const;
  const all = [...own, 'acme:a', 'acme:b', 'beta:a', 'beta:b'];
  assert.deepEqual(await seen(new Listed(own, shared), everything), all);
  assert.deepEqual(await seen(new Listed(own, shared), { ...everything, shared: false }), own);
  const few = own.slice(0, 7);
  const withSchemas = await seen(new Listed(few, shared), { ...everything, schemas: true });
  assert.deepEqual(withSchemas, [...few, 'acme:a', 'acme:b', 'beta:a', 'beta:b']);
});

test('a pattern chooses among own and shared names, and its beginning among the pages', async () => {
  const own = ['prices', 'prices_old', 'trades'];
  const listed = new Listed(own, [
    ['acme', 'prices'],
    ['acme', 'orders'],
  ]);
  const matching = { ...everything, names: new NamePattern('PRICES%') };
  assert.deepEqual(await seen(listed, matching), ['prices', 'prices_old', 'acme:prices']);
  const before = listed.asked;
  assert.deepEqual(await seen(listed, { ...everything, names: new NamePattern('a name') }), []);
  assert.equal(listed.asked, before, 'the catalog was asked for a name that none can have');
});

test('a page is requested when the one before it has been read', async () => {
  const listed = new Listed(numbered(1_200), []);
  const tables = visibleTables(listed.parts(), openCaller, everything, never);
  for (let read = 1; read <= 500; read++) await tables.next();
  assert.equal(listed.asked, 1);
  await tables.next();
  assert.equal(listed.asked, 2);
  await tables.return();
});

test('a list in memory has at most ten thousand frames and 64 MiB of schemas, and more is refused', async () => {
  const list = (listed: Listed, views: readonly ('tables' | 'columns' | 'schemata')[]) =>
    framesOfViews({ ...listed.parts(), notes: { ofOwn: async () => [] } }, openCaller, views, never);
  assert.equal((await list(new Listed(numbered(10_000), []), ['tables'])).length, 10_000);
  const tooMany = (error: unknown) => error instanceof FrameholdError && error.kind === 'sql_memory';
  await assert.rejects(
    list(
      new Listed(numbered(9_999), [
        ['acme', 'a'],
        ['acme', 'b'],
      ]),
      ['tables'],
    ),
    tooMany,
  );
  const megabytes = new Listed(numbered(64), [], 1024 * 1024);
  assert.equal((await list(megabytes, ['columns', 'tables'])).length, 64);
  await assert.rejects(list(new Listed(numbered(65), [], 1024 * 1024), ['columns']), tooMany);
  const asked = new Listed(numbered(3), []);
  assert.deepEqual(await list(asked, ['schemata']), []);
  assert.equal(asked.asked, 0);
});
