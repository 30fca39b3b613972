/** A statement runs on the engine that its caller named, and nowhere else; everything that is kept of it says which that was. */
import assert from 'node:assert/strict';
import { after, afterEach, describe, test } from 'node:test';
import { MemoryQueries } from '../../src/cluster/memory-queries.ts';
import { PartTranscoding } from '../../src/frames/parts/part-transcoding.ts';
import { openCaller } from '../../src/model/caller.ts';
import { type EngineName, engineNames, parseEngineName } from '../../src/model/engine-name.ts';
import { type ErrorKind, FrameholdError } from '../../src/model/errors.ts';
import { type SqlEngine, TenantEngines } from '../../src/sql/engines.ts';
import type { SqlRequest, SqlRows } from '../../src/sql/sql.ts';
import { SqlService } from '../../src/sql/sql-service.ts';
import { AddressedVersions } from '../../src/sql/tables/addressed-versions.ts';
import { ScratchCopies } from '../../src/sql/tables/scratch-copies.ts';
import { TranscodedVersions } from '../../src/sql/tables/transcoded-versions.ts';
import { openCore } from '../frames/open-core.ts';
import { arrowBytes } from '../support/python.ts';
import { removeFolder, temporaryFolder } from '../support/temporary-folder.ts';
import { describeStatement, executeStatement } from './ask.ts';
import { columnN, ScriptedEngine } from './scripted-engine.ts';

const never = new AbortController().signal;
const folder = temporaryFolder('engines');
const { table } = await arrowBytes({ table: "pa.table({'n': pa.array([1, 2, 3])})" });
const schema = { ...columnN, columns: [] };
const scripted = { duckdb: new ScriptedEngine(schema), spark: new ScriptedEngine(schema) };
const core = await openCore(folder);
const { observations } = core;
const transcoding = new PartTranscoding(core);
const scratch = new ScratchCopies(core);
const local: SqlEngine = {
  name: 'duckdb',
  engine: scripted.duckdb,
  versions: new TranscodedVersions({ ...core, transcoding, scratch }),
  results: null,
};
const spark: SqlEngine = {
  name: 'spark',
  engine: scripted.spark,
  versions: new AddressedVersions({ ...core, transcoding }),
  results: null,
};
/** Of two tenants, one has Spark. */
const engines = new TenantEngines(local, (tenant) => (tenant === openCaller.tenant ? spark : null));
const poor = { ...openCaller, tenant: 'poor' };
const absent = async () => {
  throw new FrameholdError('tsdb_not_configured', 'none');
};
const queries = new MemoryQueries(Date.now);
const sql = new SqlService(
  {
    ...core,
    sharing: { sharedWithMe: async () => [] },
    engines,
    upstream: { fetch: absent, describe: absent },
    queries,
  },
  { textBytesMax: 1_000, processesMax: () => 4 },
);

after(async () => {
  await scratch.close();
  await core.close();
  removeFolder(folder);
});
afterEach(() => {
  for (const engine of Object.values(scripted)) engine.script = {};
  assert.equal(core.store.openCount, 0, 'something is still open');
});

function execute(engine: EngineName | undefined, caller = openCaller, request: Partial<SqlRequest> = {}) {
  const named = engine === undefined ? {} : { engine };
  return executeStatement(sql, caller, { sql: 'as scripted', parameters: null, ...named, ...request }, never);
}

async function drained(rows: SqlRows): Promise<void> {
  try {
    for await (const _ of rows.messages);
  } finally {
    await rows.release();
  }
}

async function failure(work: Promise<unknown>): Promise<FrameholdError> {
  const error = await work.then(
    () => assert.fail('it did not fail'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof FrameholdError, String(error));
  return error;
}

async function put(name: string): Promise<void> {
  const session = await core.frames.beginPut(
    openCaller,
    { name, mode: 'create', format: 'arrow', originFormat: 'arrow' },
    never,
  );
  await session.write([table]);
  await session.finish();
}

describe('a statement', () => {
  test('runs on the engine that is named, which opens the frames in its own way', async () => {
    await put('trades');
    for (const engine of Object.values(scripted))
      engine.script = { shape: { tables: ['trades'] }, batches: 2 };
    await drained((await execute('spark')) as SqlRows);
    assert.deepEqual([scripted.duckdb.bound.length, scripted.spark.bound.length], [0, 1]);
    assert.match(scripted.spark.bound[0]?.tables[0]?.files[0] ?? '', /^file:\/\/\//);
    await drained((await execute(undefined)) as SqlRows);
    await drained((await execute('duckdb')) as SqlRows);
    assert.deepEqual([scripted.duckdb.bound.length, scripted.spark.bound.length], [2, 1]);
    assert.match(scripted.duckdb.bound[0]?.tables[0]?.files[0] ?? '', /^\/(?!\/)/);
    await describeStatement(sql, openCaller, 'as scripted', never, 'spark');
    assert.deepEqual([scripted.duckdb.bound.length, scripted.spark.bound.length], [2, 2]);
  });

  test('names its engine while it runs, in the history, in the log and in the audit log', async () => {
    const from = observations.length;
    scripted.spark.script = { batches: 1 };
    const rows = (await execute('spark')) as SqlRows;
    assert.deepEqual(
      (await sql.queries(openCaller)).map(({ engine }) => engine),
      ['spark'],
    );
    assert.deepEqual(queries.occupancy('spark'), { running: 1, waiting: 0 });
    assert.deepEqual(queries.occupancy('duckdb'), { running: 0, waiting: 0 });
    await drained(rows);
    assert.equal(core.ended.at(-1)?.engine, 'spark');
    const refusal = new FrameholdError('sql_refused', 'not allowed');
    for (const engine of Object.values(scripted)) engine.script = { place: Promise.reject(refusal) };
    await failure(execute('spark'));
    await failure(describeStatement(sql, openCaller, 'as scripted', never, 'spark'));
    await failure(execute('duckdb'));
    assert.equal(core.ended.at(-1)?.engine, 'duckdb');
    const told = observations.slice(from);
    assert.deepEqual(
      told.flatMap((each) => (each.event === 'sql' ? [each.engine] : [])),
      ['spark', 'spark', 'duckdb'],
    );
    assert.deepEqual(
      told.flatMap((each) => (each.event === 'audit' ? [each.engine] : [])),
      ['spark', 'spark', undefined],
    );
  });

  test('is refused if its tenant has no such engine, with what to do', async () => {
    for (const work of [
      execute('spark', poor),
      describeStatement(sql, poor, 'as scripted', never, 'spark'),
      sql.vocabulary(poor, 'spark'),
    ]) {
      const { kind, message: detail, hint } = await failure(work);
      assert.equal(kind, 'bad_request' satisfies ErrorKind);
      assert.match(detail, /no engine spark for the tenant poor/);
      assert.match(hint ?? '', /duckdb runs the statement.*spark\.url/);
    }
    assert.deepEqual(
      engineNames.map((name) => engines.has(name, 'poor')),
      [true, false],
    );
    assert.deepEqual(new TenantEngines(local).names, ['duckdb']);
    assert.deepEqual(engines.names, ['duckdb', 'spark']);
  });

  test('with tsdb() is refused on an engine that does not run on this machine', async () => {
    scripted.spark.script = { shape: { upstreamQueries: ['select 1'] } };
    for (const work of [
      execute('spark'),
      describeStatement(sql, openCaller, 'as scripted', never, 'spark'),
    ]) {
      const { kind, hint } = await failure(work);
      assert.equal(kind, 'sql_refused');
      assert.match(hint ?? '', /with duckdb and into/);
    }
  });
});

describe('a statement that is too large for one machine', () => {
  const full = (kind: ErrorKind) => new FrameholdError(kind, 'too large', { hint: 'Read less.' });
  const hintOf = async (engine: EngineName, kind: ErrorKind, caller = openCaller, request = {}) => {
    scripted[engine].script = { batches: 1, failure: full(kind) };
    const run = async () => {
      const outcome = await execute(engine, caller, request);
      if (outcome.kind === 'rows') await drained(outcome);
    };
    const error = await failure(run());
    assert.deepEqual([error.kind, error.message], [kind, 'too large']);
    return error.hint;
  };

  test('gets the hint to name the engine that has several, as rows and into a frame', async () => {
    const advice = /^Read less\. Or let several machines run it: engine=spark, .*framehold-engine/;
    for (const kind of ['sql_memory', 'disk_full'] as const) {
      assert.match((await hintOf('duckdb', kind)) ?? '', advice);
      const into = { into: { name: null, mode: 'create' } };
      assert.match((await hintOf('duckdb', kind, openCaller, into)) ?? '', advice);
    }
  });

  test('gets no such hint if the tenant has none, or it runs there, or failed for another reason', async () => {
    assert.equal(await hintOf('duckdb', 'sql_memory', poor), 'Read less.');
    assert.equal(await hintOf('spark', 'sql_memory'), 'Read less.');
    assert.equal(await hintOf('duckdb', 'sql_timeout'), 'Read less.');
  });
});

test('every engine is asked once for its words', async () => {
  for (const name of engineNames) for (const _ of [1, 2]) await sql.vocabulary(openCaller, name);
  assert.deepEqual([scripted.duckdb.vocabularyReads, scripted.spark.vocabularyReads], [1, 1]);
});

test('the name of an engine that nobody knows is refused with those that exist', () => {
  assert.equal(parseEngineName('spark'), 'spark');
  for (const text of ['Spark', '', 'trino', 'x'.repeat(10_000)])
    assert.throws(
      () => parseEngineName(text),
      (error) =>
        error instanceof FrameholdError &&
        error.kind === 'bad_request' &&
        error.message.length < 100 &&
        /duckdb, spark/.test(error.hint ?? ''),
    );
});
