import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { openCaller } from '../../../src/model/caller.ts';
import { FrameholdError } from '../../../src/model/errors.ts';
import { Admission } from '../../../src/model/limits/admission.ts';
import type { Catalog } from '../../../src/ports/catalog/catalog.ts';
import type { S3Store, S3StoreOptions } from '../../../src/store/s3/s3-store.ts';
import { openMarked, s3Options } from '../../store/s3/open-s3-store.ts';
import { type Fault, faultyPort } from '../../support/faulty-port.ts';
import { arrowBytes } from '../../support/python.ts';
import { S3FaultProxy } from '../../support/s3-fault-proxy.ts';
import { type S3Server, startS3 } from '../../support/s3-server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { openCore } from '../open-core.ts';

const never = new AbortController().signal;
const { table } = await arrowBytes({ table: "pa.table({'n': pa.array([1, 2, 3])})" });
/** A place that leaks is missing at once. */
const putsMax = 2;

let server: S3Server;
let proxy: S3FaultProxy;
let options: S3StoreOptions;
let store: S3Store;
let core: Awaited<ReturnType<typeof openCore>>;
const puts = new Admission({ what: 'puts', max: putsMax, queueMax: 0, waitMs: 1_000 });
const catalogFaults = new Map<keyof Catalog, Fault>();

before(async () => {
  server = await startS3();
  proxy = await S3FaultProxy.start(server.endpoint);
  options = s3Options(server, { endpoint: proxy.endpoint });
  store = await openMarked(options);
  core = await openCore(temporaryFolder('puts-to-s3'), {
    puts,
    wrapStore: () => store,
    wrapCatalog: (catalog) => faultyPort(catalog, catalogFaults),
  });
});
after(async () => {
  await core.close();
  await proxy.stop();
  await server.stop();
});
afterEach(async () => {
  proxy.interfere = () => 'pass';
  catalogFaults.clear();
  for (let index = 0; index < putsMax; index++) await put('afterwards');
  assert.deepEqual(readdirSync(join(options.cacheDirectory, 'staging')), []);
  assert.equal(store.openCount, 0);
});

async function put(name: string): Promise<number> {
  const target = { name, mode: 'replace', format: 'arrow', originFormat: 'arrow' } as const;
  const session = await core.frames.beginPut(openCaller, target, never);
  await session.write([table as Uint8Array]);
  return (await session.finish()).record.version;
}

test('a put to a bucket that answers 503 is refused as unavailable, leaves nothing, and frees its place', async () => {
  proxy.interfere = () => 'refuse';
  for (let index = 0; index < 2 * putsMax; index++)
    await assert.rejects(put('refused'), { kind: 'unavailable' });
  await assert.rejects(core.frames.read(openCaller, { name: 'refused', version: null }, {}, never), {
    kind: 'frame_not_found',
  });
});

test('503 to the removal of what was published for a refused put: the refusal is what the caller gets, and the place is free', async () => {
  const refusal = new FrameholdError('version_mismatch', 'The frame has another version.');
  catalogFaults.set('commit', () => Promise.reject(refusal));
  proxy.interfere = ({ method }) => (method === 'DELETE' ? 'refuse' : 'pass');
  for (let index = 0; index < 2 * putsMax; index++)
    await assert.rejects(put('mismatched'), { kind: 'version_mismatch' });
  const failures = core.observations.filter(
    (each) => each.event === 'background-failed' && each.job === 'put',
  );
  assert.equal(failures.length, 2 * putsMax, 'each orphan is in the log');
});

test('what was put is read from the copy of the node, also while the bucket does not answer', async () => {
  await put('kept');
  proxy.interfere = () => 'refuse';
  const reading = await core.frames.read(openCaller, { name: 'kept', version: null }, {}, never);
  const [path = ''] = reading.sources.flatMap(({ paths }) => paths);
  assert.deepEqual(readFileSync(path), Buffer.from(table as Uint8Array));
  reading.release();
});
