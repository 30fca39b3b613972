import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, describe, test } from 'node:test';
import { MemoryQueries } from '../../src/cluster/memory-queries.ts';
import { PartTranscoding } from '../../src/frames/parts/part-transcoding.ts';
import { openCaller } from '../../src/model/caller.ts';
import { type ErrorKind, FrameholdError } from '../../src/model/errors.ts';
import { TenantSlots } from '../../src/model/limits/tenant-slots.ts';
import type { StoredObject } from '../../src/model/version.ts';
import type { StatementTarget } from '../../src/ports/engine.ts';
import { TenantEngines } from '../../src/sql/engines.ts';
import type { SqlRequest, SqlRows } from '../../src/sql/sql.ts';
import { SqlService } from '../../src/sql/sql-service.ts';
import { ScratchCopies } from '../../src/sql/tables/scratch-copies.ts';
import { TranscodedVersions } from '../../src/sql/tables/transcoded-versions.ts';
import { openCore } from '../frames/open-core.ts';
import { eventually } from '../support/patience.ts';
import { arrowBytes } from '../support/python.ts';
import { removeFolder, temporaryFolder } from '../support/temporary-folder.ts';
import { describeStatement, executeStatement } from './ask.ts';
import { columnN, ScriptedEngine } from './scripted-engine.ts';

const never = new AbortController().signal;
const folder = temporaryFolder('sql-service');
const { table } = await arrowBytes({ table: "pa.table({'n': pa.array([1, 2, 3])})" });
const engine = new ScriptedEngine(columnN);
const queries = new MemoryQueries(Date.now);
const core = await openCore(folder);
const { catalog, store, observations, frames } = core;
const scratch = new ScratchCopies(core);
const versions = new TranscodedVersions({ ...core, transcoding: new PartTranscoding(core), scratch });
const engines = new TenantEngines({ name: 'duckdb', engine, versions, results: null });
const absent = async () => {
  throw new FrameholdError('tsdb_not_configured', 'none');
};
const upstream = { fetch: absent, describe: absent };
const sharing = { sharedWithMe: async () => [] };
const sql = new SqlService(
  { ...core, sharing, engines, upstream, queries },
  { textBytesMax: 1000, processesMax: () => 4 },
);

after(async () => {
  await scratch.close();
  await core.close();
  removeFolder(folder);
});
/** However a statement ended. */
afterEach(async () => {
  assert.equal(store.openCount, 0, 'something is still open');
  assert.deepEqual(await sql.queries(openCaller), [], 'a statement is still listed');
});

test('a tenant has so many statements at once, from their arrival to the release of their rows', async () => {
  const slots = new TenantSlots('queries', () => 1);
  const dependencies = { ...core, sharing, engines, upstream, queries, slots };
  const limited = new SqlService(dependencies, { textBytesMax: 20, processesMax: () => 4 });
  const ask = (caller = openCaller, text = 'as scripted') =>
    executeStatement(limited, caller, { sql: text, parameters: null }, never);
  engine.script = { batches: 1 };
  const first = (await ask()) as SqlRows;
  const before = observations.length;
  await refused(ask(), 'rate_limited');
  await refused(describeStatement(limited, openCaller, 'as scripted', never), 'rate_limited');
  // Access is checked first.
  await refused(ask({ ...openCaller, scopes: new Set() }), 'access_denied');
  const lines = observations
    .slice(before)
    .map((each) => (each.event === 'audit' ? [each.action, each.outcome, each.reason] : [each.event]));
  const tooMany = ['sql.query', 'refused', 'rate_limited'];
  assert.deepEqual(lines, [tooMany, tooMany, ['sql.query', 'refused', 'access_denied']]);
  assert.equal(await drain(first), 1);
  assert.equal(slots.count(openCaller.tenant), 1);
  await first.release();
  assert.equal(slots.count(openCaller.tenant), 0);
  await refused(ask(openCaller, 'more than twenty bytes'), 'body_too_large');
  await refused(describeStatement(limited, openCaller, 'more than twenty bytes', never), 'body_too_large');
  engine.script = { shape: { tables: ['absent'] } };
  await refused(ask(), 'frame_not_found');
  engine.script = { shape: { kind: 'drop', target: target('absent', { conditional: true }) } };
  assert.equal((await ask()).kind, 'changed');
  assert.equal(slots.count(openCaller.tenant), 0);
});

async function put(name: string, mode: 'create' | 'append' = 'create'): Promise<void> {
  const target = { name, mode, format: 'arrow', originFormat: 'arrow' } as const;
  const session = await frames.beginPut(openCaller, target, never);
  await session.write([table]);
  await session.finish();
}

function execute(request: Partial<SqlRequest> = {}, signal = never) {
  return executeStatement(sql, openCaller, { sql: 'as scripted', parameters: null, ...request }, signal);
}

async function rowsOf(signal = never): Promise<SqlRows> {
  const outcome = await execute({}, signal);
  assert.equal(outcome.kind, 'rows');
  return outcome as SqlRows;
}

async function refused(work: Promise<unknown>, kind: ErrorKind): Promise<void> {
  await assert.rejects(work, (error) => error instanceof FrameholdError && error.kind === kind);
}

function target(name: string, fields: Partial<StatementTarget> = {}): StatementTarget {
  return { name, orReplace: false, conditional: false, columns: null, byName: false, ...fields };
}

async function drain(rows: SqlRows): Promise<number> {
  let count = 0;
  for await (const _ of rows.messages) count += 1;
  return count;
}

describe('rows', () => {
  test('files stay leased from the name to the last row, and the place is given back', async () => {
    await put('leased');
    engine.script = { shape: { tables: ['LEASED'] }, batches: 3 };
    const rows = await rowsOf();
    assert.equal(store.openCount > 0, true);
    assert.deepEqual(rows.sources, ['leased@1']);
    assert.equal(engine.bound.at(-1)?.tables[0]?.files.length, 1);
    assert.equal(await drain(rows), 3);
    await rows.release();
    const told = observations.findLast((each) => each.event === 'sql');
    assert.deepEqual([told?.outcome, told?.rows, told?.kind], ['ok', 6, 'query']);
  });

  test('one version is seen to the end, whatever is put meanwhile', async () => {
    await put('pinned');
    engine.script = { shape: { tables: ['pinned'] }, batches: 2 };
    const rows = await rowsOf();
    await frames.drop(
      openCaller,
      { name: 'pinned', version: null },
      { ifVersion: null, purge: false },
      never,
    );
    assert.deepEqual(rows.sources, ['pinned@1']);
    assert.equal(await drain(rows), 2);
  });

  test('a failure in the middle releases everything and is reported', async () => {
    await put('middle');
    engine.script = {
      shape: { tables: ['middle'] },
      batches: 2,
      failure: new FrameholdError('sql_failed', 'a cast failed'),
    };
    const rows = await rowsOf();
    await refused(drain(rows), 'sql_failed');
  });

  test('rows that nobody takes are let go when their caller leaves', async () => {
    await put('untaken');
    engine.script = { shape: { tables: ['untaken'] }, batches: 2 };
    const leaving = new AbortController();
    const closed = engine.closed.length;
    await rowsOf(leaving.signal);
    leaving.abort();
    await eventually('the statement is closed', () => engine.closed.length === closed + 1);
  });

  test('a caller that stops before the end has let go', async () => {
    await put('stopped');
    engine.script = { shape: { tables: ['stopped'] }, batches: 5 };
    const rows = await rowsOf();
    for await (const _ of rows.messages) break;
  });

  test('a failing bind lets go what was opened, and so does a frame that is not there', async () => {
    await put('bound');
    engine.script = {
      shape: { tables: ['bound'] },
      bind: () => {
        throw new FrameholdError('sql_invalid', 'no such column');
      },
    };
    await refused(execute(), 'sql_invalid');
    engine.script = { shape: { tables: ['bound', 'nowhere'] } };
    await refused(execute(), 'frame_not_found');
    engine.script = { shape: { tables: ['bound'], upstreamQueries: ['select 1'] } };
    await refused(execute(), 'tsdb_not_configured');
  });

  test('files whose bytes have changed are never read: the Arrow form is transcoded again, or the statement fails', async () => {
    await put('changed');
    engine.script = { shape: { tables: ['changed'] } };
    await drain(await rowsOf());
    const [part] = await catalog.parts('default', 'changed', 1);
    const parquet = part?.forms.find((form) => form.kind === 'parquet')?.objects[0];
    const { path, release } = await store.open(parquet as StoredObject);
    release();
    const bytes = readFileSync(path);
    bytes[10] = (bytes[10] ?? 0) ^ 1;
    writeFileSync(path, bytes);
    engine.script = {
      shape: { tables: ['changed'] },
      failure: new FrameholdError('sql_failed', 'not what Parquet looks like'),
    };
    await refused(rowsOf().then(drain), 'frame_damaged');
    engine.script = { shape: { tables: ['changed'] } };
    await drain(await rowsOf());
    assert.notEqual(engine.bound.at(-1)?.tables[0]?.files[0], path);
  });
});

describe('cancelling', () => {
  test('a statement that waits for its place fails with query_cancelled', async () => {
    engine.script = { place: new Promise(() => {}) };
    const running = execute({ id: 'mine' });
    const [state] = await sql.queries(openCaller);
    assert.deepEqual([state?.id, state?.state], ['mine', 'waiting']);
    await sql.cancel(openCaller, 'mine');
    await refused(running, 'query_cancelled');
  });

  test('a statement whose rows are being read fails at the next batch', async () => {
    engine.script = { batches: 10 };
    const outcome = await execute({ id: 'taken' });
    assert.equal(outcome.kind, 'rows');
    const messages = (outcome as SqlRows).messages[Symbol.asyncIterator]();
    await messages.next();
    const [running] = await sql.queries(openCaller);
    assert.deepEqual([running?.state, running?.content?.rows], ['running', 2]);
    await sql.cancel(openCaller, 'taken');
    await refused(messages.next(), 'query_cancelled');
  });

  test('another tenant does not see it, and an id is used once at a time', async () => {
    engine.script = { place: new Promise(() => {}) };
    const running = execute({ id: 'once' });
    const other = { ...openCaller, tenant: 'other' };
    assert.deepEqual(await sql.queries(other), []);
    await assert.rejects(sql.cancel(other, 'once'), /no query/);
    await refused(execute({ id: 'once' }), 'bad_request');
    await refused(execute({ id: 'not usable' }), 'bad_request');
    await sql.cancel(openCaller, 'once');
    await refused(running, 'query_cancelled');
    await assert.rejects(sql.cancel(openCaller, 'once'), /no query/);
  });

  test('a statement that is closed while it waits for its place takes none', async () => {
    engine.script = { place: new Promise(() => {}) };
    const statement = sql.prepare(openCaller, 'as scripted');
    const running = statement.execute(null, never);
    await statement.close();
    await refused(running, 'cancelled');
    await statement.close();
  });

  test('a statement whose caller leaves fails with cancelled', async () => {
    engine.script = { place: new Promise(() => {}) };
    const leaving = new AbortController();
    const running = execute({}, leaving.signal);
    leaving.abort();
    await refused(running, 'cancelled');
  });
});

describe('changes', () => {
  test('a failure in the middle of CREATE TABLE AS leaves nothing', async () => {
    const files = () => readdirSync(join(folder, 'objects', 'default')).length;
    await put('source');
    const before = files();
    engine.script = {
      shape: { kind: 'create', target: target('broken'), tables: ['source'] },
      batches: 3,
      failure: new FrameholdError('sql_failed', 'a cast failed'),
    };
    await refused(execute(), 'sql_failed');
    await refused(frames.resolve(openCaller, { name: 'broken', version: null }, never), 'frame_not_found');
    assert.equal(files(), before);
    assert.deepEqual(
      readdirSync(join(folder, 'tmp')).filter((name) => name.endsWith('.staged')),
      [],
    );
  });

  test('a statement is kept with the version that it made, and a very long one is not taken', async () => {
    await put('origin');
    engine.script = { shape: { kind: 'create', target: target('result'), tables: ['origin'] }, batches: 2 };
    const made = await execute({ sql: 'CREATE TABLE result AS FROM origin' });
    assert.equal(made.kind === 'changed' && made.rows, 4);
    const record = await frames.resolve(openCaller, { name: 'result', version: null }, never);
    assert.deepEqual(record.origin, {
      kind: 'query',
      format: 'sql',
      query: { text: 'CREATE TABLE result AS FROM origin', sources: ['origin@1'] },
    });
    await refused(execute({ sql: 'x'.repeat(1001) }), 'body_too_large');
  });

  test('IF NOT EXISTS does nothing if somebody else was faster, even in the middle', async () => {
    engine.script = {
      shape: { kind: 'create', target: target('raced', { conditional: true }) },
      bind: () => put('raced'),
      batches: 1,
    };
    const made = await execute();
    assert.deepEqual([made.kind === 'changed' && made.record, made.kind], [null, 'changed']);
  });

  test('an insert appends to the newest version under its own spelling, and is given its columns', async () => {
    await put('Grown');
    engine.script = { shape: { kind: 'insert', target: target('grown'), tables: ['grown'] }, batches: 1 };
    const made = await execute();
    assert.equal(made.kind === 'changed' && made.record?.rows, 5);
    assert.ok(engine.bound.at(-1)?.insertInto);
    engine.script = { shape: { kind: 'insert', target: target('grown@1') } };
    await refused(execute(), 'bad_handle');
  });

  test('reserved names are refused for puts, in upper and lower case, and stay readable if they existed before', async () => {
    for (const name of ['main', 'Analytics', 'TSDB']) {
      await refused(put(name), 'bad_handle');
      engine.script = { shape: { kind: 'create', target: target(name) } };
      await refused(execute(), 'bad_handle');
    }
    const part = { id: 'old', rows: 0, arrow: { key: 'default/old.arrow', bytes: 1, sha256: '' } };
    await catalog.commit({
      tenant: 'default',
      name: 'main',
      mode: 'create',
      ifVersion: null,
      part,
      schema: { ...columnN, columns: [] },
      baseSchemaHash: null,
      expiresAt: undefined,
      origin: { kind: 'upload', format: 'arrow' },
      quota: null,
      idempotency: null,
      now: Date.now(),
    });
    assert.equal((await frames.resolve(openCaller, { name: 'main', version: null }, never)).version, 1);
  });

  test('a read-only request may only read, and only the rows of queries can be stored', async () => {
    engine.script = { shape: { kind: 'drop', target: target('any') } };
    await refused(execute({ readOnly: true }), 'sql_refused');
    await refused(execute({ into: { name: 'x', mode: 'create' } }), 'bad_request');
    engine.script = {};
    await refused(execute({ readOnly: true, into: { name: 'x', mode: 'create' } }), 'sql_refused');
  });
});

describe('small parts', () => {
  test('a run of them becomes one file, which the next statement uses again', async () => {
    await put('log');
    for (let count = 0; count < 40; count++) await put('log', 'append');
    engine.script = { shape: { tables: ['log'] } };
    await drain(await rowsOf());
    const files = engine.bound.at(-1)?.tables[0]?.files ?? [];
    assert.equal(files.length, 1);
    await drain(await rowsOf());
    assert.deepEqual(engine.bound.at(-1)?.tables[0]?.files, files);
    await put('log', 'append');
    await drain(await rowsOf());
    assert.deepEqual(engine.bound.at(-1)?.tables[0]?.files.slice(0, 1), files);
    assert.equal(engine.bound.at(-1)?.tables[0]?.files.length, 2);
  });

  test('a run with changed bytes is not read, and the frame is known to be damaged', async () => {
    await put('spoilt');
    for (let count = 0; count < 4; count++) await put('spoilt', 'append');
    const parts = await catalog.parts('default', 'spoilt', 5);
    const { path, release } = await store.open(parts[2]?.forms[0]?.objects[0] as StoredObject);
    release();
    const bytes = readFileSync(path);
    bytes[bytes.length - 20] = (bytes[bytes.length - 20] ?? 0) ^ 1;
    writeFileSync(path, bytes);
    engine.script = { shape: { tables: ['spoilt'] } };
    await refused(execute(), 'frame_damaged');
    assert.equal((await catalog.parts('default', 'spoilt', 5))[2]?.forms[0]?.damaged, true);
    engine.script = { shape: { tables: ['spoilt@2'] } };
    await drain(await rowsOf());
  });

  test('two statements that want the same untranscoded part transcode it once', async () => {
    await put('shared');
    const before = observations.filter(({ event }) => event === 'settled').length;
    engine.script = { shape: { tables: ['shared'] } };
    await Promise.all([rowsOf().then(drain), rowsOf().then(drain), rowsOf().then(drain)]);
    assert.equal(observations.filter(({ event }) => event === 'settled').length, before + 1);
  });
});

describe('a statement that is not allowed leaves one line of the audit log', () => {
  const notAllowed = new FrameholdError('sql_refused', 'The function x is not allowed.');
  const lines = async (work: () => Promise<unknown>) => {
    const from = observations.length;
    await refused(work(), 'sql_refused');
    return observations
      .slice(from)
      .flatMap((each) =>
        each.event === 'audit' ? [[each.action, each.outcome, each.reason, each.frame]] : [],
      );
  };
  const refuse = () => {
    throw notAllowed;
  };

  test('before it was taken apart', async () => {
    engine.script = { place: Promise.reject(notAllowed) };
    assert.deepEqual(await lines(execute), [['sql.query', 'refused', 'sql_refused', null]]);
    const described = await lines(() => describeStatement(sql, openCaller, 'as scripted', never));
    assert.deepEqual(described, [['sql.query', 'refused', 'sql_refused', null]]);
  });

  test('when it is bound', async () => {
    engine.script = { shape: { kind: 'create', target: target('made') }, bind: refuse };
    assert.deepEqual(await lines(execute), [['sql.create', 'refused', 'sql_refused', 'made']]);
    const described = await lines(() => describeStatement(sql, openCaller, 'as scripted', never));
    assert.deepEqual(described, [['sql.create', 'refused', 'sql_refused', 'made']]);
  });

  test('among its rows', async () => {
    engine.script = { batches: 1, failure: notAllowed };
    const rows = await rowsOf();
    assert.deepEqual(await lines(() => drain(rows)), [['sql.query', 'refused', 'sql_refused', null]]);
    await rows.release();
  });
});

describe('history', () => {
  const last = () => {
    const { sql: text, state, error, rows, queryId, caller, tenant } = core.ended.at(-1) ?? assert.fail();
    return { text, state, error, rows, queryId, caller, tenant };
  };
  const mine = { caller: 'anonymous', tenant: 'default', error: null };

  test('a statement is in it once, when it has ended, without its parameters', async () => {
    engine.script = { batches: 3 };
    const before = core.ended.length;
    const request = {
      sql: 'select $1',
      id: 'one',
      parameters: { kind: 'json', values: ['secret'] },
    } as const;
    const outcome = await executeStatement(sql, openCaller, request, never);
    assert.equal(core.ended.length, before);
    await drain(outcome as SqlRows);
    await (outcome as SqlRows).release();
    assert.equal(core.ended.length, before + 1);
    assert.deepEqual(last(), { ...mine, text: 'select $1', state: 'done', rows: 6, queryId: 'one' });
    assert.ok(!JSON.stringify(core.ended).includes('secret'));
    const { startedAt, durationMs } = core.ended.at(-1) ?? assert.fail();
    assert.ok(Math.abs(Date.now() - startedAt) < 60_000 && durationMs >= 0 && Number.isInteger(durationMs));
  });

  test('a reader that has enough rows has not cancelled it; one that leaves, or cancels, has', async () => {
    engine.script = { batches: 5 };
    const rows = await rowsOf();
    for await (const _ of rows.messages) break;
    await rows.release();
    assert.deepEqual([last().state, last().rows], ['done', 2]);
    const leaving = new AbortController();
    const left = await rowsOf(leaving.signal);
    leaving.abort();
    await left.release();
    assert.deepEqual([last().state, last().error], ['cancelled', null]);
    engine.script = { place: new Promise(() => {}) };
    const running = execute({ id: 'stop' });
    await sql.cancel(openCaller, 'stop');
    await refused(running, 'query_cancelled');
    assert.deepEqual([last().state, last().error, last().queryId], ['cancelled', null, 'stop']);
  });

  test('one that failed has its reason; changes count their rows; describing is not running', async () => {
    engine.script = { shape: { tables: ['nowhere'] } };
    await refused(execute(), 'frame_not_found');
    assert.deepEqual([last().state, last().error?.code], ['failed', 'frame_not_found']);
    engine.script = { shape: { kind: 'create', target: target('made') }, batches: 2 };
    await execute();
    assert.deepEqual([last().state, last().rows], ['done', 4]);
    engine.script = {};
    const before = core.ended.length;
    await describeStatement(sql, openCaller, 'as scripted', never);
    await refused(execute({ sql: 'x'.repeat(1_001) }), 'body_too_large');
    assert.equal(core.ended.length, before);
  });

  test('one that the server was too busy to begin is not in it: a flood of them would displace what was run', async () => {
    const before = core.ended.length;
    engine.script = { place: Promise.reject(new FrameholdError('overloaded', 'as scripted')) };
    await refused(execute(), 'overloaded');
    assert.equal(core.ended.length, before);
    // While it runs it may fail of the same: another room of the server is busy.
    engine.script = { batches: 1, failure: new FrameholdError('overloaded', 'as scripted') };
    const rows = await rowsOf();
    await refused(drain(rows), 'overloaded');
    await rows.release();
    assert.deepEqual([last().state, last().error?.code], ['failed', 'overloaded']);
  });

  test('a long text is cut, which its end shows', async () => {
    const long = new SqlService(
      { ...core, sharing, engines, upstream, queries },
      { textBytesMax: 100_000, processesMax: () => 4 },
    );
    engine.script = { batches: 1 };
    const text = 'x'.repeat(20_000);
    const rows = (await executeStatement(
      long,
      openCaller,
      { sql: text, parameters: null },
      never,
    )) as SqlRows;
    await drain(rows);
    await rows.release();
    assert.equal(last().text, `${text.slice(0, 16_384)}…`);
  });
});

test('the words of SQL are asked for once, by those who may read', async () => {
  await refused(sql.vocabulary({ ...openCaller, scopes: new Set() }), 'access_denied');
  assert.equal(engine.vocabularyReads, 0);
  const [one, other] = await Promise.all([sql.vocabulary(openCaller), sql.vocabulary(openCaller)]);
  assert.deepEqual([one.keywords, other.keywords, engine.vocabularyReads], [['SELECT'], ['SELECT'], 1]);
});
