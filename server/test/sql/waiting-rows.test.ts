/** Rows that are taken in portions, as with a cursor, and wait between two of them. */
import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, describe, type TestContext, test } from 'node:test';
import { MemoryQueries } from '../../src/cluster/memory-queries.ts';
import { ProcessEngine } from '../../src/engine/process-engine.ts';
import { type Caller, openCaller } from '../../src/model/caller.ts';
import { type ErrorKind, FrameholdError } from '../../src/model/errors.ts';
import { TenantSlots } from '../../src/model/limits/tenant-slots.ts';
import type { Engine } from '../../src/ports/engine.ts';
import type { IpcMessage } from '../../src/ports/renderer.ts';
import { TenantEngines } from '../../src/sql/engines.ts';
import type { SqlRows } from '../../src/sql/sql.ts';
import { SqlService } from '../../src/sql/sql-service.ts';
import { rowsWaitMsMax, rowsWaitMsMin, WaitingRows } from '../../src/sql/waiting-rows.ts';
import { poolOptions } from '../engine/sample-pool.ts';
import { openCore } from '../frames/open-core.ts';
import { removeFolder, temporaryFolder } from '../support/temporary-folder.ts';
import { executeStatement } from './ask.ts';
import { columnN, ScriptedEngine } from './scripted-engine.ts';

const never = new AbortController().signal;
const folder = temporaryFolder('waiting-rows');
const core = await openCore(folder);
const queries = new MemoryQueries(Date.now);
const scripted = new ScriptedEngine(columnN);
const absent = async () => {
  throw new FrameholdError('tsdb_not_configured', 'none');
};
let slots: TenantSlots;
let queriesMax: number | null = null;
let sql: SqlService;

after(async () => {
  await core.close();
  removeFolder(folder);
});
beforeEach(() => {
  queriesMax = null;
  slots = new TenantSlots('queries', () => queriesMax);
  sql = serviceOver(scripted);
  scripted.script = { batches: 4 };
});
afterEach(async () => {
  assert.equal(scripted.open, 0, 'a statement is still open');
  assert.equal(slots.count('default'), 0, 'a slot is still taken');
  assert.deepEqual(await sql.queries(openCaller), []);
});

function serviceOver(engine: Engine, processesMax = 4): SqlService {
  const versions = { open: () => Promise.reject(new Error('no frame is read')) };
  const engines = new TenantEngines({ name: 'duckdb', engine, versions, results: null });
  const upstream = { fetch: absent, describe: absent };
  const sharing = { sharedWithMe: async () => [] };
  const dependencies = { ...core, slots, sharing, engines, upstream, queries };
  return new SqlService(dependencies, { textBytesMax: 1_000, processesMax: () => processesMax });
}

interface Cursor {
  readonly rows: SqlRows;
  /** null: there are no more. */
  next(): Promise<IpcMessage | null>;
  wait(): () => void;
}

/** Its first portion was taken. */
async function cursor(id: string, caller: Caller = openCaller, text = 'as scripted'): Promise<Cursor> {
  const outcome = await executeStatement(sql, caller, { sql: text, parameters: null, id }, never);
  assert.equal(outcome.kind, 'rows');
  const rows = outcome as SqlRows;
  const reader = rows.messages[Symbol.asyncIterator]();
  await reader.next();
  const wait = () => {
    assert.ok(rows.wait);
    return rows.wait();
  };
  return { rows, wait, next: async () => (await reader.next()).value ?? null };
}

async function refused(work: Promise<unknown>, kind: ErrorKind): Promise<void> {
  await assert.rejects(work, (error) => error instanceof FrameholdError && error.kind === kind);
}

function withTime(context: TestContext): (ms: number) => void {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  return (ms) => context.mock.timers.tick(ms);
}

const closedFor = (why: RegExp) => ({ kind: 'query_cancelled', message: why, hint: /\w/ });

describe('rows that wait', () => {
  test('go on where they were, as often as their reader pauses', async (context) => {
    const pass = withTime(context);
    const { rows, next, wait } = await cursor('often');
    for (let portions = 0; portions < 3; portions++) {
      const resume = wait();
      assert.deepEqual([slots.count('default'), scripted.open], [1, 1]);
      pass(rowsWaitMsMax - 1);
      resume();
      assert.ok(await next());
    }
    assert.equal(await next(), null);
    // Nothing but its slot is held any more, and it may still pause.
    assert.equal(scripted.open, 0);
    const resume = wait();
    pass(rowsWaitMsMax);
    resume();
    await rows.release();
  });

  test('are closed after five minutes, and the next portion says so', async (context) => {
    const pass = withTime(context);
    const { rows, next, wait } = await cursor('late');
    const resume = wait();
    pass(rowsWaitMsMax);
    assert.equal(slots.count('default'), 0);
    assert.throws(resume, closedFor(/waited for more than 5 minutes/));
    await refused(next(), 'query_cancelled');
    await rows.release();
    const state = await sql.query(openCaller, 'late');
    assert.equal(state.state === 'failed' && state.kind, 'query_cancelled');
    assert.equal(core.ended.at(-1)?.state, 'cancelled');
  });

  test('are given up for a statement that waits for their process, not before five seconds', async (context) => {
    const pass = withTime(context);
    const { rows, next, wait } = await cursor('wanted');
    const before = scripted.spare.length;
    wait()();
    pass(rowsWaitMsMin);
    assert.equal(scripted.spare.length, before);
    const resume = wait();
    pass(rowsWaitMsMin);
    const giveUp = scripted.spare.at(-1);
    assert.equal(giveUp?.(), true);
    assert.equal(giveUp?.(), false);
    assert.throws(resume, closedFor(/waited for more than 5 seconds.*another statement/));
    await refused(next(), 'query_cancelled');
    await rows.release();
  });

  test('are not given up while they are read', async (context) => {
    const pass = withTime(context);
    const { rows, next, wait } = await cursor('read');
    const resume = wait();
    pass(rowsWaitMsMin);
    resume();
    assert.equal(scripted.spare.at(-1)?.(), false);
    assert.ok(await next());
    await rows.release();
  });

  test('are given up for the slot of their tenant, not before five seconds', async (context) => {
    const pass = withTime(context);
    queriesMax = 1;
    const first = await cursor('first');
    const resume = first.wait();
    await refused(cursor('second'), 'rate_limited');
    pass(rowsWaitMsMin);
    const second = await cursor('second');
    assert.throws(resume, closedFor(/their slot of the tenant/));
    assert.equal(slots.count('default'), 1);
    await first.rows.release();
    assert.equal(slots.count('default'), 1);
    await second.rows.release();
  });

  test('are closed when their caller leaves, and when they are cancelled', async (context) => {
    withTime(context);
    const { rows, wait } = await cursor('stopped');
    wait();
    await sql.cancel(openCaller, 'stopped');
    await rows.release();
  });

  test('are two of a tenant with four processes: the one that has waited longest is closed', async (context) => {
    withTime(context);
    const open = await Promise.all(['one', 'two', 'three'].map((id) => cursor(id)));
    const [one, two, three] = open.map((each) => each.wait());
    assert.throws(() => one?.(), closedFor(/at most 2 of the tenant may wait/));
    two?.();
    three?.();
    for (const { rows } of open) await rows.release();
  });
});

test('all tenants leave one process, and the tenant with most makes way', () => {
  const waiting = new WaitingRows(() => 6);
  const closed: string[] = [];
  const ends = ['a1', 'b1', 'a2', 'a3', 'b2', 'c1', 'c2'].map((name) => {
    const end: () => void = waiting.begin(name.slice(0, 1), () => {
      closed.push(name);
      end();
    });
    return end;
  });
  assert.deepEqual(closed, ['a1', 'a2']);
  for (const end of ends) end();
  for (const end of ends) end();
  for (const name of ['d1', 'd2', 'd3']) waiting.begin('d', () => closed.push(name));
  assert.deepEqual(closed, ['a1', 'a2']);
});

test('a statement that finds every process taken gets that of rows that wait', async () => {
  const tempDirectory = temporaryFolder('waiting-rows-engine');
  const { module: _, ...options } = poolOptions(tempDirectory);
  const engine = await ProcessEngine.open({ ...options, processesMax: 1 });
  try {
    sql = serviceOver(engine, 1);
    const many = await cursor('many', openCaller, 'SELECT range AS n FROM range(30000000)');
    const resume = many.wait();
    const since = performance.now();
    const other: Caller = { ...openCaller, tenant: 'other' };
    const second = await cursor('second', other, 'SELECT 1 AS n');
    assert.ok(performance.now() - since >= rowsWaitMsMin - 100);
    await second.rows.release();
    assert.throws(resume, closedFor(/another statement/));
    await refused(many.next(), 'query_cancelled');
    await many.rows.release();
    assert.equal(engine.running, 0);
  } finally {
    await engine.close();
    removeFolder(tempDirectory);
  }
});
