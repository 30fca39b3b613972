import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, beforeEach, test } from 'node:test';
import { encodeSchema } from '../../../src/arrow/ipc/schema-encoder.ts';
import { MemoryQueries } from '../../../src/cluster/memory-queries.ts';
import { PartTranscoding } from '../../../src/frames/parts/part-transcoding.ts';
import { openCaller } from '../../../src/model/caller.ts';
import { type ErrorKind, FrameholdError } from '../../../src/model/errors.ts';
import { TenantEngines } from '../../../src/sql/engines.ts';
import type { SqlChange, SqlRequest } from '../../../src/sql/sql.ts';
import { SqlService } from '../../../src/sql/sql-service.ts';
import { ScratchCopies } from '../../../src/sql/tables/scratch-copies.ts';
import { TranscodedVersions } from '../../../src/sql/tables/transcoded-versions.ts';
import { openCore } from '../../frames/open-core.ts';
import { plainParquet, resultPath, writeResult } from '../../frames/writing/result-files.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { executeStatement } from '../ask.ts';
import { ScriptedEngine } from '../scripted-engine.ts';

const never = new AbortController().signal;
const folder = temporaryFolder('put-result');
const { tenant } = openCaller;
const { rows } = await plainParquet({ rows: "pa.table({'n': pa.array(range(7), pa.int64())})" });

function messageOf(type: Parameters<typeof encodeSchema>[0]['fields'][number]['type'], name = 'n') {
  const field = { name, nullable: true, type, dictionary: null, children: [], metadata: [] };
  return encodeSchema({ fields: [field], metadata: [] });
}

function engineOf(message: Uint8Array): ScriptedEngine {
  const hash = createHash('sha256').update(message).digest('hex');
  return new ScriptedEngine({ hash, message, columns: [{ name: 'n', type: 'LONG' }] });
}

const core = await openCore(folder);
const scratch = new ScratchCopies(core);
const versions = new TranscodedVersions({ ...core, transcoding: new PartTranscoding(core), scratch });
const absent = async () => {
  throw new FrameholdError('tsdb_not_configured', 'none');
};
const queries = new MemoryQueries(Date.now);

function serviceOver(engine: ScriptedEngine): SqlService {
  const engines = new TenantEngines({ name: 'duckdb', engine, versions, results: core.results });
  const others = { sharing: { sharedWithMe: async () => [] }, upstream: { fetch: absent, describe: absent } };
  return new SqlService(
    { ...core, ...others, engines, queries },
    { textBytesMax: 1_000, processesMax: () => 4 },
  );
}

const engine = engineOf(messageOf({ kind: 'int', bits: 64, signed: true }));
const sql = serviceOver(engine);

after(async () => {
  await scratch.close();
  await core.close();
});
let writes = 0;
beforeEach(() => {
  writes = 0;
  engine.script = { write };
});
afterEach(async () => {
  const attempts = join(folder, 'attempts', tenant);
  mkdirSync(attempts, { recursive: true });
  assert.deepEqual(readdirSync(attempts), [], 'a result is left');
  assert.deepEqual(await queries.list(openCaller), []);
});

async function write(address: string): Promise<void> {
  writes += 1;
  writeResult(address, [rows]);
}

async function into(
  name: string,
  request: Partial<SqlRequest> = {},
  { service = sql, signal = never } = {},
): Promise<SqlChange> {
  const outcome = await executeStatement(
    service,
    openCaller,
    { sql: 'as scripted', parameters: null, into: { name, mode: 'create' }, ...request },
    signal,
  );
  assert.equal(outcome.kind, 'changed');
  return outcome as SqlChange;
}

async function formsOf(name: string, version = 1): Promise<readonly string[]> {
  const parts = await core.catalog.parts(tenant, name, version);
  return parts.flatMap(({ forms }) => forms.map(({ kind }) => kind));
}

async function refused(work: Promise<unknown>, kind: ErrorKind): Promise<void> {
  await assert.rejects(work, (error) => error instanceof FrameholdError && error.kind === kind);
}

async function isAbsent(name: string): Promise<void> {
  await refused(core.frames.resolve(openCaller, { name, version: null }, never), 'frame_not_found');
}

test('an engine that writes its result is asked to, and its rows are counted', async () => {
  const { rows: count, record } = await into('written');
  assert.deepEqual([count, record?.rows, writes], [7, 7, 1]);
  assert.deepEqual(await formsOf('written'), ['parquet']);
  assert.equal(record?.origin.query?.text, 'as scripted');
  const entry = core.ended.at(-1);
  assert.deepEqual([entry?.rows, entry?.state], [7, 'done']);
});

test('rows that fit are appended as they are, also to a frame of Arrow', async () => {
  engine.script = {};
  await into('both');
  engine.script = { write };
  const { rows: count, record } = await into('both', { into: { name: 'both', mode: 'append' } });
  assert.deepEqual([count, record?.rows], [7, 9]);
  assert.deepEqual(await formsOf('both', 2), ['arrow', 'parquet']);
});

test('rows that must be converted to be appended come as a stream', async () => {
  const narrow = engineOf(messageOf({ kind: 'int', bits: 32, signed: true }));
  const wide = { name: 'wide', mode: 'create' } as const;
  engine.script = {};
  await into('wide', { into: wide });
  narrow.script = { write, batches: 0 };
  const appended = into('wide', { into: { ...wide, mode: 'append' } }, { service: serviceOver(narrow) });
  assert.deepEqual([(await appended).rows, writes], [0, 0]);
});

test('types that Parquet does not give back come as a stream', async () => {
  const times = engineOf(messageOf({ kind: 'duration', unit: 'us' }));
  times.script = { write };
  const { rows: count } = await into('durations', {}, { service: serviceOver(times) });
  assert.deepEqual([count, writes], [2, 0]);
});

test('several rows of parameters come as a stream', async () => {
  const parameters = { kind: 'arrow', stream: new Uint8Array() } as const;
  assert.equal((await into('parameters', { parameters })).rows, 2);
  assert.equal(writes, 0);
});

test('a name that is taken is refused before the engine writes', async () => {
  await into('taken');
  await refused(into('taken'), 'frame_exists');
  assert.equal(writes, 1);
});

test('nothing is stored if the engine fails, with or without files', async () => {
  const failure = new FrameholdError('engine_failed', 'The driver has gone.');
  engine.script = {
    write: async (address) => {
      await write(address);
      throw failure;
    },
  };
  await refused(into('failed'), 'engine_failed');
  engine.script = { write: () => Promise.reject(failure) };
  await refused(into('failed'), 'engine_failed');
  await isAbsent('failed');
});

test('nothing is stored if the engine says that it is done and has not completed its files', async () => {
  engine.script = {
    async write(address) {
      mkdirSync(resultPath(address));
      writeFileSync(join(resultPath(address), 'part-00000-a.zstd.parquet'), rows);
    },
  };
  await refused(into('incomplete'), 'engine_failed');
  await isAbsent('incomplete');
});

test('nothing is stored for a caller that leaves while the engine writes', async () => {
  const caller = new AbortController();
  engine.script = {
    async write(address) {
      await write(address);
      caller.abort();
      await new Promise(() => {});
    },
  };
  await refused(into('left', {}, { signal: caller.signal }), 'cancelled');
  await isAbsent('left');
});

test('a result over its own target is written again if a row came meanwhile; a key has one effect', async () => {
  await into('own');
  const append = { name: 'own', mode: 'append', format: 'csv', originFormat: 'csv' } as const;
  const shape = { tables: ['own'] };
  engine.script = {
    shape,
    write: async (address) => {
      await write(address);
      if (writes > 2) return;
      const session = await core.frames.beginPut(openCaller, append, never);
      await session.write([Buffer.from('n\n1\n')]);
      await session.finish();
    },
  };
  const request = {
    into: { name: 'own', mode: 'append' },
    conditions: { idempotencyKey: 'own' },
  } as const;
  const change = await into('own', request);
  assert.deepEqual([writes, change.rows, change.record?.version, change.record?.rows], [3, 7, 3, 15]);
  assert.deepEqual(change.record?.origin.query?.sources, ['own@2']);
  const again = await into('own', request);
  assert.deepEqual([writes, again.rows, again.record?.version], [3, 7, 3]);
});

test('two results with one key: the files of the second are not kept', async () => {
  const request = { conditions: { idempotencyKey: 'twice' } };
  const changes = await Promise.all([into('twice', request), into('twice', request)]);
  assert.deepEqual(
    changes.map(({ rows: count, record }) => [count, record?.version]),
    [
      [7, 1],
      [7, 1],
    ],
  );
  assert.equal(writes, 2);
  assert.deepEqual(await formsOf('twice'), ['parquet']);
});
