import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import { after, test } from 'node:test';
import { type DuckDBConnection, StatementType } from '@duckdb/node-api';
import { DuckdbStatement } from '../../../src/engine/duckdb/duckdb-statement.ts';
import { Sandbox } from '../../../src/engine/duckdb/sandbox.ts';
import { SandboxKeeper } from '../../../src/engine/duckdb/sandbox-keeper.ts';
import { createTableView } from '../../../src/engine/duckdb/tables/table-view.ts';
import type { FrameholdError } from '../../../src/model/errors.ts';
import type { EngineTable } from '../../../src/ports/engine.ts';
import { seededRandom } from '../../fuzz/seeded-random.ts';
import { runPython } from '../../support/python.ts';
import { removeFolder, temporaryFolder } from '../../support/temporary-folder.ts';
import { runStatement, sandboxOptions, transcodedTable } from './statement-runs.ts';

const folder = temporaryFolder('lasting');
after(() => removeFolder(folder));
const objects = join(folder, 'objects');
const options = sandboxOptions(folder);
mkdirSync(objects);
const write = `
import sys
import pyarrow as pa
for name, values in [("mine", [1, 2, 3]), ("other", [4, 5])]:
    table = pa.table({"a": values})
    with pa.OSFile(f"{sys.argv[1]}/{name}.arrows", "wb") as sink:
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
print("null")
`;
await runPython(['-c', write, folder], null);
const mine = await transcodedTable('mine', join(folder, 'mine.arrows'), objects);
const other = await transcodedTable('other', join(folder, 'other.arrows'), objects);
const mineFile = mine.files[0] as string;

const sandbox = await Sandbox.open(options);
await sandbox.lockToLinks();
after(() => sandbox.close());

/** What a statement does between the allowlist and the end, without the allowlist. */
async function asStatement<Result>(
  tables: readonly EngineTable[],
  work: (connection: DuckDBConnection, links: readonly string[]) => Promise<Result>,
): Promise<Result> {
  const links = sandbox.links.make(tables.flatMap(({ files }) => files));
  assert.ok(links !== null);
  const connection = await sandbox.connect();
  try {
    for (const [index, table] of tables.entries())
      await createTableView(connection, { ...table, files: links.slice(index, index + 1) });
    return await work(connection, links);
  } finally {
    connection.disconnectSync();
    await sandbox.wipe();
  }
}

async function firstValue(connection: DuckDBConnection, sql: string): Promise<unknown> {
  return (await connection.runAndReadAll(sql)).getRowsJson()[0]?.[0];
}

/** What one statement does, and how the next one, or one in a new instance, looks for it. */
const states: readonly (readonly [state: string, left: string, look: string])[] = [
  ['a setting', "SET streaming_buffer_size = '1MB'", "SELECT current_setting('streaming_buffer_size')"],
  ['a switched-off bar', 'SET enable_progress_bar = false', "SELECT current_setting('enable_progress_bar')"],
  ['the search path', "SET schema = 'memory.main'", 'SELECT current_database() || current_schema()'],
  ['a variable', 'SET VARIABLE x = 1', "SELECT getvariable('x')"],
  ['profiling', "PRAGMA enable_profiling = 'no_output'", "SELECT current_setting('enable_profiling')"],
  ['a temporary table', 'CREATE TEMP TABLE kept AS SELECT 1', 'SELECT * FROM kept'],
  ['a temporary view', 'CREATE TEMP VIEW kept AS SELECT 1', 'SELECT * FROM kept'],
  ['a temporary macro', 'CREATE TEMP MACRO kept() AS 1', 'SELECT kept()'],
  ['a table', 'CREATE TABLE kept AS SELECT 1', 'SELECT * FROM kept'],
  ['a view', 'CREATE VIEW kept AS SELECT 1', 'SELECT * FROM kept'],
  ['a macro', 'CREATE MACRO kept() AS 1', 'SELECT kept()'],
  ['a type', "CREATE TYPE kept AS ENUM ('x')", "SELECT 'x'::kept"],
  ['a schema', 'CREATE SCHEMA kept', 'CREATE TABLE kept.x AS SELECT 1'],
  ['a sequence', 'CREATE SEQUENCE kept', "SELECT nextval('kept')"],
  ['a prepared statement', 'PREPARE kept AS SELECT 1', 'EXECUTE kept'],
  ['a transaction', 'BEGIN; CREATE TABLE kept AS SELECT 1', 'SELECT * FROM kept'],
  ['a transaction that failed', "BEGIN; SELECT 1; SELECT error('x')", 'SELECT 1'],
  ['the frames of the one before', 'SELECT * FROM mine', 'SELECT * FROM mine'],
  ['their names in an error', 'SELECT * FROM mine', 'SELECT * FROM mime'],
  ['the names of their columns', 'SELECT * FROM mine', 'SELECT a'],
];

for (const [state, left, look] of states) {
  test(`a statement does not see of the one before: ${state}`, async () => {
    const seen = (connection: DuckDBConnection) =>
      firstValue(connection, look).catch((error: Error) => error.message);
    const fresh = await Sandbox.open(options);
    await fresh.lockToLinks();
    const expected = await seen(await fresh.connect());
    fresh.close();
    await asStatement([mine], async (connection) => {
      await connection.run(left).catch((error: Error) => assert.match(error.message, /^Invalid Input Error/));
    });
    assert.deepEqual(await asStatement([], seen), expected);
  });
}

test('what leaves something is no SELECT for the engine either: only after a SELECT views stay', async () => {
  const leaving = states.filter(([, left]) => left !== 'SELECT * FROM mine').map(([, left]) => left);
  const more = [
    'EXPLAIN ANALYZE CREATE TABLE kept AS SELECT 1',
    'CREATE OR REPLACE VIEW mine AS SELECT 1',
    'DROP VIEW mine',
    'ALTER VIEW mine RENAME TO kept',
    "COMMENT ON VIEW mine IS 'x'",
    'WITH x AS (SELECT 1) INSERT INTO mine SELECT * FROM x',
  ];
  await asStatement([mine], async (connection) => {
    for (const sql of [...leaving, ...more]) {
      // Only the first, which would have to run before others can be prepared. A kind that cannot be prepared cannot be bound.
      const prepared = await connection
        .extractStatements(sql)
        .then((extracted) => extracted.prepare(0))
        .catch(() => null);
      assert.notEqual(prepared?.statementType, StatementType.SELECT, sql);
    }
  });
});

test('statements over the same and over other tables answer as in instances of their own, in any order', async () => {
  const named = (name: string, table: EngineTable): EngineTable => ({ ...table, name });
  const sets: readonly (readonly EngineTable[])[] = [
    [mine, other],
    [named('mine', other), named('other', mine)],
    [{ ...mine, files: [...mine.files, ...other.files] }, other],
    [{ ...mine, files: [] }, other],
  ];
  const texts = [
    'SELECT sum(a) AS s, count(*) AS n FROM mine',
    'SELECT sum(a) AS s, count(*) AS n FROM other',
    'SELECT count(*) AS n FROM mine JOIN other USING (a)',
    'SELECT count(*) AS n FROM other JOIN mine USING (a)',
    'SELECT sum(a) AS s FROM MINE',
    'WITH other AS (SELECT 1 AS a) SELECT * FROM mine, other',
    'SELECT 1 AS one',
    'SELECT a',
    'SELECT b FROM mine',
    'SELECT * FROM mime',
    "SELECT error('x') FROM mine",
    'EXPLAIN ANALYZE SELECT 1 AS one FROM mine WHERE false',
    'CREATE TABLE made AS SELECT a FROM mine',
    'SHOW TABLES',
  ];
  const outcome = async (sql: string, tables: readonly EngineTable[], memoryBytes: number) => {
    const ran = runStatement({ sql, options: { ...options, memoryBytes }, tables });
    const text = await ran.then(
      ({ stream }) => Buffer.from(stream).toString('latin1'),
      (error: FrameholdError) => `${error.kind} ${error.message} ${error.hint}`,
    );
    return sql.startsWith('EXPLAIN') ? 'a plan' : text;
  };
  const memoryBytes = options.memoryBytes;
  const cases = texts.flatMap((sql) => sets.map((tables) => ({ sql, tables })));
  const alone: string[] = [];
  // Another limit is another instance.
  for (const [index, { sql, tables }] of cases.entries())
    alone.push(await outcome(sql, tables, memoryBytes + 1 + index));
  const random = seededRandom(20_261_117, 0);
  for (let round = 0; round < 300; round++) {
    const index = random(cases.length);
    const { sql, tables } = cases[index] as (typeof cases)[number];
    // Often twice, so that what was left is used.
    for (let time = 0; time < 1 + (round % 2); time++)
      assert.equal(await outcome(sql, tables, memoryBytes), alone[index], sql);
  }
});

test('a connection serves one more statement only after one that leaves nothing in it', async () => {
  const run = (sql: string) => runStatement({ sql, options, tables: [mine] });
  /** Connections have numbers, and this one is not used again. */
  const next = async () => {
    const { stream } = await run("SELECT 'number ' || current_connection_id() AS id");
    return Number(/number (\d+)/.exec(Buffer.from(stream).toString('latin1'))?.[1]);
  };
  for (const [sql, isKept] of [
    ['SELECT 1 AS one', true],
    ['SELECT a, sum(a) AS s FROM mine GROUP BY a', true],
    ['SELECT random() AS r', false],
    ['SELECT uuid() AS u FROM mine', false],
    ['SELECT now() AS t', false],
    ['SELECT version() AS v', false],
    ['SELECT b FROM mine', false],
    ['SELECT CAST(chr(97) AS INTEGER) AS n', false],
    ['EXPLAIN SELECT 1', false],
    ['DESCRIBE mine', false],
    ['SHOW TABLES', false],
  ] as const) {
    const before = await next();
    await run(sql).catch(() => {});
    assert.equal((await next()) - before, isKept ? 1 : 2, sql);
  }
});

test('a statement does not draw the random numbers that another one has chosen', async () => {
  const drawn = await asStatement([], async (connection) => {
    await connection.run('SELECT setseed(0.5)');
    return firstValue(connection, 'SELECT random()');
  });
  const again = await asStatement([], async (connection) => {
    await connection.run('SELECT setseed(0.5)');
    return firstValue(connection, 'SELECT random()');
  });
  assert.equal(again, drawn);
  await asStatement([], (connection) => connection.run('SELECT setseed(0.5)'));
  assert.notEqual(await asStatement([], (connection) => firstValue(connection, 'SELECT random()')), drawn);
});

test('the files of the one before cannot be opened, although their footers are remembered', async () => {
  const [link = ''] = await asStatement([mine], async (connection, links) => {
    assert.equal(await firstValue(connection, 'SELECT sum(a)::VARCHAR FROM mine'), '6');
    return links;
  });
  assert.equal(existsSync(link), false);
  await asStatement([other], async (connection) => {
    assert.equal(await firstValue(connection, 'SELECT sum(a)::VARCHAR FROM other'), '9');
    for (const read of ['read_parquet', 'parquet_metadata', 'read_csv'])
      await assert.rejects(connection.run(`SELECT * FROM ${read}('${link}')`), /No files found/, read);
    assert.equal(await firstValue(connection, `SELECT count(*)::INTEGER FROM read_blob('${link}')`), 0);
    await assert.rejects(connection.run(`SELECT * FROM '${mineFile}'`), /Permission Error/);
    assert.equal(
      await firstValue(connection, `SELECT count(*)::VARCHAR FROM glob('${sandbox.links.directories[0]}/*')`),
      '1',
    );
  });
});

test('no setting that all connections share changes after the lock', async () => {
  await asStatement([], async (connection) => {
    const shared = await connection.runAndReadAll(
      "SELECT name, coalesce(value, '') FROM duckdb_settings() WHERE scope = 'GLOBAL'",
    );
    const names = shared.getRows() as unknown as readonly (readonly [string, string])[];
    assert.ok(names.length > 50);
    for (const [name, value] of names)
      await assert.rejects(connection.run(`SET GLOBAL ${name} = '${value}'`), /locked|Cannot|cannot/, name);
  });
});

test('COPY with a temporary file replaces the link, not the object', async () => {
  const before = readFileSync(mineFile);
  await asStatement([mine], async (connection, [link]) => {
    await connection.run(`COPY (SELECT 42 AS a) TO '${link}' (FORMAT parquet, USE_TMP_FILE true)`);
  });
  assert.deepEqual(readFileSync(mineFile), before);
  assert.equal(statSync(mineFile).nlink, 1);
  assert.deepEqual(readdirSync(options.tempDirectory), []);
});

test('the modes of a linked file say that nobody may write to it', async () => {
  await asStatement([mine], async (_, [link = '']) => assert.equal(statSync(link).mode & 0o222, 0));
  assert.equal(statSync(mineFile).mode & 0o222, 0);
});

test('files that cannot be linked are read in an instance of the statement alone', async () => {
  const request = { sql: 'SELECT sum(a) AS s FROM mine', options, tables: [mine] };
  const linked = await runStatement(request);
  // No folder can be made there.
  const lacking = { ...options, linkDirectory: '/proc' };
  const read = await runStatement({ ...request, options: lacking });
  assert.deepEqual(read.stream, linked.stream);
  assert.deepEqual((await runStatement(request)).stream, linked.stream);
});

test('directories may be behind symbolic links', async () => {
  const request = { sql: 'SELECT sum(a) AS s FROM mine', options, tables: [mine] };
  const alias = join(folder, 'alias');
  symlinkSync(folder, alias);
  const behind = mine.files.map((file) => join(alias, relative(folder, file)));
  const aliased = { ...request, options: sandboxOptions(alias), tables: [{ ...mine, files: behind }] };
  const { stream } = await runStatement(request);
  assert.deepEqual((await runStatement(aliased)).stream, stream);
  const unlinked = { ...aliased.options, linkDirectory: '/proc' };
  assert.deepEqual((await runStatement({ ...aliased, options: unlinked })).stream, stream);
});

test('an instance is given to the statements of one tenant only', async () => {
  const keeper = new SandboxKeeper();
  const first = await keeper.take(options, 'a');
  await first.lockToLinks();
  keeper.giveBack(first, 'a');
  const again = await keeper.take(options, 'a');
  assert.equal(again, first);
  keeper.giveBack(again, 'a');
  const others = await keeper.take(options, 'b');
  assert.notEqual(others, first);
  await assert.rejects(first.control.run('SELECT 1'), 'the instance of the other tenant is closed');
  await others.lockToLinks();
  keeper.giveBack(others, 'b');
  const back = await keeper.take(options, 'a');
  assert.ok(back !== first && back !== others);
  keeper.discard(back);
});

test('if no other instance can be made in its place, a statement still has its own to give back', async () => {
  const keeper = new SandboxKeeper();
  const changing = { ...options };
  const first = await keeper.take(changing, 'a');
  await first.lockToLinks();
  changing.threads = -1;
  await assert.rejects(keeper.exchange(first, 'a'));
  changing.threads = options.threads;
  keeper.giveBack(first, 'a');
  const again = await keeper.take(options, 'a');
  assert.equal(again, first);
  assert.equal(await firstValue(again.control, 'SELECT 1'), 1);
  keeper.discard(again);
});

/** Statements of the same tenant, how they end, and whether the next one has their instance. */
const endings: readonly (readonly [
  ending: string,
  sql: string,
  end: (statement: DuckdbStatement) => Promise<unknown>,
  isReused: boolean,
])[] = [
  ['before it was bound', 'SELECT a FROM mine', async () => {}, true],
  ['after it was bound', 'SELECT a FROM mine', (statement) => bindMine(statement), true],
  ['with its last row', 'SELECT a FROM mine', (statement) => readAll(statement), true],
  ['with an error while it was bound', 'SELECT b FROM mine', failing(bindMine), true],
  ['with an error among its rows', "SELECT error('x') FROM mine", failing(readAll), true],
  ['interrupted before it ran', 'SELECT a FROM mine', interruptedWhenBound, true],
  ['interrupted among its rows', 'SELECT a FROM mine', interruptedAmongRows, false],
  ['with a reader that left', 'SELECT a FROM mine', (statement) => readOne(statement), false],
];

async function bindMine(statement: DuckdbStatement): Promise<void> {
  await statement.bind({ tables: [mine], insertInto: null });
}

async function readAll(statement: DuckdbStatement): Promise<void> {
  await bindMine(statement);
  for await (const piece of statement.run(null)) piece.release();
}

function failing(end: (statement: DuckdbStatement) => Promise<void>) {
  return (statement: DuckdbStatement) => assert.rejects(end(statement));
}

async function interruptedWhenBound(statement: DuckdbStatement): Promise<void> {
  await bindMine(statement);
  statement.interrupt();
}

/** The interrupt comes between two steps and is lost: the rows are whole all the same. */
async function interruptedAmongRows(statement: DuckdbStatement): Promise<void> {
  await bindMine(statement);
  const pieces = statement.run(null);
  (await pieces.next()).value?.release();
  statement.interrupt();
  for await (const piece of pieces) piece.release();
}

async function readOne(statement: DuckdbStatement): Promise<void> {
  await bindMine(statement);
  for await (const piece of statement.run(null)) {
    piece.release();
    break;
  }
}

/** The folder for links of the instance that the tenant's next statement has. */
async function instanceNow(): Promise<string | undefined> {
  const statement = await DuckdbStatement.begin('SELECT a FROM mine', options, 'endings');
  await bindMine(statement);
  const folders = readdirSync(options.tempDirectory).filter((name) => name.startsWith('links-'));
  await statement.close();
  return folders[0];
}

for (const [ending, sql, end, isReused] of endings)
  test(`the next statement ${isReused ? 'has' : 'does not have'} the instance of one that ended ${ending}`, async () => {
    const before = await instanceNow();
    const statement = await DuckdbStatement.begin(sql, options, 'endings');
    await end(statement);
    await statement.close();
    const after = await instanceNow();
    assert.ok(before !== undefined && after !== undefined);
    assert.equal(after === before, isReused);
  });

test('an instance that has only parsed is nobody’s, and one that was locked to files serves no one else', async () => {
  const keeper = new SandboxKeeper();
  const parsed = await keeper.take(options, 'a');
  keeper.giveBack(parsed, 'a');
  assert.equal(await keeper.take(options, 'b'), parsed);
  await parsed.lockToFiles([mineFile]);
  keeper.giveBack(parsed, 'b');
  const next = await keeper.take(options, 'b');
  assert.notEqual(next, parsed);
  keeper.discard(next);
});

/** Begins a statement, does this to it, and closes it. */
async function disturbed(sql: string, work: (statement: DuckdbStatement) => Promise<void>): Promise<void> {
  const statement = await DuckdbStatement.begin(sql, options, 'acme');
  try {
    await statement.bind({ tables: [], insertInto: null });
    await work(statement);
  } finally {
    await statement.close();
  }
}

const endless = 'SELECT count(*) AS n FROM range(10000000) a, range(1000000) b';
const disturbances: readonly (readonly [string, string, (statement: DuckdbStatement) => Promise<void>])[] = [
  [
    'that was interrupted',
    endless,
    async (statement) => {
      const first = statement.run(null).next();
      const timer = setInterval(() => statement.interrupt(), 20);
      await assert.rejects(first, { kind: 'cancelled' });
      clearInterval(timer);
    },
  ],
  [
    'whose reader left',
    'SELECT range AS i FROM range(100000000)',
    async (statement) => {
      const rows = statement.run(null);
      await rows.next();
      statement.interrupt();
      await rows.return();
    },
  ],
  [
    'that ran out of memory',
    'SELECT length(list(range)::VARCHAR) AS n FROM range(100000000)',
    (statement) => assert.rejects(statement.run(null).next(), { kind: 'sql_memory' }),
  ],
  [
    'that failed',
    "SELECT CAST(CASE WHEN range = 90000 THEN 'x' ELSE '1' END AS INTEGER) AS n FROM range(100000)",
    (statement) =>
      assert.rejects(
        async () => {
          for await (const _ of statement.run(null));
        },
        { kind: 'sql_failed' },
      ),
  ],
];

for (const [which, sql, disturb] of disturbances) {
  test(`after a statement ${which}, the next one has all of its rows`, async () => {
    const request = { sql: 'SELECT a, a * 2 AS b FROM mine ORDER BY a', options, tables: [mine] };
    const before = await runStatement(request);
    await disturbed(sql, disturb);
    assert.deepEqual((await runStatement(request)).stream, before.stream);
    assert.deepEqual(readdirSync(options.tempDirectory), []);
  });
}

test('a statement that is refused, or does not bind, leaves nothing', async () => {
  const request = { options, tables: [mine] };
  for (const sql of ['SELECT nothing FROM mine', 'SELEC 1', 'SET threads = 8', 'SELECT a FROM mine, mine'])
    await assert.rejects(runStatement({ ...request, sql }), (error: FrameholdError) =>
      ['sql_invalid', 'sql_refused'].includes(error.kind),
    );
  const { stream } = await runStatement({ ...request, sql: 'SELECT a FROM mine' });
  assert.ok(stream.byteLength > 0);
  assert.deepEqual(readdirSync(options.tempDirectory), []);
});
