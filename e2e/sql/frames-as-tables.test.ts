/** Frames as tables: what statements see of them, and what they change, against the started command. */
import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { getText, putFrame, send } from '../../server/test/support/frame-client.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { arrowBytes, runPython } from '../../server/test/support/python.ts';
import { postSql, sqlTable } from './sql-client.ts';

const tables = {
  trades: `pa.table({'id': pa.array(range(1000), pa.int64()), 'symbol': ['ABC'[i % 3] for i in range(1000)], 'price': [i / 8 for i in range(1000)]})`,
  names: `pa.table({'symbol': ['A', 'B'], 'title': ['Alpha', None]})`,
};

const oddTypes = `pa.table({
  'a b': pa.array([[{'x y': 1}]], pa.list_(pa.struct([('x y', pa.int8())]))), '': pa.array(['z']).dictionary_encode(), 'A B': pa.array([None], pa.timestamp('ms', 'Europe/Berlin')),
  'm': pa.array([None], pa.map_(pa.string(), pa.decimal128(9, 2))), 'i': pa.array([None], pa.month_day_nano_interval()), 'u': pa.array([None], pa.uuid()), 't': pa.array([None], pa.time32('s'))})`;

let framehold: Framehold;
let frames: Record<keyof typeof tables | 'one' | 'odd', Buffer<ArrayBuffer>>;
before(async () => {
  // Transcoded by nobody but the statements that need it.
  framehold = await Framehold.start({ env: { FRAMEHOLD_TRANSCODE_THREADS: '0' } });
  frames = await arrowBytes({ ...tables, one: "pa.table({'n': pa.array([1], pa.int64())})", odd: oddTypes });
  await putFrame(framehold.url, 'trades', frames.trades);
  await putFrame(framehold.url, 'names', frames.names);
});
after(async () => await framehold.remove());

const rows = async (text: string) => (await sqlTable(framehold.url, text)).dataset;
const sql = (text: string, members: Record<string, unknown> = {}) => postSql(framehold.url, text, members);

async function change(text: string, status: number, members: Record<string, unknown> = {}) {
  const answer = await sql(text, members);
  assert.equal(answer.status, status, answer.text);
  return JSON.parse(answer.text);
}

async function refused(text: string, code: string, members: Record<string, unknown> = {}) {
  const problem = JSON.parse((await sql(text, members)).text);
  assert.equal(problem.code, code, JSON.stringify(problem));
  return problem;
}

async function manifest(handle: string): Promise<Record<string, unknown>> {
  return JSON.parse((await getText(`${framehold.url}/v1/frames/${handle}`)).text);
}

test('statements give what DuckDB gives over the same tables', async () => {
  const statements = [
    'SELECT count(*), sum(id), avg(price), min(symbol) FROM trades',
    'SELECT symbol, count(*) AS n, sum(price) FROM trades GROUP BY symbol ORDER BY symbol',
    'SELECT t.id, n.title FROM trades t LEFT JOIN names n USING (symbol) WHERE t.id < 7 ORDER BY t.id',
    'WITH a AS (SELECT * FROM trades WHERE id % 100 = 0) SELECT id, row_number() OVER (ORDER BY price DESC) FROM a ORDER BY id',
    'SELECT symbol FROM trades EXCEPT SELECT symbol FROM names',
  ];
  const script = join(import.meta.dirname, 'duckdb-results.py');
  const expected = (await runPython([script], { tables, statements })) as string[][][];
  for (const [index, statement] of statements.entries()) {
    const actual = (await rows(statement)).map((row) =>
      row.map((cell) => (cell === null ? null : typeof cell === 'number' ? cell : String(cell))),
    );
    const wanted = (expected[index] ?? []).map((row, at) =>
      row.map((cell, column) =>
        cell !== null && typeof actual[at]?.[column] === 'number' ? Number(cell) : cell,
      ),
    );
    assert.deepEqual(actual, wanted, statement);
  }
});

test('a name means the newest version in any case, a pinned one its own, and errors suggest similar names', async () => {
  await putFrame(framehold.url, 'Versions', frames.one);
  await send(framehold.url, '/v1/frames/Versions/rows', frames.one, { method: 'POST', status: 200 });
  assert.deepEqual(await rows('SELECT count(*) FROM versions'), [[2]]);
  assert.deepEqual(await rows('SELECT count(*) FROM "VERSIONS@1"'), [[1]]);
  assert.deepEqual(
    await rows('SELECT (SELECT count(*) FROM versions) - (SELECT count(*) FROM "versions@1")'),
    [[1]],
  );
  assert.match((await refused('FROM version', 'frame_not_found')).hint, /"Versions"/);
  assert.match((await refused('FROM "versions@9"', 'frame_not_found')).hint, /versions 1, 2\./);
  await refused('FROM "no such name"', 'frame_not_found');
});

test('SHOW TABLES and information_schema list frames with the types that DESCRIBE shows', async () => {
  await putFrame(framehold.url, 'Odd-types', frames.odd);
  const listed = (await rows('SHOW TABLES')).flat();
  for (const name of ['Odd-types', 'names', 'trades']) assert.ok(listed.includes(name), `${name}: ${listed}`);
  assert.deepEqual(
    (await rows('SELECT table_name FROM information_schema.tables ORDER BY 1')).flat(),
    listed,
  );
  for (const name of ['Odd-types', 'trades'])
    assert.deepEqual(
      await rows(
        `SELECT column_name, data_type, is_nullable FROM information_schema.columns WHERE table_name = '${name}' ORDER BY ordinal_position`,
      ),
      (await rows(`DESCRIBE "${name}"`)).map((row) => row.slice(0, 3)),
    );
  assert.deepEqual(await rows('SELECT name FROM (DESCRIBE trades) d, (SELECT 1 AS name)'), [[1], [1], [1]]);
  assert.deepEqual(
    (await rows('SUMMARIZE trades')).map(([name]) => name),
    ['id', 'symbol', 'price'],
  );
  assert.deepEqual(await rows('SHOW DATABASES'), [['framehold']]);
  assert.match((await refused('SELECT * FROM duckdb_tables()', 'sql_refused')).hint, /information_schema/);
  assert.match((await refused('SELECT * FROM (SHOW TABLES)', 'sql_refused')).hint, /information_schema/);
});

test('CREATE TABLE AS, INSERT, OR REPLACE and DROP are frame operations, with the statement kept', async () => {
  const text = 'CREATE TABLE made AS SELECT id, symbol FROM trades WHERE id < 10';
  const { frame } = await change(text, 201);
  assert.equal(frame.rows, 10);
  assert.deepEqual((await manifest('made')).origin, {
    kind: 'query',
    format: 'sql',
    query: { text, sources: ['trades@1'] },
  });
  await refused('CREATE TABLE Made AS SELECT 1', 'frame_exists');
  assert.equal((await change('CREATE TABLE IF NOT EXISTS MADE AS SELECT 1', 200)).frame, null);
  assert.equal((await change('INSERT INTO MADE SELECT id + 10, symbol FROM made', 201)).frame.version, 2);
  assert.deepEqual(await rows('SELECT count(*), max(id) FROM made'), [[20, 19]]);
  assert.deepEqual((await manifest('made@2')).parts, 2);
  await change('INSERT INTO made (id) VALUES (100)', 201);
  assert.deepEqual(await rows('SELECT symbol FROM made WHERE id = 100'), [[null]]);
  assert.equal((await change('CREATE OR REPLACE TABLE MADE AS SELECT 5 AS x', 201)).frame.name, 'made');
  assert.deepEqual(await rows('FROM made'), [[5]]);
  assert.deepEqual(await rows('SELECT count(*) FROM "made@2"'), [[20]]);
  await change('DROP TABLE Made', 200);
  await refused('FROM made', 'frame_gone');
  await refused('DROP TABLE made', 'frame_gone');
  await change('DROP TABLE IF EXISTS made', 200);
  await refused('INSERT INTO nowhere SELECT 1', 'frame_not_found');
  await refused('CREATE TABLE main AS SELECT 1', 'bad_handle');
});

test('rows of a query are stored on request: as a new frame, a next version, or appended', async () => {
  const minted = await change('SELECT 1 AS a', 201, { into: {} });
  assert.match(minted.frame.name, /^f_[a-z2-7]{26}$/);
  await change('SELECT 1 AS a', 201, { into: { name: 'held', mode: 'create' } });
  await refused('SELECT 1 AS a', 'frame_exists', { into: { name: 'held', mode: 'create' } });
  await change('SELECT 2 AS a', 201, { into: { name: 'held', mode: 'append' } });
  assert.deepEqual(await rows('FROM held ORDER BY a'), [[1], [2]]);
  await refused("SELECT 'x' AS b", 'schema_conflict', { into: { name: 'held', mode: 'append' } });
});

test('a statement that fails at a late row leaves nothing of its table', async () => {
  const before = storedFiles();
  await refused(
    "CREATE TABLE late AS SELECT CASE WHEN range = 900000 THEN 'x' ELSE '1' END::INT AS n FROM range(1000000)",
    'sql_failed',
  );
  await refused('FROM late', 'frame_not_found');
  assert.deepEqual(storedFiles(), before);
});

function storedFiles(): string[] {
  const folder = join(framehold.dataDirectory, 'objects');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    statSync(join(folder, name)).isFile(),
  );
}

test('hundreds of small appends are read as few files, in order', async () => {
  const log = await arrowBytes(
    Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [
        `p${index}`,
        `pa.table({'n': pa.array([${index}], pa.int64())})`,
      ]),
    ),
  );
  await putFrame(framehold.url, 'log', log.p0 as Buffer<ArrayBuffer>);
  for (let index = 1; index < 300; index++)
    await send(framehold.url, '/v1/frames/log/rows', log[`p${index % 40}`] as Buffer<ArrayBuffer>, {
      method: 'POST',
      status: 200,
    });
  const values = Array.from({ length: 300 }, (_, index) => index % 40);
  const sum = values.reduce((total, value) => total + value, 0);
  const startedAt = performance.now();
  assert.deepEqual(await rows('SELECT count(*), sum(n) FROM log'), [[300, sum]]);
  const firstMs = performance.now() - startedAt;
  const order = await rows('SELECT n FROM log');
  assert.deepEqual(
    order.map(([n]) => n),
    values,
  );
  // Each transcoded by itself would take half a minute and more.
  assert.ok(firstMs < 20_000, `the first statement took ${firstMs} ms`);
});

test('many statements at once over a frame that nobody has transcoded yet all see it whole', async () => {
  await putFrame(framehold.url, 'fresh', frames.trades);
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => rows('SELECT count(*), sum(id) FROM fresh')),
  );
  for (const answer of answers) assert.deepEqual(answer, [[1000, 499500]]);
});

test('a frame that is appended to and replaced all the time is seen at one version each time', async () => {
  await putFrame(framehold.url, 'busy', frames.one);
  let busy = true;
  const writer = (async () => {
    while (busy) {
      await change('INSERT INTO busy SELECT 1', 201);
      await change('CREATE OR REPLACE TABLE busy AS SELECT 1::BIGINT AS n', 201);
    }
  })();
  for (let turn = 0; turn < 10; turn++) {
    const [[first, second] = []] = await rows(
      'SELECT (SELECT count(*) FROM busy), (SELECT sum(n) FROM busy)::BIGINT',
    );
    assert.equal(first, second);
  }
  busy = false;
  await writer;
});

test('CREATE TABLE of columns makes an empty frame, which takes rows', async () => {
  const definition = `(id INTEGER, name VARCHAR, price DECIMAL(18, 4), made TIMESTAMP, tags VARCHAR[], place STRUCT(x DOUBLE, y DOUBLE), kind ENUM('a', 'b'))`;
  const { frame: made } = await change(`CREATE TABLE defined ${definition}`, 201);
  assert.deepEqual([made.handle, made.rows], ['defined@1', 0]);
  assert.deepEqual(await rows('SELECT count(*) FROM defined'), [[0]]);
  await refused(`CREATE TABLE defined ${definition}`, 'frame_exists');
  await change(`CREATE TABLE IF NOT EXISTS defined (other INTEGER)`, 200);
  await change(
    `INSERT INTO defined VALUES (1, 'one', 0.0001, '2024-02-29 12:30:00.123456', ['x'], {'x': 1, 'y': 2}, 'b'), (2, NULL, NULL, NULL, NULL, NULL, NULL)`,
    201,
  );
  assert.deepEqual(
    await rows(
      'SELECT id, name, price::VARCHAR, made::VARCHAR, tags[1], place.y, kind::VARCHAR FROM defined ORDER BY id',
    ),
    [
      [1, 'one', '0.0001', '2024-02-29 12:30:00.123456', 'x', 2, 'b'],
      [2, null, null, null, null, null, null],
    ],
  );
  assert.deepEqual(
    await rows("SELECT column_type FROM (DESCRIBE defined) WHERE column_name IN ('id', 'price')"),
    [['INTEGER'], ['DECIMAL(18,4)']],
  );
  const { frame: replaced } = await change('CREATE OR REPLACE TABLE defined (id BIGINT)', 201);
  assert.deepEqual([replaced.handle, replaced.columns.length], ['defined@3', 1]);
  const problem = await refused('CREATE TABLE keyed (id INTEGER PRIMARY KEY)', 'sql_refused');
  assert.match(problem.detail, /PRIMARY is not offered/);
  await refused('CREATE TABLE keyed (id NOSUCHTYPE)', 'sql_invalid');
});
