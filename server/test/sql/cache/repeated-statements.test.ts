import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, describe, test } from 'node:test';
import { MemoryQueries } from '../../../src/cluster/memory-queries.ts';
import { PartTranscoding } from '../../../src/frames/parts/part-transcoding.ts';
import { type Caller, openCaller } from '../../../src/model/caller.ts';
import { type ErrorKind, FrameholdError } from '../../../src/model/errors.ts';
import { TenantSlots } from '../../../src/model/limits/tenant-slots.ts';
import type { StatementShape } from '../../../src/ports/engine.ts';
import { StatementCache } from '../../../src/sql/cache/statement-cache.ts';
import { TenantEngines } from '../../../src/sql/engines.ts';
import type { SqlCached, SqlOutcome, SqlRequest, SqlRows } from '../../../src/sql/sql.ts';
import { SqlService } from '../../../src/sql/sql-service.ts';
import { ScratchCopies } from '../../../src/sql/tables/scratch-copies.ts';
import { TranscodedVersions } from '../../../src/sql/tables/transcoded-versions.ts';
import { openCore } from '../../frames/open-core.ts';
import { eventually } from '../../support/patience.ts';
import { arrowBytes } from '../../support/python.ts';
import { removeFolder, temporaryFolder } from '../../support/temporary-folder.ts';
import { describeStatement, executeStatement } from '../ask.ts';
import { columnN, ScriptedEngine } from '../scripted-engine.ts';

const never = new AbortController().signal;
const folder = temporaryFolder('repeated-statements');
const { table } = await arrowBytes({ table: "pa.table({'n': pa.array([1, 2, 3])})" });
const engine = new ScriptedEngine(columnN);
const queries = new MemoryQueries(Date.now);
const core = await openCore(folder);
const { store, observations, frames, ended, observe } = core;
const scratch = new ScratchCopies(core);
const versions = new TranscodedVersions({ ...core, transcoding: new PartTranscoding(core), scratch });
const engines = new TenantEngines({ name: 'duckdb', engine, versions, results: null });
const absent = async () => {
  throw new FrameholdError('tsdb_not_configured', 'none');
};
const upstream = { fetch: absent, describe: absent };
const sharing = { sharedWithMe: async () => [] };
let slots: TenantSlots;
let queriesMax: number | null = null;
let kept: StatementCache;
let sql: SqlService;
let names = 0;

beforeEach(() => {
  kept = new StatementCache(1024 * 1024, observe, 2_000);
  slots = new TenantSlots('queries', () => queriesMax);
  queriesMax = null;
  const dependencies = { ...core, sharing, engines, upstream, queries, slots, kept };
  sql = new SqlService(dependencies, { textBytesMax: 1_000, processesMax: () => 4 });
});
after(async () => {
  await scratch.close();
  await core.close();
  removeFolder(folder);
});
afterEach(async () => {
  // What was bound for a description stays for a moment.
  await eventually('everything is closed', () => store.openCount === 0 && engine.open === 0);
  assert.equal(slots.count(openCaller.tenant), 0, 'a place is still taken');
  assert.deepEqual(await sql.queries(openCaller), [], 'a statement is still listed');
});

async function put(name: string, mode: 'create' | 'append' | 'replace' = 'create'): Promise<void> {
  const target = { name, mode, format: 'arrow', originFormat: 'arrow' } as const;
  const session = await frames.beginPut(openCaller, target, never);
  await session.write([table]);
  await session.finish();
}

/** A frame, and what the engine says of a statement over it. */
async function scripted(shape: Partial<StatementShape> = {}): Promise<string> {
  const name = `f${names++}`;
  await put(name);
  engine.script = { shape: { tables: [name], repeats: 'rows', ...shape }, batches: 2 };
  return name;
}

interface Answer {
  readonly outcome: SqlOutcome;
  /** How often an engine bound a statement for it. */
  readonly bound: number;
  readonly messages: number;
}

async function ask(request: Partial<SqlRequest> = {}, caller: Caller = openCaller): Promise<Answer> {
  const before = engine.bound.length;
  const outcome = await executeStatement(
    sql,
    caller,
    { sql: 'FROM it', parameters: null, ...request },
    never,
  );
  let messages = 0;
  try {
    if (outcome.kind === 'rows') {
      for await (const _ of outcome.messages) messages += 1;
      outcome.keep?.whole(Buffer.from('the rows'));
    }
  } finally {
    if (outcome.kind !== 'changed') await outcome.release();
  }
  return { outcome, bound: engine.bound.length - before, messages };
}

async function refused(work: Promise<unknown>, kind: ErrorKind): Promise<void> {
  await assert.rejects(work, (error) => error instanceof FrameholdError && error.kind === kind);
}

describe('the same statement again', () => {
  test('gives the same messages without an engine', async () => {
    const name = await scripted();
    const first = await ask();
    const again = await ask();
    assert.deepEqual([first.bound, first.messages], [1, 2]);
    assert.deepEqual([again.bound, again.messages], [0, 2]);
    const [fresh, known] = [first.outcome as SqlRows, again.outcome as SqlRows];
    assert.deepEqual(known.sources, [`${name}@1`]);
    assert.deepEqual(known.schemaMessage, fresh.schemaMessage);
    assert.deepEqual(known.columns, fresh.columns);
    assert.notEqual(known.id, fresh.id);
  });

  test('gives a body in the form in which it was sent, and rows in every other', async () => {
    const name = await scripted();
    const first = await ask({ form: 'json' });
    assert.deepEqual([first.bound, first.outcome.kind], [1, 'rows']);
    const again = await ask({ form: 'json' });
    assert.deepEqual([again.bound, again.outcome.kind], [0, 'kept']);
    assert.equal((again.outcome as SqlCached).body.toString(), 'the rows');
    assert.deepEqual((again.outcome as SqlCached).sources, [`${name}@1`]);
    // A body says nothing about other forms.
    assert.equal((await ask({ form: 'csv' })).bound, 1);
    assert.equal((await ask()).bound, 1);
    // Messages serve them all, and their body is kept from then on.
    const rendered = await ask({ form: 'ndjson' });
    assert.deepEqual([rendered.bound, rendered.outcome.kind, rendered.messages], [0, 'rows', 2]);
    assert.equal((await ask({ form: 'ndjson' })).outcome.kind, 'kept');
  });

  test('is in the history, in the log and in the metrics as any other', async () => {
    await scripted();
    await ask({ form: 'json' });
    const before = observations.length;
    const entries = ended.length;
    await ask({ form: 'json', id: 'mine' });
    await ask({ form: 'json', inHistory: false });
    const entry = ended.at(-1);
    assert.equal(ended.length, entries + 1);
    assert.deepEqual([entry?.queryId, entry?.state, entry?.rows, entry?.sql], ['mine', 'done', 4, 'FROM it']);
    const lines = observations.slice(before);
    const told = lines.flatMap((each) => (each.event === 'sql' ? [each] : []));
    assert.deepEqual(
      told.map((each) => [each.outcome, each.kind, each.rows, each.kept, each.queueMs]),
      [
        ['ok', 'query', 4, true, 0],
        ['ok', 'query', 4, true, 0],
      ],
    );
    assert.deepEqual(
      lines.flatMap((each) => (each.event === 'sql-answer' ? [each.hit] : [])),
      [true, true],
    );
  });

  test('takes one of the places of its tenant, from its arrival to the release', async () => {
    await scripted();
    await ask({ form: 'json' });
    queriesMax = 1;
    const request = { sql: 'FROM it', parameters: null, form: 'json' };
    const open = (await executeStatement(sql, openCaller, request, never)) as SqlCached;
    await refused(ask({ form: 'json' }), 'rate_limited');
    assert.equal((await sql.queries(openCaller)).length, 1);
    await open.release();
    assert.equal((await ask({ form: 'json' })).outcome.kind, 'kept');
  });

  test('runs again if its reader stopped before the end', async () => {
    await scripted();
    const rows = (await executeStatement(
      sql,
      openCaller,
      { sql: 'FROM it', parameters: null },
      never,
    )) as SqlRows;
    for await (const _ of rows.messages) break;
    await rows.release();
    assert.equal((await ask()).bound, 1);
    assert.equal((await ask()).bound, 0);
  });

  test('runs again if it failed', async () => {
    await scripted();
    const { script } = engine;
    engine.script = { ...script, failure: new FrameholdError('sql_failed', 'no') };
    await refused(ask(), 'sql_failed');
    engine.script = script;
    assert.equal((await ask()).bound, 1);
  });

  test('can be cancelled while its rows are read', async () => {
    await scripted();
    await ask();
    const request = { sql: 'FROM it', parameters: null, id: 'long' };
    const rows = (await executeStatement(sql, openCaller, request, never)) as SqlRows;
    const reader = rows.messages[Symbol.asyncIterator]();
    await reader.next();
    await sql.cancel(openCaller, 'long');
    await refused(reader.next(), 'query_cancelled');
    await rows.release();
  });

  test('runs again when stored bytes were found to be damaged', async () => {
    await scripted();
    await ask();
    kept.clear();
    assert.equal((await ask()).bound, 1);
  });
});

describe('an answer is for the versions that were read', () => {
  for (const mode of ['append', 'replace'] as const)
    test(`after a put with ${mode} the statement runs again`, async () => {
      const name = await scripted();
      await ask({ form: 'json' });
      await put(name, mode);
      const { bound, outcome } = await ask({ form: 'json' });
      assert.equal(bound, 1);
      assert.deepEqual((outcome as SqlRows).sources, [`${name}@2`]);
      assert.equal((await ask({ form: 'json' })).outcome.kind, 'kept');
    });

  test('after a restore it runs again, and an earlier version by its number is still known', async () => {
    const name = await scripted();
    await ask({ form: 'json' });
    await put(name, 'replace');
    await frames.restore(openCaller, name, { version: 1 }, never);
    const { bound, outcome } = await ask({ form: 'json' });
    assert.deepEqual([bound, (outcome as SqlRows).sources], [1, [`${name}@3`]]);
    engine.script = { shape: { tables: [`${name}@1`], repeats: 'rows' } };
    await ask({ sql: 'FROM first', form: 'json' });
    await put(name, 'append');
    assert.equal((await ask({ sql: 'FROM first', form: 'json' })).outcome.kind, 'kept');
  });

  test('a dropped frame is gone, and one that came back under its name is another', async () => {
    const name = await scripted();
    await ask({ form: 'json' });
    await frames.drop(openCaller, { name, version: null }, { ifVersion: null, purge: false }, never);
    await refused(ask({ form: 'json' }), 'frame_gone');
    await frames.undrop(openCaller, name, never);
    // The same rows, and another incarnation: links of the one before have ended.
    assert.equal((await ask({ form: 'json' })).bound, 1);
    await frames.drop(openCaller, { name, version: null }, { ifVersion: null, purge: true }, never);
    await refused(ask({ form: 'json' }), 'frame_gone');
    await put(name);
    const { bound, outcome } = await ask({ form: 'json' });
    assert.equal(bound, 1);
    assert.notEqual(outcome.kind, 'kept');
  });

  test('an expired frame is gone', async () => {
    const name = await scripted();
    await ask({ form: 'json' });
    await frames.expire(openCaller, name, { expires: { ttlMs: 5 } }, never);
    const by = Date.now() + 5;
    await eventually('its time is over', () => Date.now() > by);
    await refused(ask({ form: 'json' }), 'frame_gone');
  });
});

describe('what is checked for a run is checked for an answer', () => {
  test('the right to run statements, and to read', async () => {
    await scripted();
    await ask({ form: 'json' });
    const before = observations.length;
    await refused(ask({ form: 'json' }, { ...openCaller, scopes: new Set() }), 'access_denied');
    const line = observations.slice(before).find((each) => each.event === 'audit');
    assert.deepEqual([line?.action, line?.reason], ['sql.query', 'access_denied']);
  });

  test('a credential that ends while the frames are looked up gets nothing', async () => {
    await scripted();
    await ask({ form: 'json' });
    let asked = 0;
    const ending: Caller = { ...openCaller, isCurrent: () => ++asked < 4 };
    await refused(ask({ form: 'json' }, ending), 'unauthenticated');
    await refused(ask({ form: 'json' }, { ...openCaller, isCurrent: () => false }), 'unauthenticated');
  });

  test('another tenant has neither the frame nor the answer, also under equal names', async () => {
    const name = await scripted();
    await ask({ form: 'json' });
    const other: Caller = { ...openCaller, tenant: 'other' };
    await refused(ask({ form: 'json' }, other), 'frame_not_found');
    const target = { name, mode: 'create', format: 'arrow', originFormat: 'arrow' } as const;
    const session = await frames.beginPut(other, target, never);
    await session.write([table]);
    await session.finish();
    const theirs = await ask({ form: 'json' }, other);
    assert.deepEqual([theirs.bound, theirs.outcome.kind], [1, 'rows']);
    assert.equal((await ask({ form: 'json' }, other)).outcome.kind, 'kept');
  });

  test('an id that is in use is refused', async () => {
    await scripted();
    await ask({ form: 'json' });
    const request = { sql: 'FROM it', parameters: null, form: 'json', id: 'one' };
    const open = (await executeStatement(sql, openCaller, request, never)) as SqlCached;
    await refused(ask({ form: 'json', id: 'one' }), 'bad_request');
    await open.release();
  });

  test('a caller that has left gets nothing', async () => {
    await scripted();
    await ask();
    const left = AbortSignal.abort(new Error('left'));
    await refused(executeStatement(sql, openCaller, { sql: 'FROM it', parameters: null }, left), 'cancelled');
  });
});

describe('what is not kept', () => {
  test('a statement of which only the columns repeat, or nothing', async () => {
    for (const repeats of ['columns', undefined] as const) {
      const name = await scripted();
      engine.script = { shape: { tables: [name], ...(repeats === undefined ? {} : { repeats }) } };
      const text = `of ${repeats}`;
      for (let times = 0; times < 3; times++) assert.equal((await ask({ sql: text, form: 'json' })).bound, 1);
    }
  });

  test('rows that are put as a frame', async () => {
    const name = await scripted();
    await ask({ form: 'json' });
    const into = { name: `${name}_into`, mode: 'create' } as const;
    const { bound, outcome } = await ask({ form: 'json', into });
    assert.deepEqual([bound, outcome.kind], [1, 'changed']);
  });

  test('a statement over more frames than are worth looking up', async () => {
    const name = await scripted();
    const tables = [name, ...Array.from({ length: 16 }, (_, index) => `${name}@1${' '.repeat(index)}`)];
    engine.script = { shape: { tables: tables.map((each) => each.trimEnd()), repeats: 'rows' } };
    await ask({ sql: 'many', form: 'json' });
    assert.equal((await ask({ sql: 'many', form: 'json' })).bound, 1);
  });

  test('parameters of another type are other parameters', async () => {
    await scripted({ parameterCount: 1 });
    for (const value of [1n, 1, '1', 1.5, null]) {
      const parameters = { kind: 'json', values: [value] } as const;
      assert.equal((await ask({ form: 'json', parameters })).bound, 1);
      assert.equal((await ask({ form: 'json', parameters })).bound, 0);
    }
    assert.equal((await ask({ form: 'json' })).bound, 1);
  });
});

describe('what a statement gives', () => {
  async function describedBy(caller = openCaller, text = 'FROM it') {
    const before = engine.bound.length;
    const description = await describeStatement(sql, caller, text, never);
    return { description, bound: engine.bound.length - before };
  }

  test('is known the second time, with or without parameters, and after it was run', async () => {
    const name = await scripted({ repeats: 'columns', parameterCount: 1 });
    const first = await describedBy();
    const again = await describedBy();
    assert.deepEqual([first.bound, again.bound], [1, 0]);
    assert.deepEqual(again.description, first.description);
    engine.script = { shape: { tables: [name], repeats: 'columns' } };
    await ask({ sql: 'FROM it too' });
    const ran = await describedBy(openCaller, 'FROM it too');
    assert.deepEqual([ran.bound, ran.description], [0, first.description]);
  });

  test('is bound again over other versions', async () => {
    const name = await scripted();
    await describedBy();
    await put(name, 'append');
    assert.equal((await describedBy()).bound, 1);
    assert.equal((await describedBy()).bound, 0);
  });

  test('is bound each time if nothing repeats', async () => {
    await scripted();
    const { repeats: _, ...shape } = engine.script.shape ?? {};
    engine.script = { shape };
    await describedBy();
    assert.equal((await describedBy()).bound, 1);
  });

  test('is for those who may read the frames', async () => {
    const name = await scripted();
    await describedBy();
    await refused(describedBy({ ...openCaller, scopes: new Set() }), 'access_denied');
    await refused(describedBy({ ...openCaller, tenant: 'other' }), 'frame_not_found');
    await refused(describedBy({ ...openCaller, isCurrent: () => false }), 'unauthenticated');
    await frames.drop(openCaller, { name, version: null }, { ifVersion: null, purge: false }, never);
    await refused(describedBy(), 'frame_gone');
  });
});

describe('a statement that was just described', () => {
  async function described(text = 'FROM it'): Promise<number> {
    const before = engine.bound.length;
    await describeStatement(sql, openCaller, text, never);
    return engine.bound.length - before;
  }

  test('is not bound again for its rows, once', async () => {
    for (const repeats of ['rows', 'columns'] as const) {
      const name = await scripted({ repeats });
      assert.equal(await described(`${repeats} of it`), 1);
      const { bound, messages, outcome } = await ask({ sql: `${repeats} of it` });
      assert.deepEqual([bound, messages], [0, 2]);
      assert.deepEqual((outcome as SqlRows).sources, [`${name}@1`]);
      assert.equal((outcome as SqlRows).timings.queue, 0);
      const told = observations.findLast((each) => each.event === 'sql');
      assert.deepEqual([told?.outcome, told?.rows, told?.kept], ['ok', 4, undefined]);
    }
    assert.equal((await ask({ sql: 'columns of it' })).bound, 1);
  });

  test('is bound again if a frame has another version since', async () => {
    const name = await scripted();
    await described();
    await put(name, 'append');
    const { bound, outcome } = await ask();
    assert.deepEqual([bound, (outcome as SqlRows).sources], [1, [`${name}@2`]]);
  });

  test('is bound again after a while, and nothing of it stays open', async () => {
    await scripted();
    await described();
    assert.ok(store.openCount > 0 && engine.open === 1);
    await eventually('it is closed', () => store.openCount === 0 && engine.open === 0);
    assert.equal((await ask()).bound, 1);
  });

  test('is bound again with parameters, for another text, for another tenant', async () => {
    await scripted();
    await described();
    assert.equal((await ask({ parameters: { kind: 'json', values: [1n] } })).bound, 1);
    assert.equal((await ask({ sql: 'FROM it too' })).bound, 1);
    await refused(ask({}, { ...openCaller, tenant: 'other' }), 'frame_not_found');
    assert.equal((await ask()).bound, 0);
  });

  test('is closed if its caller may not read, has lost its credential, or finds the frame gone', async () => {
    const name = await scripted();
    await described();
    const isCurrent = () => false;
    await refused(ask({}, { ...openCaller, isCurrent }), 'unauthenticated');
    let asked = 0;
    await refused(ask({}, { ...openCaller, isCurrent: () => ++asked < 4 }), 'unauthenticated');
    kept = new StatementCache(0, observe);
    await described('FROM it again');
    await frames.drop(openCaller, { name, version: null }, { ifVersion: null, purge: false }, never);
    await refused(ask({ sql: 'FROM it again' }), 'frame_gone');
  });

  test('can be put as a frame, and cancelled', async () => {
    const name = await scripted();
    await described();
    const into = { name: `${name}_into`, mode: 'create' } as const;
    const { bound, outcome } = await ask({ into });
    assert.deepEqual([bound, outcome.kind], [0, 'changed']);
    await described('FROM another');
    const request = { sql: 'FROM another', parameters: null, id: 'stopped' };
    const rows = (await executeStatement(sql, openCaller, request, never)) as SqlRows;
    const reader = rows.messages[Symbol.asyncIterator]();
    await reader.next();
    await sql.cancel(openCaller, 'stopped');
    await refused(reader.next(), 'query_cancelled');
    await rows.release();
  });

  test('counts for its tenant as long as it has a place in the engine, and hands both over', async () => {
    await scripted();
    queriesMax = 1;
    await described();
    assert.equal(slots.count(openCaller.tenant), 1);
    const rows = (await executeStatement(
      sql,
      openCaller,
      { sql: 'FROM it', parameters: null },
      never,
    )) as SqlRows;
    assert.equal(slots.count(openCaller.tenant), 1);
    await refused(ask({ sql: 'FROM elsewhere' }), 'rate_limited');
    await rows.release();
    assert.equal(slots.count(openCaller.tenant), 0);
    await described('FROM another');
    await eventually('nobody comes for it', () => engine.open === 0);
    assert.equal(slots.count(openCaller.tenant), 0);
  });

  test('is given up as soon as its tenant, at its limit, sends something else', async () => {
    await scripted();
    queriesMax = 1;
    for (const text of ['FROM first', 'FROM second', 'FROM third']) {
      assert.equal(await described(text), 1);
      assert.deepEqual([slots.count(openCaller.tenant), engine.open], [1, 1], text);
    }
    const { bound } = await ask({ sql: 'FROM elsewhere' });
    assert.deepEqual([bound, slots.count(openCaller.tenant), engine.open], [1, 0, 0]);
    assert.equal((await ask({ sql: 'FROM third' })).bound, 1);
  });

  test('two descriptions leave one, and its caller who leaves ends it', async () => {
    await scripted();
    await Promise.all([described(), described()]);
    assert.equal(engine.open, 1);
    const left = new AbortController();
    const waiting = describeStatement(sql, openCaller, 'FROM elsewhere', left.signal);
    left.abort(new Error('left'));
    await assert.rejects(waiting);
  });
});

test('turned off, every statement runs', async () => {
  await scripted();
  const off = { ...core, sharing, engines, upstream, queries, slots, kept: new StatementCache(0, observe) };
  sql = new SqlService(off, { textBytesMax: 1_000, processesMax: () => 4 });
  for (let times = 0; times < 3; times++) {
    assert.equal((await ask({ form: 'json' })).bound, 1);
    assert.equal((await ask()).bound, 1);
  }
});
