import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openSqliteCatalog } from '../../../src/catalog/sqlite/sqlite-catalog.ts';
import { WorkerCodec } from '../../../src/compose/codec/worker-codec.ts';
import { DiskBudget } from '../../../src/frames/limits/disk-budget.ts';
import { ObjectGuard } from '../../../src/frames/objects/object-guard.ts';
import { Put } from '../../../src/frames/writing/put.ts';
import { openCaller } from '../../../src/model/caller.ts';
import { FrameholdError } from '../../../src/model/errors.ts';
import type { TenantQuota } from '../../../src/model/limits/tenant-limit-values.ts';
import type { Catalog } from '../../../src/ports/catalog/catalog.ts';
import { DiskStore } from '../../../src/store/disk-store.ts';
import { eventually } from '../../support/patience.ts';
import { arrowBytes } from '../../support/python.ts';
import { removeFolder, temporaryFolder } from '../../support/temporary-folder.ts';
import { unwatched } from '../open-core.ts';

const folder = temporaryFolder('put');
const { table, texts } = await arrowBytes({
  table: "pa.table({'n': pa.array([1, 2, 3])})",
  texts: "pa.table({'n': ['only text']})",
});
let catalog: Catalog;
let store: DiskStore;
let codec: WorkerCodec;
let diskBudget: DiskBudget;
let guard: ObjectGuard;

before(async () => {
  catalog = await openSqliteCatalog({ path: join(folder, 'catalog.sqlite') });
  store = await DiskStore.open(folder, join(folder, 'cold'));
  diskBudget = new DiskBudget(
    store.staging,
    () => 0,
    () => {},
  );
  guard = new ObjectGuard({ catalog, store, observe: () => {}, now: Date.now, onDamage: () => {} });
  codec = new WorkerCodec({
    checkThreads: 1,
    decodeThreads: 1,
    transcodeThreads: 1,
    limits: { batchBytesMax: 1024 ** 3, timeMs: 30_000 },
    decodeMemoryBytesMax: 2 * 1024 ** 3,
    compression: { algorithm: 'zstd', level: 3 },
  });
});
after(async () => {
  await codec.close();
  await catalog.close();
  removeFolder(folder);
});

/** The catalog, with a commit that ends otherwise. */
function withCommit(commit: Catalog['commit']): Catalog {
  return new Proxy<Catalog>(catalog, {
    get: (target, key) => {
      if (key === 'commit') return commit;
      const value: unknown = Reflect.get(target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

interface Differences {
  readonly catalog?: Catalog;
  readonly quota?: TenantQuota;
  readonly format?: 'csv';
  readonly mode?: 'append';
}

function begin(name: string, differences: Differences = {}): Promise<Put> {
  const { format = 'arrow', mode = 'create', quota = null, ...parts } = differences;
  return Put.begin(
    {
      catalog,
      store,
      codec,
      diskBudget,
      guard,
      observe: () => {},
      now: Date.now,
      quotaOf: () => quota,
      ...parts,
    },
    {
      caller: openCaller,
      name,
      target: { name, mode, format, originFormat: format },
      signal: new AbortController().signal,
      ...unwatched,
      openVersion: () => Promise.reject(new Error('nothing is appended')),
    },
  );
}

/** The keys of objects that the failed put left in the store. */
async function failedPut(name: string, commit: Catalog['commit']): Promise<string[]> {
  const put = await begin(name, { catalog: withCommit(commit) });
  await put.write([table]);
  await assert.rejects(put.finish(), FrameholdError);
  const known: string[] = [];
  for await (const keys of store.list()) known.push(...keys);
  return known;
}

test('an object is removed if its commit was refused', async () => {
  const before = new Set<string>();
  for await (const keys of store.list()) for (const key of keys) before.add(key);
  const left = await failedPut('refused', async () => {
    throw new FrameholdError('frame_exists', 'The frame exists.');
  });
  assert.deepEqual(
    left.filter((key) => !before.has(key)),
    [],
  );
});

test('a put that has ended takes nothing more, and stages nothing', async () => {
  const put = await begin('ended');
  await put.abort();
  for (const give of [put.sent.bind(put), put.write.bind(put)])
    await assert.rejects(
      give([table]),
      (error) => error instanceof FrameholdError && error.kind === 'cancelled',
    );
  assert.deepEqual(readdirSync(join(folder, 'tmp')), []);
});

test('a file that is being made when the put ends goes too', async () => {
  const put = await begin('ending');
  const sent = put.sent([table]);
  await Promise.all([put.abort(), assert.rejects(sent)]);
  assert.deepEqual(readdirSync(join(folder, 'tmp')), []);
});

test('an upload is decoded up to what is left of the quota, and leaves nothing behind if that is too little', async () => {
  const small = await begin('small');
  await small.write([table]);
  await small.finish();
  const held = (await catalog.usage('default')).bytes;
  assert.ok(held > 0);
  const quota = { framesMax: null, bytesMax: held + 1_000_000 };
  const put = await begin('large', { quota, format: 'csv' });
  await put.write([Buffer.from(`n\n${'1\n'.repeat(200_000)}`)]);
  await assert.rejects(
    put.finish(),
    (error) =>
      error instanceof FrameholdError &&
      error.kind === 'quota_exceeded' &&
      error.message.includes('the 1000000 bytes that the tenant may still hold'),
  );
  assert.deepEqual(readdirSync(join(folder, 'tmp')), []);
});

test('an append whose columns cannot fit is refused while its body is still coming', async () => {
  const first = await begin('narrow');
  await first.write([table]);
  await first.finish();
  const put = await begin('narrow', { mode: 'append' });
  await assert.rejects(
    async () => {
      // Without its last bytes: without the early look this would wait for ever.
      await put.write([texts.subarray(0, texts.indexOf('only text'))]);
      await eventually('the refusal', async () => {
        await put.write([]);
        return false;
      });
    },
    { kind: 'schema_conflict', message: /column "n": utf8 does not convert to int64/ },
  );
  await put.abort();
});
