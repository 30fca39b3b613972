import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type {
  BindRequest,
  Engine,
  EngineStatement,
  EngineTable,
  StatementParameters,
} from '../../src/frames/ports/engine.ts';
import { upstreamTable } from '../../src/frames/ports/engine.ts';
import { assertTook, machinePace } from '../support/machine-pace.ts';
import { removeFolder, temporaryFolder } from '../support/temporary-folder.ts';
import { parquetTable } from './parquet-table.ts';
import { readRows, schemaOf } from './read-rows.ts';

/** What the suite asks of an engine under test. */
export interface EngineLimits {
  /** Statements at once. */
  readonly places: number;
  readonly queueMax: number;
  readonly queueWaitMs: number;
  readonly timeoutMs: number;
  readonly memoryBytes: number;
}

const limits: EngineLimits = {
  places: 2,
  queueMax: 100,
  queueWaitMs: 60_000,
  timeoutMs: 60_000,
  memoryBytes: 256 * 1024 ** 2,
};

/** Statements that engines write differently. All others of the suite are standard SQL. */
export interface EngineDialect {
  /** Works for minutes if nobody stops it. */
  readonly longQuery: string;
  /** Gives its first rows at once, and never ends. */
  readonly endlessRows: string;
  /** The numbers below `count` in a column `i`. */
  readonly rows: (count: number) => string;
  /** Fails at its row 900,000 of a million, with the text 'x' in its message. */
  readonly failsLate: string;
  /** The same at id 90,000 of the table numbers. */
  readonly failsInTable: string;
  /** Needs far more than 64 MiB of memory. */
  readonly needsMemory: string;
  /** $a plus $b, both whole numbers. */
  readonly namedParameters: string;
  /** Reads the upstream query `select x` twice. */
  readonly upstreamTwice: string;
  /** Takes two seconds or more, most of them while it reads the table numbers. */
  readonly readsForAWhile: string;
  /** What no statement may: leave the sandbox, or change the engine. */
  readonly refused: readonly string[];
}

const never = () => new AbortController().signal;

interface Whole {
  readonly names: readonly string[];
  readonly rows: readonly unknown[][];
}

async function whole(
  engine: Engine,
  sql: string,
  tables: readonly EngineTable[] = [],
  parameters: StatementParameters | null = null,
  insertInto: Uint8Array | null = null,
): Promise<Whole> {
  const statement = await engine.begin(sql, never());
  try {
    const { schemaMessage } = await statement.bind({ tables, insertInto });
    const rows: unknown[][] = [];
    for await (const row of readRows(schemaMessage, statement.run(parameters))) rows.push(row);
    return { names: schemaOf(schemaMessage).fields.map(({ name }) => name), rows };
  } finally {
    await statement.close();
  }
}

async function shapeOf(engine: Engine, sql: string): Promise<EngineStatement['shape']> {
  const statement = await engine.begin(sql, never());
  await statement.close();
  return statement.shape;
}

const nothing: BindRequest = { tables: [], insertInto: null };

/** What every engine must do. `open` gives a new one with these limits. */
export function engineConformance(
  name: string,
  dialect: EngineDialect,
  open: (limits: EngineLimits) => Promise<Engine>,
): void {
  const { longQuery, endlessRows } = dialect;
  describe(`engine: ${name}`, () => {
    const folder = temporaryFolder('conformance');
    let engine: Engine;
    let numbers: EngineTable;
    let people: EngineTable;

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
        const shape = await shapeOf(engine, sql);
        assert.deepEqual([shape.kind, shape.target], [kind, wanted], sql);
      }
      assert.equal((await shapeOf(engine, 'EXPLAIN SELECT 1')).kind, 'explain');
    });

    it('refuses what does not parse, what is not one statement, and what no statement may', async () => {
      for (const sql of ['SELEC 1', 'SELECT (', ''])
        await assert.rejects(engine.begin(sql, never()), { kind: 'sql_invalid' }, sql);
      for (const sql of ['SELECT 1; SELECT 2', ...dialect.refused])
        await assert.rejects(engine.begin(sql, never()), { kind: 'sql_refused' }, sql);
    });

    it('reads tables of several files in their order, and joins them', async () => {
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
      for (const [index, [id]] of all.rows.entries()) assert.equal(id, String(index));
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
        await (await engine.begin(sql, never())).close();
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

    it('takes an upstream query as a table that replaces it', async () => {
      const sql = dialect.upstreamTwice;
      assert.deepEqual((await shapeOf(engine, sql)).upstreamQueries, ['select x']);
      const { rows } = await whole(engine, sql, [{ ...people, name: upstreamTable(0) }]);
      assert.equal(rows.length, 3);
    });

    it('binds parameters by position and by name, and reports their types', async () => {
      const sql = 'SELECT name FROM people WHERE id = $1 OR name = $2';
      const statement = await engine.begin(sql, never());
      assert.equal(statement.shape.parameterCount, 2);
      const bound = await statement.bind({ tables: [people], insertInto: null });
      await statement.close();
      assert.deepEqual(
        schemaOf(bound.parameterSchemaMessage).fields.map((field) => field.type.kind),
        ['int', 'utf8'],
      );
      const byPlace = await whole(engine, sql, [people], { kind: 'json', values: [1n, 'Grete'] });
      assert.deepEqual(byPlace.rows, [['Ada'], ['Grete']]);
      const byName = await whole(engine, dialect.namedParameters, [], {
        kind: 'json',
        values: { a: 40n, b: 2n },
      });
      assert.deepEqual(byName.rows, [['42']]);
    });

    it('gives the rows of an INSERT in the schema of its table', async () => {
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
      await assert.rejects(whole(engine, failsLate), { kind: 'sql_failed', message: /'x'/ });
      assert.equal((await whole(engine, 'SELECT 1')).rows.length, 1);
    });

    it('a caller that leaves in mid-stream gets its own reason, and the place is free within a second', async () => {
      await withLimits({ places: 1 }, async (one) => {
        for (const sql of [endlessRows, longQuery]) {
          const leaving = new AbortController();
          const statement = await one.begin(sql, leaving.signal);
          await statement.bind(nothing);
          const rows = statement.run(null)[Symbol.asyncIterator]();
          const first = rows.next();
          if (sql === endlessRows) await first;
          else first.catch(() => {});
          await new Promise((resolve) => setTimeout(resolve, 200));
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
          await (await one.begin('SELECT 1', never())).close();
          assertTook(performance.now() - since, 2_000);
        }
      });
    });

    it('close stops what runs, at any time, and again', async () => {
      await withLimits({ places: 1 }, async (one) => {
        const begun = await one.begin('SELECT 1', never());
        await begun.close();
        await begun.close();
        await assert.rejects(begun.bind(nothing));
        const running = await one.begin(longQuery, never());
        await running.bind(nothing);
        const next = running.run(null)[Symbol.asyncIterator]().next();
        const rejected = assert.rejects(next);
        await running.close();
        await rejected;
        assert.equal((await whole(one, 'SELECT 1')).rows.length, 1);
      });
    });

    it('a statement that works for too long is sql_timeout', async () => {
      await withLimits({ timeoutMs: 4_000 }, async (hasty) => {
        await assert.rejects(whole(hasty, longQuery), { kind: 'sql_timeout' });
        assert.equal((await whole(hasty, 'SELECT 1')).rows.length, 1);
      });
    });

    it('says how far a statement is that reads a table for a while', async () => {
      const statement = await engine.begin(dialect.readsForAWhile, never());
      await statement.bind({ tables: [numbers], insertInto: null });
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
      // On a slow machine, the statement's own work must not take all of its time.
      const pace = machinePace();
      await withLimits({ timeoutMs: 2_000 * pace }, async (hasty) => {
        const statement = await hasty.begin(dialect.rows(2_000_000), never());
        await statement.bind(nothing);
        let batches = 0;
        for await (const _message of statement.run(null)) {
          batches += 1;
          if (batches <= 10) await new Promise((resolve) => setTimeout(resolve, 300 * pace));
        }
        assert.ok(batches > 10);
        await statement.close();
      });
    });

    it('a statement that needs more memory than it may use is sql_memory, and the next one runs', async () => {
      await withLimits({ memoryBytes: 64 * 1024 ** 2 }, async (small) => {
        await assert.rejects(whole(small, dialect.needsMemory), { kind: 'sql_memory' });
        assert.equal((await whole(small, 'SELECT 1')).rows.length, 1);
      });
    });

    it('statements above the number of places wait in order, and above the queue are refused as overloaded', async () => {
      await withLimits({ places: 1, queueMax: 2, queueWaitMs: 60_000 }, async (one) => {
        const first = await one.begin('SELECT 1', never());
        const order: string[] = [];
        const waiting = ['a', 'b'].map(async (each) => {
          const statement = await one.begin('SELECT 1', never());
          order.push(each);
          assert.ok(statement.waitedMs > 0);
          await statement.close();
        });
        await assert.rejects(one.begin('SELECT 1', never()), { kind: 'overloaded' });
        await first.close();
        await Promise.all(waiting);
        assert.deepEqual(order, ['a', 'b']);
      });
      await withLimits({ places: 1, queueWaitMs: 50 }, async (one) => {
        const first = await one.begin('SELECT 1', never());
        await assert.rejects(one.begin('SELECT 1', never()), { kind: 'overloaded' });
        await first.close();
      });
    });

    it('a reader that does nothing keeps others from nothing', async () => {
      const idle = await engine.begin(endlessRows, never());
      await idle.bind(nothing);
      const rows = idle.run(null)[Symbol.asyncIterator]();
      await rows.next();
      for (let at = 0; at < 5; at += 1) assert.equal((await whole(engine, 'SELECT 1')).rows.length, 1);
      await rows.next();
      await idle.close();
    });

    it('a closed engine takes nothing more', async () => {
      const closed = await open(limits);
      await closed.close();
      await assert.rejects(closed.begin('SELECT 1', never()), { kind: 'draining' });
    });
  });
}
