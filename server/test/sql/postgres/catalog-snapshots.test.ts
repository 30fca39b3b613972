/** What PostgreSQL's catalogs are made of is read again when it may have changed, and only then. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openCaller } from '../../../src/model/caller.ts';
import { schemaOf } from '../../../src/sql/changes/result-schema.ts';
import { CatalogSnapshots } from '../../../src/sql/postgres/catalog-snapshots.ts';
import { openCore } from '../../frames/open-core.ts';
import { removeFolder, temporaryFolder } from '../../support/temporary-folder.ts';

const never = new AbortController().signal;
const folder = temporaryFolder('catalog-snapshots');
let core: Awaited<ReturnType<typeof openCore>>;
let snapshots: CatalogSnapshots;
before(async () => {
  core = await openCore(folder);
  snapshots = new CatalogSnapshots({ ...core, sharing: { sharedWithMe: async () => [] } });
});
after(async () => {
  await core.close();
  removeFolder(folder);
});

async function put(csv: string, mode: 'create' | 'replace' | 'append'): Promise<void> {
  const target = { name: 'trades', mode, format: 'csv', originFormat: 'csv' } as const;
  const session = await core.frames.beginPut(openCaller, target, never);
  await session.write([Buffer.from(csv)]);
  await session.finish();
}

async function shown() {
  const { key, frames } = await snapshots.of(openCaller, never);
  const columns = frames.schemaMessages.map((message) => schemaOf(message).fields.map(({ name }) => name));
  return { key, columns, comments: frames.comments.map(([, ...rest]) => rest) };
}

test('columns are those of the newest version, also when it was dropped', async () => {
  await put('a\n1\n', 'create');
  assert.deepEqual((await shown()).columns, [['a']]);
  await put('a,b\n1,2\n', 'replace');
  assert.deepEqual((await shown()).columns, [['a', 'b']]);
  const { key } = await shown();
  await put('a,b\n3,4\n', 'append');
  assert.equal((await shown()).key, key, 'an append changes nothing');
  for (const version of [3, 2])
    await core.frames.drop(openCaller, { name: 'trades', version }, { ifVersion: null, purge: false }, never);
  assert.deepEqual((await shown()).columns, [['a']]);
});

test('comments are those of the newest notes, by name', async () => {
  const note = (patch: Parameters<typeof core.notes.change>[2]) =>
    core.notes.change(openCaller, 'trades', patch, null, never);
  assert.deepEqual((await shown()).comments, []);
  await note({ description: 'said', columns: { a: { comment: 'of a', unit: 'USD' }, b: { unit: 'EUR' } } });
  assert.deepEqual((await shown()).comments, [
    [null, 'said'],
    ['a', 'of a'],
  ]);
  await note({ description: null, columns: null });
  assert.deepEqual((await shown()).comments, []);
});

test('of more comments than fit the first are shown, and a notice says so', async () => {
  const comment = 'x'.repeat(2_000);
  const columns = Object.fromEntries(Array.from({ length: 120 }, (_, n) => [`c${n}`, { comment }]));
  const names = Array.from({ length: 20 }, (_, n) => `many${String(n).padStart(2, '0')}`);
  for (const name of names) {
    const target = { name, mode: 'create', format: 'csv', originFormat: 'csv' } as const;
    const session = await core.frames.beginPut(openCaller, target, never);
    await session.write([Buffer.from('a\n1\n')]);
    await session.finish();
    await core.notes.change(openCaller, name, { columns }, null, never);
  }
  const { notice, frames, bytes } = await snapshots.of(openCaller, never);
  assert.match(notice ?? '', /characters of comments only/);
  const characters = frames.comments.reduce((sum, [, , text]) => sum + text.length, 0);
  assert.ok(characters > 4_000_000 && characters < 4_200_000, String(characters));
  assert.ok(bytes > 2 * characters);
});
