import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Engine, EngineStatement, EngineTable, StatementParameters } from '../../src/ports/engine.ts';
import { upstreamTable } from '../../src/ports/engine.ts';
import { assertTook, machinePace } from '../support/machine-pace.ts';
import { timePasses } from '../support/passing-time.ts';
import { arrowBytes } from '../support/python.ts';
import { removeFolder, temporaryFolder } from '../support/temporary-folder.ts';
import type { EngineDialect, EngineLimits } from './engine-dialect.ts';
import { parquetTable } from './parquet-table.ts';
import { readRows, schemaOf } from './read-rows.ts';

const limits: EngineLimits = {
  places: 2,
  queueMax: 100,
  queueWaitMs: 60_000,
  // Tests of this limit set their own: others may run on a machine that is busy.
  timeoutMs: 600_000,
  memoryBytes: 256 * 1024 ** 2,
};

const never = () => new AbortController().signal;

interface Whole {
  readonly names: readonly string[];
  readonly rows: readonly unknown[][];
}

async function whole(
  engine: Pick<Engine, 'begin'>,
  sql: string,
  tables: readonly EngineTable[] = [],
  parameters: StatementParameters | null = null,
  insertInto: Uint8Array | null = null,
): Promise<Whole> {
  const statement = await engine.begin(sql, 'acme', never());
  try {
    const given = tablesOf(statement, tables);
    const { schemaMessage } = await statement.bind({ tables: given, insertInto, parameters });
    const rows: unknown[][] = [];
    for await (const row of readRows(schemaMessage, statement.run(parameters))) rows.push(row);
    return { names: schemaOf(schemaMessage).fields.map(({ name }) => name), rows };
  } finally {
    await statement.close();
  }
}

/** Those that the statement reads. */
function tablesOf({ shape }: EngineStatement, tables: readonly EngineTable[]): readonly EngineTable[] {
  const names = shape.tables.map((name) => name.toLowerCase());
  const count = shape.upstreamQueries.length;
  const upstream = Array.from({ length: count }, (_, index) => upstreamTable(index));
  return tables.filter(({ name }) => [...names, ...upstream].includes(name));
}

/** As `whole`, when the shape of the text is known. */
async function wholeAgain(engine: Engine, sql: string, tables: readonly EngineTable[]): Promise<Whole> {
  const known = await shapeOf(engine, sql);
  const begin: Engine['begin'] = (text, tenant, signal) => engine.begin(text, tenant, signal, { known });
  return whole({ begin }, sql, tables);
}

async function shapeOf(engine: Engine, sql: string): Promise<EngineStatement['shape']> {
  const statement = await engine.begin(sql, 'acme', never());
  await statement.close();
  return statement.shape;
}

/** What every engine must do. `open` gives a new one with these limits. */
export function engineConformance(
  name: string,
  dialect: EngineDialect,
  open: (limits: EngineLimits) => Promise<Engine>,
): void {
  const { longQuery, endlessRows, offers } = dialect;
  describe(`engine: ${name}`, () => {
    const folder = temporaryFolder('conformance');
    let engine: Engine;
    let numbers: EngineTable;
    let people: EngineTable;

    const bindTables = (statement: EngineStatement) =>
      statement.bind({ tables: tablesOf(statement, [numbers, people]), insertInto: null });

    const withLimits = async (some: Partial<EngineLimits>, work: (engine: Engine) => Promise<void>) => {
      const other = await open({ ...limits, ...some });
      try {
        await work(other);
      } finally {
        await other.close();
      }
    };

    before(async () => {
      engine = await open(limits);
      const columns = 'range::BIGINT AS id, range / 4 AS share';
      numbers = await parquetTable(
        folder,
        'numbers',
        `SELECT ${columns} FROM range(0, 1000)`,
        `SELECT ${columns} FROM range(1000, 100000)`,
      );
      people = await parquetTable(
        folder,
        'people',
        "SELECT 1::BIGINT AS id, 'Ada' AS name UNION ALL SELECT 2, NULL UNION ALL SELECT 3, 'Grete'",
      );
    });

    after(async () => {
      await engine.close();
      removeFolder(folder);
    });

    it('says of a query what it reads, each table once, common table expressions not', async () => {
      const sql =
        'WITH c AS (SELECT * FROM people) SELECT * FROM c JOIN numbers n USING (id) JOIN People USING (id)';
      const shape = await shapeOf(engine, sql);
      assert.equal(shape.kind, 'query');
      assert.equal(shape.target, null);
      assert.deepEqual(shape.tables.map((table) => table.toLowerCase()).sort(), ['numbers', 'people']);
      assert.equal(shape.parameterCount, 0);
    });

    it('says of a statement that changes something what that is', async () => {
      const target = { orReplace: false, conditional: false, columns: null, byName: false };
      const cases = [
        ['CREATE TABLE t AS SELECT 1 AS a', 'create', { ...target, name: 't' }],
        ['CREATE OR REPLACE TABLE t AS SELECT 1 AS a', 'create', { ...target, name: 't', orReplace: true }],
        [
          'CREATE TABLE IF NOT EXISTS "T t" AS SELECT 1',
          'create',
          { ...target, name: 'T t', conditional: true },
        ],
        ['INSERT INTO t SELECT 1', 'insert', { ...target, name: 't' }],
        ['INSERT INTO t (a, "B b") VALUES (1, 2)', 'insert', { ...target, name: 't', columns: ['a', 'B b'] }],
        ['INSERT INTO t BY NAME SELECT 1 AS a', 'insert', { ...target, name: 't', byName: true }],
        ['DROP TABLE t', 'drop', { ...target, name: 't' }],
        ['DROP TABLE IF EXISTS t', 'drop', { ...target, name: 't', conditional: true }],
      ] as const;
      for (const [sql, kind, wanted] of cases) {
        if (!offers.changes) {
          await assert.rejects(engine.begin(sql, 'acme', never()), { kind: 'sql_refused', hint: /./ }, sql);
          continue;
        }
        const shape = await shapeOf(engine, sql);
        assert.deepEqual([shape.kind, shape.target], [kind, wanted], sql);
      }
      const explained = shapeOf(engine, 'EXPLAIN SELECT 1');
      if (offers.changes) assert.equal((await explained).kind, 'explain');
      else await assert.rejects(explained, { kind: 'sql_refused' });
    });

    it('refuses what does not parse, what is not one statement, and what no statement may', async () => {
      for (const sql of ['SELEC 1', 'SELECT (', ''])
        await assert.rejects(engine.begin(sql, 'acme', never()), { kind: 'sql_invalid' }, sql);
      for (const sql of ['SELECT 1; SELECT 2', ...dialect.refused])
        await assert.rejects(engine.begin(sql, 'acme', never()), { kind: 'sql_refused' }, sql);
    });

    it('reads every row of tables of several files, in their order if it offers that, and joins them', async () => {
      const { names, rows } = await whole(
        engine,
        'SELECT n.id, name, share FROM numbers n JOIN people USING (id) ORDER BY 1',
        [numbers, people],
      );
      assert.deepEqual(names, ['id', 'name', 'share']);
      assert.deepEqual(rows, [
        ['1', 'Ada', 0.25],
        ['2', null, 0.5],
        ['3', 'Grete', 0.75],
      ]);
      const all = await whole(engine, 'SELECT id FROM numbers', [numbers]);
      assert.equal(all.rows.length, 100_000);
      const ids = all.rows.map(([id]) => Number(id));
      if (!offers.fileOrder) ids.sort((a, b) => a - b);
      for (const [index, id] of ids.entries()) assert.equal(id, index);
    });

    it('knows its functions and keywords, each once, and offers none that it refuses', async () => {
      const { functions, keywords } = await engine.vocabulary(never());
      const names = functions.map(({ kind, name }) => `${kind} ${name}`);
      for (const name of ['aggregate sum', 'aggregate count', 'scalar lower'])
        assert.ok(names.includes(name), name);
      assert.equal(new Set(names).size, names.length);
      assert.ok(keywords.includes('SELECT'));
      assert.deepEqual(keywords, [...new Set(keywords)].sort());
      // Whether it may be called shows before whether its arguments fit.
      for (const { name, kind } of functions.filter((_, index) => index % 20 === 0)) {
        const sql = kind === 'table' ? `SELECT * FROM ${name}()` : `SELECT ${name}()`;
        await (await engine.begin(sql, 'acme', never())).close();
      }
    });

    it('gives the schema of no rows', async () => {
      const { names, rows } = await whole(engine, 'SELECT id, name FROM people WHERE false', [people]);
      assert.deepEqual([names, rows], [['id', 'name'], []]);
    });

    it('knows no table that it was not given, nor one of the statement before', async () => {
      await whole(engine, 'SELECT * FROM people', [people]);
      await assert.rejects(whole(engine, 'SELECT * FROM people'), { kind: 'sql_invalid' });
      await assert.rejects(whole(engine, 'SELECT no_such FROM people', [people]), { kind: 'sql_invalid' });
    });

    it('gives the same for a text whose shape is known, and checks the tables as for any other', async () => {
      const sql = 'SELECT id, name FROM people ORDER BY id';
      assert.deepEqual(await wholeAgain(engine, sql, [people]), await whole(engine, sql, [people]));
      await assert.rejects(wholeAgain(engine, sql, []), { kind: 'sql_invalid' });
    });

    it('takes an upstream query as a table that replaces it', async () => {
      const sql = dialect.upstreamTwice;
      if (!offers.upstream) {
        await assert.rejects(engine.begin(sql, 'acme', never()), { kind: 'sql_refused', hint: /./ });
        return;
      }
      assert.deepEqual((await shapeOf(engine, sql)).upstreamQueries, ['select x']);
      const { rows } = await whole(engine, sql, [{ ...people, name: upstreamTable(0) }]);
      assert.equal(rows.length, 3);
    });

    it('binds parameters by position and by name, and reports their types', async () => {
      const [first, second] = [dialect.parameter(1), dialect.parameter(2)];
      const sql = `SELECT name FROM people WHERE id = ${first} OR name = ${second} ORDER BY id`;
      const statement = await engine.begin(sql, 'acme', never());
      assert.equal(statement.shape.parameterCount, 2);
      const bound = await statement.bind({ tables: [people], insertInto: null });
      await statement.close();
      assert.deepEqual(
        schemaOf(bound.parameterSchemaMessage).fields.map((field) => field.type.kind),
        offers.parameterTypes ? ['int', 'utf8'] : ['null', 'null'],
      );
      assert.deepEqual(
        schemaOf(bound.schemaMessage).fields.map((field) => [field.name, field.type.kind]),
        [['name', 'utf8']],
      );
      const byPlace = await whole(engine, sql, [people], { kind: 'json', values: [1n, 'Grete'] });
      assert.deepEqual(byPlace.rows, [['Ada'], ['Grete']]);
      const byName = await whole(engine, dialect.namedParameters, [], {
        kind: 'json',
        values: { a: 40n, b: 2n },
      });
      assert.deepEqual(byName.rows, [['42']]);
      await assert.rejects(whole(engine, sql, [people], { kind: 'json', values: [1n] }), {
        kind: 'sql_invalid',
      });
    });

    it('a text that is a parameter is never read as SQL', async () => {
      const sql = `SELECT name FROM people WHERE name = ${dialect.parameter(1)}`;
      for (const text of ["x' OR '1' = '1", "\\' OR 1 = 1 --", '-- ', '/*', "''", `\${x}`, 'Ada\0'])
        assert.deepEqual((await whole(engine, sql, [people], { kind: 'json', values: [text] })).rows, []);
    });

    it('runs once for each row of parameters, and the results follow each other', async () => {
      const { two, none } = await arrowBytes({
        two: "pa.table({'p': pa.array([3, 1], pa.int64())})",
        none: "pa.table({'p': pa.array([], pa.int64())})",
      });
      const sql = `SELECT id, name FROM people WHERE id = ${dialect.parameter(1)}`;
      const both = await whole(engine, sql, [people], { kind: 'arrow', stream: two });
      assert.deepEqual(both.rows, [
        ['3', 'Grete'],
        ['1', 'Ada'],
      ]);
      const empty = await whole(engine, sql, [people], { kind: 'arrow', stream: none });
      assert.deepEqual(empty, { names: ['id', 'name'], rows: [] });
    });

    it('gives the rows of an INSERT in the schema of its table', { skip: !offers.changes }, async () => {
      const { names, rows } = await whole(
        engine,
        "INSERT INTO people (name) VALUES ('Bo')",
        [],
        null,
        people.schemaMessage,
      );
      assert.deepEqual([names, rows], [['id', 'name'], [[null, 'Bo']]]);
    });

    it('an error in mid-stream is an error, never a short result', async () => {
      const { failsInTable, failsLate } = dialect;
      await assert.rejects(whole(engine, failsInTable, [numbers]), { kind: 'sql_failed', message: /'x'/ });
      await assert.rejects(whole(engine, failsLate, [numbers]), { kind: 'sql_failed', message: /'x'/ });
      assert.equal((await whole(engine, 'SELECT 1')).rows.length, 1);
    });

    it('a caller that leaves in mid-stream gets its own reason, and the place is free soon', async () => {
      await withLimits({ places: 1 }, async (one) => {
        for (const sql of [endlessRows, longQuery]) {
          const leaving = new AbortController();
          const statement = await one.begin(sql, 'acme', leaving.signal);
          await bindTables(statement);
          const rows = statement.run(null)[Symbol.asyncIterator]();
          const first = rows.next();
          if (sql === endlessRows) await first;
          else first.catch(() => {});
          await timePasses(200, 'the statement is in the middle of its work, which it does not tell');
          const since = performance.now();
          leaving.abort(new Error('left'));
          if (sql === longQuery) await assert.rejects(first, /left/);
          await assert.rejects(
            rows
              .next()
              .then(() => rows.next())
              .then(({ done }) => assert.equal(done, false)),
            /left|false/,
          );
          await (await one.begin('SELECT 1', 'acme', never())).close();
          assertTook(performance.now() - since, dialect.stopMs);
        }
      });
    });

    it('close stops what runs, at any time, and again', async () => {
      await withLimits({ places: 1 }, async (one) => {
        const begun = await one.begin('SELECT 1', 'acme', never());
        await begun.close();
        await begun.close();
        await assert.rejects(bindTables(begun));
        const running = await one.begin(longQuery, 'acme', never());
        await bindTables(running);
        const next = running.run(null)[Symbol.asyncIterator]().next();
        const rejected = assert.rejects(next);
        await running.close();
        await rejected;
        assert.equal((await whole(one, 'SELECT 1')).rows.length, 1);
      });
    });

    it('a statement that works for too long is sql_timeout', async () => {
      // Time enough for the next one, which begins while the engine may still be ending this one.
      await withLimits({ timeoutMs: 4_000 * machinePace() }, async (hasty) => {
        await assert.rejects(whole(hasty, longQuery, [numbers]), { kind: 'sql_timeout' });
        assert.equal((await whole(hasty, 'SELECT 1')).rows.length, 1);
      });
    });

    it('says how far a statement is that reads a table for a while', async () => {
      const statement = await engine.begin(dialect.readsForAWhile, 'acme', never());
      await bindTables(statement);
      assert.equal(statement.progress, null);
      const seen: number[] = [];
      const looking = setInterval(() => {
        if (statement.progress !== null) seen.push(statement.progress);
      }, 20);
      for await (const _message of statement.run(null));
      clearInterval(looking);
      await statement.close();
      assert.ok(seen.length > 0);
      for (const progress of seen) assert.ok(progress > 0 && progress <= 1, String(progress));
    });

    it('waiting for the reader does not count', async () => {
      const begin = async (some: Engine) => {
        const statement = await some.begin(dialect.manyRows, 'acme', never());
        await bindTables(statement);
        return statement;
      };
      // On a slow machine, the statement's own work must not take all of its time: how long it takes is measured here and now.
      const alone = await begin(engine);
      const begun = performance.now();
      for await (const _message of alone.run(null));
      const ownMs = performance.now() - begun;
      await alone.close();
      const timeoutMs = Math.max(dialect.manyRowsMs * machinePace(), 5 * ownMs);
      await withLimits({ timeoutMs }, async (hasty) => {
        const statement = await begin(hasty);
        let batches = 0;
        for await (const _message of statement.run(null)) {
          batches += 1;
          if (batches <= 10) await timePasses(timeoutMs * 0.15, 'a slow reader');
        }
        assert.ok(batches > 10);
        await statement.close();
      });
    });

    it('a statement that needs more memory than it may use is sql_memory, and the next one runs', {
      skip: !offers.memoryLimit,
    }, async () => {
      await withLimits({ memoryBytes: 64 * 1024 ** 2 }, async (small) => {
        await assert.rejects(whole(small, dialect.needsMemory), { kind: 'sql_memory' });
        assert.equal((await whole(small, 'SELECT 1')).rows.length, 1);
      });
    });

    it('statements above the number of places wait in order, and above the queue are refused as overloaded', async () => {
      await withLimits({ places: 1, queueMax: 2, queueWaitMs: 60_000 }, async (one) => {
        const first = await one.begin('SELECT 1', 'acme', never());
        const order: string[] = [];
        const waiting = ['a', 'b'].map(async (each) => {
          const statement = await one.begin('SELECT 1', 'acme', never());
          order.push(each);
          assert.ok(statement.waitedMs > 0);
          await statement.close();
        });
        await assert.rejects(one.begin('SELECT 1', 'acme', never()), { kind: 'overloaded' });
        await first.close();
        await Promise.all(waiting);
        assert.deepEqual(order, ['a', 'b']);
      });
      await withLimits({ places: 1, queueWaitMs: 50 }, async (one) => {
        const first = await one.begin('SELECT 1', 'acme', never());
        await assert.rejects(one.begin('SELECT 1', 'acme', never()), { kind: 'overloaded' });
        await first.close();
      });
    });

    it('a reader that does nothing keeps others from nothing', async () => {
      const idle = await engine.begin(dialect.manyRows, 'acme', never());
      await bindTables(idle);
      const rows = idle.run(null)[Symbol.asyncIterator]();
      await rows.next();
      for (let at = 0; at < 5; at += 1) assert.equal((await whole(engine, 'SELECT 1')).rows.length, 1);
      await rows.next();
      await idle.close();
    });

    it('a closed engine takes nothing more', async () => {
      const closed = await open(limits);
      await closed.close();
      await assert.rejects(closed.begin('SELECT 1', 'acme', never()), { kind: 'draining' });
    });
  });
}
