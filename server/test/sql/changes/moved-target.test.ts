/** Statements that read what they change, and others who change it in between. */
import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, describe, test } from 'node:test';
import { MemoryQueries } from '../../../src/cluster/memory-queries.ts';
import type { PutTarget, VersionGuard } from '../../../src/frames/frames.ts';
import { PartTranscoding } from '../../../src/frames/parts/part-transcoding.ts';
import { numberGuard } from '../../../src/frames/writing/put-conditions.ts';
import { type Caller, openCaller } from '../../../src/model/caller.ts';
import { type ErrorKind, FrameholdError } from '../../../src/model/errors.ts';
import type { StatementShape, StatementTarget } from '../../../src/ports/engine.ts';
import { TenantEngines } from '../../../src/sql/engines.ts';
import type { SqlChange, SqlRequest } from '../../../src/sql/sql.ts';
import { SqlService } from '../../../src/sql/sql-service.ts';
import { ScratchCopies } from '../../../src/sql/tables/scratch-copies.ts';
import { TranscodedVersions } from '../../../src/sql/tables/transcoded-versions.ts';
import { openCore } from '../../frames/open-core.ts';
import { removeFolder, temporaryFolder } from '../../support/temporary-folder.ts';
import { executeStatement } from '../ask.ts';
import { columnN, ScriptedEngine } from '../scripted-engine.ts';

const never = new AbortController().signal;
const folder = temporaryFolder('moved-target');
const engine = new ScriptedEngine(columnN);
const queries = new MemoryQueries(Date.now);
const core = await openCore(folder);
const { frames, store } = core;
const scratch = new ScratchCopies(core);
const versions = new TranscodedVersions({ ...core, transcoding: new PartTranscoding(core), scratch });
const engines = new TenantEngines({ name: 'duckdb', engine, versions, results: null });
const absent = async () => {
  throw new FrameholdError('tsdb_not_configured', 'none');
};
const others = { sharing: { sharedWithMe: async () => [] }, upstream: { fetch: absent, describe: absent } };
const sql = new SqlService(
  { ...core, ...others, engines, queries },
  { textBytesMax: 1_000, processesMax: () => 4 },
);

after(async () => {
  await scratch.close();
  await core.close();
  removeFolder(folder);
});

let name: string;
let names = 0;
beforeEach(async () => {
  name = `f${names++}`;
  await put('replace');
});
afterEach(async () => {
  assert.equal(store.openCount, 0, 'something is still open');
  assert.equal(engine.open, 0, 'a statement still has its place');
  assert.deepEqual(await sql.queries(openCaller), [], 'a statement is still listed');
});

async function put(mode: PutTarget['mode'], csv = 'n\n1\n', caller: Caller = openCaller): Promise<void> {
  const target = { name, mode, format: 'csv', originFormat: 'csv' } as const;
  const session = await frames.beginPut(caller, target, never);
  await session.write([Buffer.from(csv)]);
  await session.finish();
}

const append = () => put('append');
const drop = () => frames.drop(openCaller, { name, version: null }, { ifVersion: null, purge: false }, never);
const newest = () => frames.resolve(openCaller, { name, version: null }, never);

/** The statement reads these; `meanwhile` happens after that, in each of its runs: before it runs, or while it gives rows. */
function script(
  kind: 'create' | 'insert' | 'query',
  tables: readonly string[],
  meanwhile: (run: number) => Promise<void> | void = () => {},
  when: 'bind' | 'run' = 'bind',
): void {
  const target: StatementTarget = { name, orReplace: true, conditional: false, columns: null, byName: false };
  const shape: Partial<StatementShape> = { kind, target: kind === 'query' ? null : target, tables };
  let runs = 0;
  engine.bound.length = 0;
  engine.script = { shape, [when]: () => meanwhile(++runs) };
}

async function run(request: Partial<SqlRequest> = {}): Promise<SqlChange> {
  const outcome = await executeStatement(
    sql,
    openCaller,
    { sql: 'as scripted', parameters: null, ...request },
    never,
  );
  assert.equal(outcome.kind, 'changed');
  return outcome as SqlChange;
}

async function refused(work: Promise<unknown>, kind: ErrorKind): Promise<FrameholdError> {
  let thrown: unknown;
  await assert.rejects(work, (error) => {
    thrown = error;
    return error instanceof FrameholdError && error.kind === kind;
  });
  return thrown as FrameholdError;
}

const ifFirst = (work: () => Promise<void>) => (number: number) => (number === 1 ? work() : undefined);
const runs = () => engine.bound.length;

/** What was read last, and what came of it. */
async function outcome({ record, rows }: SqlChange): Promise<unknown> {
  const { version } = await newest();
  return { runs: runs(), sources: record?.origin.query?.sources, rows, made: record?.version, version };
}

describe('runs again over what was put in between', () => {
  const ways = {
    'CREATE OR REPLACE TABLE t … FROM t': { kind: 'create' },
    'INSERT INTO t … FROM t': { kind: 'insert' },
    'into t, replacing it': { kind: 'query', into: 'replace' },
    'into t, appending to it': { kind: 'query', into: 'append' },
  } as const;
  for (const [title, way] of Object.entries(ways))
    for (const when of ['bind', 'run'] as const)
      test(`${title}, ${when === 'bind' ? 'before it runs' : 'while its rows are put'}`, async () => {
        script(way.kind, [name], ifFirst(append), when);
        const change = await run('into' in way ? { into: { name, mode: way.into } } : {});
        assert.deepEqual(await outcome(change), {
          runs: 2,
          sources: [`${name}@2`],
          rows: 2,
          made: 3,
          version: 3,
        });
      });

  test('under another spelling, and with the tenant before it', async () => {
    for (const written of [name.toUpperCase(), `${openCaller.tenant}:${name}`]) {
      script('create', [written], ifFirst(append));
      await run();
      assert.equal(runs(), 2, written);
    }
  });

  test('if another has given the frame other columns: what does not fit any more is made anew', async () => {
    // The engine gives what it gives: the second run fails to fit, and says so.
    script(
      'insert',
      [name],
      ifFirst(() => put('replace', 'other\nx\n')),
    );
    await refused(run(), 'schema_conflict');
    assert.equal(runs(), 2);
    assert.equal((await newest()).version, 2);
  });

  test('if the frame was dropped and made again', async () => {
    script(
      'create',
      [name],
      ifFirst(async () => {
        await drop();
        await put('create');
      }),
    );
    assert.deepEqual(await outcome(await run()), {
      runs: 2,
      sources: [`${name}@2`],
      rows: 2,
      made: 3,
      version: 3,
    });
  });

  test('if the name, written twice, was found at two versions', async () => {
    const resolve = frames.resolve.bind(frames);
    let asked = 0;
    // The second of the two look-ups of the first run comes after an append.
    frames.resolve = async (caller, handle, signal) => {
      if (handle.name === name && handle.tenant !== undefined && ++asked === 1) await append();
      return resolve(caller, handle, signal);
    };
    try {
      script('query', [name, `${openCaller.tenant}:${name}`]);
      const change = await run({ into: { name, mode: 'replace' } });
      assert.deepEqual(await outcome(change), {
        runs: 2,
        sources: [`${name}@2`],
        rows: 2,
        made: 3,
        version: 3,
      });
    } finally {
      frames.resolve = resolve;
    }
  });
});

describe('runs once', () => {
  test('over a version that is named, whatever is put meanwhile', async () => {
    script('create', [`${name}@1`], append);
    assert.deepEqual(await outcome(await run()), {
      runs: 1,
      sources: [`${name}@1`],
      rows: 2,
      made: 3,
      version: 3,
    });
  });

  test('if it reads other frames, or the same name of another tenant', async () => {
    script('create', [], append);
    await run();
    assert.equal(runs(), 1);
    const other = { ...openCaller, tenant: 'other' };
    await put('replace', 'n\n1\n', other);
    await core.catalog.share('other', name, openCaller.tenant, Date.now());
    script('create', [`other:${name}`], append);
    await run();
    assert.equal(runs(), 1);
  });

  test('if nothing happens meanwhile, and if another tenant changes its frame of this name', async () => {
    script('create', [name], () => put('replace', 'n\n1\n', { ...openCaller, tenant: 'other' }));
    await run();
    assert.equal(runs(), 1);
  });

  test('with If-Match: version_mismatch', async () => {
    script('create', [name], append);
    await refused(run({ conditions: { ifMatch: numberGuard(1) } }), 'version_mismatch');
    assert.equal(runs(), 1);
    assert.equal((await newest()).version, 2);
  });
});

describe('stores nothing', () => {
  test('after four runs, each of which met a change: write_conflict', async () => {
    script('create', [name], append);
    const error = await refused(run(), 'write_conflict');
    assert.match(error.message, new RegExp(`"${name}".*it has run 4 times`));
    assert.equal(runs(), 4);
    const { version, rows } = await newest();
    assert.deepEqual([version, rows], [5, 5]);
    assert.equal(core.ended.at(-1)?.error?.code, 'write_conflict');
  });

  test('if the time of the statement is over before it has won: write_conflict', async () => {
    script('create', [name], async (number) => {
      if (number > 1) throw new FrameholdError('sql_timeout', 'too long');
      await append();
    });
    const error = await refused(run(), 'write_conflict');
    assert.match(error.message, /it has run 2 times; its time limit left no more/);
    assert.deepEqual(engine.workedBefore.slice(-2), [0, 10], 'the first run counts');
  });

  test('if the first run takes too long: sql_timeout', async () => {
    script('create', [name], () => {
      throw new FrameholdError('sql_timeout', 'too long');
    });
    await refused(run(), 'sql_timeout');
    assert.equal(runs(), 1);
  });

  test('if the frame was dropped meanwhile: it is gone', async () => {
    for (const kind of ['create', 'insert'] as const)
      for (const when of ['bind', 'run'] as const) {
        script(kind, [name], drop, when);
        await refused(run(), 'frame_gone');
        await refused(newest(), 'frame_gone');
        await put('create');
      }
  });

  test('if there is no such frame: it cannot be read', async () => {
    await drop();
    script('create', [name]);
    await refused(run(), 'frame_gone');
    name = 'never_made';
    script('create', [name]);
    await refused(run(), 'frame_not_found');
  });

  test('if it is cancelled between two runs', async () => {
    const leaving = new AbortController();
    script('create', [name], async (number) => {
      if (number === 2) leaving.abort();
      await append();
    });
    const request = { sql: 'as scripted', parameters: null };
    await refused(executeStatement(sql, openCaller, request, leaving.signal), 'cancelled');
    assert.equal((await newest()).version, 3);
  });
});

describe('conditions', () => {
  const stale: VersionGuard = numberGuard(7);

  test('If-Match is about what is changed', async () => {
    script('create', []);
    await refused(run({ conditions: { ifMatch: stale } }), 'version_mismatch');
    assert.equal((await run({ conditions: { ifMatch: numberGuard(1) } })).record?.version, 2);
    script('insert', []);
    await refused(run({ conditions: { ifMatch: numberGuard(1) } }), 'version_mismatch');
    assert.equal((await run({ conditions: { ifMatch: numberGuard(2) } })).record?.version, 3);
    script('query', []);
    const into = { name, mode: 'replace' } as const;
    await refused(run({ into, conditions: { ifMatch: numberGuard(2) } }), 'version_mismatch');
    assert.equal((await run({ into, conditions: { ifMatch: numberGuard(3) } })).record?.version, 4);
    const minted = { name: null, mode: 'create' } as const;
    await refused(run({ into: minted, conditions: { ifMatch: numberGuard(1) } }), 'version_mismatch');
  });

  test('a name that must be free', async () => {
    const conditions = { createOnly: true } as const;
    for (const kind of ['create', 'insert'] as const) {
      script(kind, []);
      await refused(run({ conditions }), 'frame_exists');
    }
    script('query', []);
    await refused(run({ into: { name, mode: 'replace' }, conditions }), 'frame_exists');
    name = `free${names++}`;
    script('create', []);
    assert.equal((await run({ conditions })).record?.version, 1);
  });

  test('a key: the statement has one effect, also if its frame is gone since', async () => {
    const conditions = { idempotencyKey: `key of ${name}`.replaceAll(' ', '-') };
    script('insert', [name]);
    const first = await run({ conditions });
    await append();
    await drop();
    const again = await run({ conditions });
    assert.deepEqual([again.rows, again.record?.version], [first.rows, first.record?.version]);
    assert.deepEqual([first.rows, first.record?.rows, runs()], [2, 3, 1]);
    await refused(run({ conditions, sql: 'another' }), 'idempotency_conflict');
    const parameters = { kind: 'json', values: [1n] } as const;
    await refused(run({ conditions, parameters }), 'idempotency_conflict');
    await refused(run({ conditions: { ...conditions, ifMatch: numberGuard(1) } }), 'idempotency_conflict');
    script('query', []);
    const into = { name, mode: 'replace' } as const;
    await refused(run({ into, conditions }), 'idempotency_conflict');
  });

  test('a key whose first request has not ended yet: one effect, one answer', async () => {
    const conditions = { idempotencyKey: `racing-${name}` };
    script('insert', []);
    const changes = await Promise.all(Array.from({ length: 4 }, () => run({ conditions })));
    assert.deepEqual(
      new Set(changes.map(({ rows, record }) => `${rows} ${record?.version} ${record?.rows}`)),
      new Set(['2 2 3']),
    );
    assert.equal((await newest()).version, 2);
  });

  test('a key whose first request ends while the second looks whether the name is free', async () => {
    name = `new${names++}`;
    const conditions = { idempotencyKey: `late-${name}`, createOnly: true } as const;
    const resolve = frames.resolve.bind(frames);
    let isFirst = true;
    frames.resolve = async (caller, handle, signal) => {
      if (isFirst) {
        isFirst = false;
        await run({ conditions });
      }
      return resolve(caller, handle, signal);
    };
    try {
      script('create', []);
      assert.equal((await run({ conditions })).record?.version, 1);
      assert.equal((await newest()).version, 1);
    } finally {
      frames.resolve = resolve;
    }
  });

  test('a statement that changes nothing has none', async () => {
    script('query', [name]);
    for (const conditions of [
      { ifMatch: numberGuard(1) },
      { createOnly: true },
      { idempotencyKey: 'k' },
    ] as const)
      await refused(run({ conditions }), 'bad_request');
    engine.script = { shape: { kind: 'explain' } };
    await refused(run({ conditions: { idempotencyKey: 'k' } }), 'bad_request');
  });

  test('DROP TABLE takes the version, and no key', async () => {
    const target = { name, orReplace: false, conditional: true, columns: null, byName: false };
    engine.script = { shape: { kind: 'drop', target } };
    await refused(run({ conditions: { idempotencyKey: 'k' } }), 'bad_request');
    await refused(run({ conditions: { createOnly: true } }), 'frame_exists');
    await refused(run({ conditions: { ifMatch: stale } }), 'version_mismatch');
    await run({ conditions: { ifMatch: numberGuard(1) } });
    await refused(newest(), 'frame_gone');
    await refused(run({ conditions: { ifMatch: numberGuard(1) } }), 'version_mismatch');
  });
});
