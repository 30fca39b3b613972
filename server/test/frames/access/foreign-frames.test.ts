/** What a tenant can do with frames that another one shares with it, beside reading them: nothing, and nothing to its own by mistake. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { encodeSchema } from '../../../src/arrow/ipc/schema-encoder.ts';
import { MemoryQueries } from '../../../src/cluster/memory-queries.ts';
import type { PutTarget } from '../../../src/frames/frames.ts';
import { PartTranscoding } from '../../../src/frames/parts/part-transcoding.ts';
import { SharingService } from '../../../src/frames/sharing/sharing-service.ts';
import type { Caller } from '../../../src/model/caller.ts';
import { type ErrorKind, FrameholdError } from '../../../src/model/errors.ts';
import { type Handle, parseHandle } from '../../../src/model/handle.ts';
import { manifestOf } from '../../../src/model/manifest.ts';
import { withIncluded } from '../../../src/model/scope.ts';
import type { CatalogView } from '../../../src/ports/engine.ts';
import { TenantEngines } from '../../../src/sql/engines.ts';
import { SqlService } from '../../../src/sql/sql-service.ts';
import { ScratchCopies } from '../../../src/sql/tables/scratch-copies.ts';
import { TranscodedVersions } from '../../../src/sql/tables/transcoded-versions.ts';
import { describeStatement, executeStatement } from '../../sql/ask.ts';
import { ScriptedEngine } from '../../sql/scripted-engine.ts';
import { arrowBytes } from '../../support/python.ts';
import { removeFolder, temporaryFolder } from '../../support/temporary-folder.ts';
import { openCore } from '../open-core.ts';

const never = new AbortController().signal;
const folder = temporaryFolder('foreign');
const { table } = await arrowBytes({ table: "pa.table({'n': pa.array([1, 2, 3])})" });
const core = await openCore(folder);
const { frames } = core;
const engine = new ScriptedEngine({
  hash: '',
  message: encodeSchema({ fields: [], metadata: [] }),
  columns: [],
});
const scratch = new ScratchCopies(core);
const versions = new TranscodedVersions({ ...core, transcoding: new PartTranscoding(core), scratch });
const absent = () => Promise.reject(new Error('there is no external database'));
const links = {
  sign: () => assert.fail('no link is signed'),
  linkMax: 0,
} as unknown as ConstructorParameters<typeof SharingService>[0]['links'];
const sharing = new SharingService({ ...core, links });
const parts = {
  ...core,
  sharing,
  engines: new TenantEngines({ name: 'duckdb', engine, versions, results: null }),
  upstream: { fetch: absent, describe: absent },
};
const sql = new SqlService(
  { ...parts, queries: new MemoryQueries(Date.now) },
  { textBytesMax: 1_000, processesMax: () => 4 },
);

function caller(tenant: string, link: Caller['link'] = null): Caller {
  const scopes = withIncluded(link === null ? ['write'] : []);
  return { tenant, name: tenant, scopes, link, isCurrent: () => true, remote: '', requestId: '' };
}
const [a, b] = [caller('a'), caller('b')];
const query = { text: "CREATE TABLE trades AS FROM hidden WHERE who = 'me'", sources: ['hidden@1'] };

before(async () => {
  await put(a, { name: 'trades', mode: 'create', format: 'arrow', originFormat: 'sql', query });
  await put(b, { name: 'trades', mode: 'create', format: 'arrow', originFormat: 'arrow' });
  await core.catalog.share('a', 'trades', 'b', Date.now());
});
after(async () => {
  await scratch.close();
  await core.close();
  removeFolder(folder);
});

async function put(who: Caller, target: PutTarget): Promise<void> {
  const session = await frames.beginPut(who, target, never);
  await session.write([table]);
  await session.finish();
}

const resolve = (who: Caller, handle: string | Handle) =>
  frames.resolve(who, typeof handle === 'string' ? parseHandle(handle) : handle, never);

async function refused(work: Promise<unknown>, kind: ErrorKind): Promise<void> {
  await assert.rejects(work, (error) => error instanceof FrameholdError && error.kind === kind);
}

test('the catalog of SQL has the caller’s own frames and those shared with it, and no others', async () => {
  await put(a, { name: 'hidden', mode: 'create', format: 'arrow', originFormat: 'arrow' });
  const listed = async (who: Caller, views: readonly CatalogView[]) => {
    engine.script = { shape: { catalog: views } };
    const outcome = await executeStatement(sql, who, { sql: 'as scripted', parameters: null }, never);
    if (outcome.kind === 'rows') await outcome.release();
    return (engine.bound.at(-1)?.catalog ?? []).map(
      ({ name, schemaMessage }) => `${name}${schemaMessage === null ? '' : ' with its schema'}`,
    );
  };
  assert.deepEqual(await listed(b, ['tables']), ['trades', 'a:trades']);
  assert.deepEqual(await listed(b, ['columns']), ['trades with its schema', 'a:trades with its schema']);
  assert.deepEqual(await listed(a, ['tables']), ['hidden', 'trades']);
  assert.deepEqual(await listed(a, []), []);
  const engaged = engine.bound.length;
  const link = caller('a', { name: 'trades', version: 1 } as Caller['link']);
  await refused(
    executeStatement(sql, link, { sql: 'as scripted', parameters: null }, never),
    'access_denied',
  );
  assert.equal(engine.bound.length, engaged);
  await frames.drop(a, { name: 'hidden', version: null }, { ifVersion: null, purge: false }, never);
});

test('DROP TABLE of a shared frame is refused, and the reader’s own frame of that name stays', async () => {
  for (const name of ['a:trades', 'a:trades@1'])
    for (const conditional of [false, true]) {
      const target = { name, orReplace: false, conditional, columns: null, byName: false };
      engine.script = { shape: { kind: 'drop', target } };
      await refused(
        executeStatement(sql, b, { sql: 'as scripted', parameters: null }, never),
        'access_denied',
      );
    }
  assert.equal((await resolve(b, 'trades')).version, 1);
  assert.equal((await resolve(a, 'trades')).version, 1);
});

test('one’s own frame can be dropped with the tenant before its name', async () => {
  await put(b, { name: 'mine', mode: 'create', format: 'arrow', originFormat: 'arrow' });
  const target = { name: 'b:mine', orReplace: false, conditional: false, columns: null, byName: false };
  engine.script = { shape: { kind: 'drop', target } };
  await executeStatement(sql, b, { sql: 'as scripted', parameters: null }, never);
  await refused(resolve(b, 'mine'), 'frame_gone');
});

test('the statement that made a version is for its own tenant only', async () => {
  assert.deepEqual(manifestOf(await resolve(a, 'trades')).origin.query, query);
  const link = caller('a', { name: 'trades', version: 1 });
  for (const record of [await resolve(b, 'a:trades'), await resolve(link, 'trades@1')]) {
    assert.deepEqual(manifestOf(record).origin, { kind: 'query', format: 'sql' });
    assert.ok(!JSON.stringify(manifestOf(record)).includes('hidden'));
  }
});

test('a caller that may not read takes no place in the engine', async () => {
  engine.script = { place: new Promise(() => {}) };
  const unread: Caller = { ...caller('a'), scopes: withIncluded(['metrics', 'tsdb']) };
  for (const who of [caller('a', { name: 'trades', version: 1 }), unread]) {
    await refused(
      executeStatement(sql, who, { sql: 'as scripted', parameters: null }, never),
      'access_denied',
    );
    await refused(describeStatement(sql, who, 'as scripted', never), 'access_denied');
  }
});
