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
  return { key, columns };
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
