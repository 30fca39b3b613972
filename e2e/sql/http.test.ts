/** SQL over HTTP against the started command. */
import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { assertProblem, getText, putFrame, send } from '../../server/test/support/frame-client.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { assertTook } from '../../server/test/support/machine-pace.ts';
import { timePasses } from '../../server/test/support/passing-time.ts';
import { eventually } from '../../server/test/support/patience.ts';
import { arrowBytes, readArrow, runPython } from '../../server/test/support/python.ts';
import { assertStrictJson, parseExact } from '../../server/test/support/strict-json.ts';
import { removeFolder, temporaryFolder } from '../../server/test/support/temporary-folder.ts';
import { postSql, queries, sqlTable, untilItsEnd, untilQuery, type WholeOrCut } from './sql-client.ts';

const rowCount = 1_000_000;
const badRow = 900_000;
/** A trillion pairs: nobody waits for that. */
const endless = 'select count(*) as n from big a, big b where a.n * b.n = -1';
const formats = ['json', 'csv', 'ndjson', 'arrow', 'parquet'] as const;

let framehold: Framehold;
before(async () => {
  framehold = await Framehold.start();
  const frames = await arrowBytes({
    big: `pa.table({'n': pa.array(range(${rowCount}), pa.int64()), 's': ['x' if n == ${badRow} else str(n) for n in range(${rowCount})]})`,
    small: `pa.table({'id': pa.array([1, 2, 3], pa.int64()), 'name': ['one', None, 'three'], 'price': [0.5, 1.25, None]})`,
    exact: `pa.table({
      'i': pa.array([9223372036854775807, -9223372036854775808, None], pa.int64()),
      'u': pa.array([18446744073709551615, 0, None], pa.uint64()),
      'd': pa.array([Decimal('12345678901234567890123456.7890123456'), Decimal('-0.0000000001'), None], pa.decimal128(38, 10)),
      't': pa.array([1709209800123456, -1, None], pa.timestamp('us')),
      'z': pa.array([1709209800123456, -1, None], pa.timestamp('us', 'UTC')),
      'ns': pa.array([1709209800123456789, -1, None], pa.timestamp('ns')),
      'day': pa.array([19782, -1, None], pa.date32()),
    })`,
  });
  await putFrame(framehold.url, 'big', frames.big);
  await putFrame(framehold.url, 'small', frames.small);
  await putFrame(framehold.url, 'exact', frames.exact);
});
after(async () => await framehold.remove());

const sql = (text: string, members: Record<string, unknown> = {}) => postSql(framehold.url, text, members);
const table = (text: string, members: Record<string, unknown> = {}) => sqlTable(framehold.url, text, members);
const getSql = (parameters: Record<string, string>) =>
  getText(`${framehold.url}/v1/sql?${new URLSearchParams(parameters)}`);

async function bytesOf(text: string, fmt: string): Promise<Buffer> {
  const answer = await fetch(`${framehold.url}/v1/sql?fmt=${fmt}`, {
    method: 'POST',
    body: text,
    headers: { 'content-type': 'application/sql' },
  });
  const bytes = Buffer.from(await answer.arrayBuffer());
  assert.equal(answer.status, 200, bytes.toString());
  return bytes;
}

test('json has the shape of /exec', async () => {
  const text = 'select id, name, price from small order by id';
  const answer = await sql(text);
  assert.equal(answer.type, 'application/json; charset=utf-8');
  assert.equal(
    answer.text,
    `{"query":${JSON.stringify(text)},"columns":[{"name":"id","type":"LONG"},{"name":"name","type":"STRING"},{"name":"price","type":"DOUBLE"}],"dataset":[[1,"one",0.5],[2,null,1.25],[3,"three",null]],"count":3}`,
  );
  await assertStrictJson([answer.text]);
});

test('csv, ndjson, arrow and parquet have the same rows', async () => {
  const text = 'select id, name, price from small order by id';
  assert.equal(
    (await bytesOf(text, 'csv')).toString(),
    'id,name,price\r\n1,one,0.5\r\n2,,1.25\r\n3,three,\r\n',
  );
  assert.equal(
    (await bytesOf(text, 'ndjson')).toString(),
    '{"id":1,"name":"one","price":0.5}\n{"id":2,"name":null,"price":1.25}\n{"id":3,"name":"three","price":null}\n',
  );
  const values = { id: [1, 2, 3], name: ['one', null, 'three'], price: [0.5, 1.25, null] };
  assert.deepEqual((await readArrow(await bytesOf(text, 'arrow'))).values, values);
  assert.deepEqual((await readArrow(await bytesOf(text, 'parquet'), 'parquet')).values, values);
});

test('integers, decimals and timestamps keep every digit', async () => {
  const answer = await sql('select * from exact');
  const { dataset } = parseExact(answer.text) as { dataset: unknown[][] };
  assert.deepEqual(dataset, [
    [
      9223372036854775807n,
      18446744073709551615n,
      '12345678901234567890123456.7890123456',
      '2024-02-29T12:30:00.123456Z',
      '2024-02-29T12:30:00.123456Z',
      '2024-02-29T12:30:00.123456789Z',
      '2024-02-29T00:00:00.000Z',
    ],
    [
      -9223372036854775808n,
      0,
      '-0.0000000001',
      '1969-12-31T23:59:59.999999Z',
      '1969-12-31T23:59:59.999999Z',
      '1969-12-31T23:59:59.999999999Z',
      '1969-12-31T00:00:00.000Z',
    ],
    [null, null, null, null, null, null, null],
  ]);
  const quoted = await table('select i, u from exact limit 1', { quoteLargeNum: true });
  assert.deepEqual(quoted.dataset, [['9223372036854775807', '18446744073709551615']]);
  const { values } = await readArrow(await bytesOf('select i, u, d from exact', 'arrow'));
  assert.deepEqual(values.d, ['12345678901234567890123456.7890123456', '-1E-10', null]);
});

test('parameters: a list, an object, every digit of a whole number', async () => {
  const list = await table('select name from small where id = $1 and price < $2', { parameters: [1, 0.75] });
  assert.deepEqual(list.dataset, [['one']]);
  const named = await table('select id from small where name = $name', { parameters: { name: 'three' } });
  assert.deepEqual(named.dataset, [[3]]);
  const big = await getText(`${framehold.url}/v1/sql`, {
    method: 'POST',
    body: '{"sql":"select count(*) as n from exact where i = $1","parameters":[9223372036854775807]}',
    headers: { 'content-type': 'application/json' },
  });
  assert.deepEqual(JSON.parse(big.text).dataset, [[1]], big.text);
  const written = await getText(`${framehold.url}/v1/sql`, {
    method: 'POST',
    body: '{"sql":"select typeof($1), typeof($2), typeof($3), $4::varchar","parameters":[1e5,1.0,7,18446744073709551615]}',
    headers: { 'content-type': 'application/json' },
  });
  assert.deepEqual(JSON.parse(written.text).dataset, [
    ['DOUBLE', 'DOUBLE', 'INTEGER', '18446744073709551615'],
  ]);
  const inUrl = await getSql({ query: 'select id from small where name = $1', parameters: '["three"]' });
  assert.deepEqual(JSON.parse(inUrl.text).dataset, [[3]], inUrl.text);
  const typed = await table('select $1 as a, $2 as b, $3 as c', { parameters: [7, 'seven', null] });
  assert.deepEqual(
    [typed.columns.map(({ name }) => name), typed.dataset],
    [['a', 'b', 'c'], [[7, 'seven', null]]],
  );
  assertProblem(await sql('select $1', { parameters: [1, 2] }), 400);
  assertProblem(await sql('select id from small where id = $1'), 400);
});

test('a statement sees the newest version, or the one it names; the answer says which', async () => {
  const csv = (body: string) => send(framehold.url, '/v1/frames/Steps', body, { type: 'text/csv' });
  await csv('n\n1\n');
  await csv('n\n1\n2\n');
  const newest = await sql('select count(*) as n from steps');
  assert.deepEqual(JSON.parse(newest.text).dataset, [[2]]);
  assert.equal(newest.headers.get('framehold-sources'), 'Steps@2');
  const both = await table(
    'select (select count(*) from "Steps@1") as a, (select count(*) from "steps@2") as b',
  );
  assert.deepEqual(both.dataset, [[1, 2]]);
  assertProblem(await sql('select * from nobody'), 404, 'frame_not_found');
});

test('into holds the rows as a frame', async () => {
  const text = 'select id * 10 as ten from small order by id';
  const made = await sql(text, { into: 'held' });
  assert.equal(made.status, 201, made.text);
  assert.equal(made.headers.get('location'), '/v1/frames/held@1');
  const { rows, frame, query } = JSON.parse(made.text);
  assert.deepEqual([rows, frame.handle, frame.rows, query], [3, 'held@1', 3, text]);
  assert.equal(frame.origin.kind, 'query');
  assertProblem(await sql(text, { into: 'held' }), 412, 'frame_exists');
  assert.equal(JSON.parse((await sql(text, { into: { name: 'held', mode: 'replace' } })).text).frame.rows, 3);
  assert.equal(JSON.parse((await sql(text, { into: { name: 'held', mode: 'append' } })).text).frame.rows, 6);
  assert.deepEqual((await table('select sum(ten)::bigint as s from held')).dataset, [[120]]);
  const minted = JSON.parse((await sql(text, { into: { ttl: '1h' } })).text).frame;
  assert.match(minted.name, /^f_/);
  assert.notEqual(minted.expiresAt, null);
  assertProblem(await sql('drop table held', { into: 'other' }), 400, 'bad_request');
});

test('CREATE TABLE AS, INSERT INTO and DROP TABLE are frame operations', async () => {
  const created = await sql('create table made as select 1::bigint as a');
  assert.equal(created.status, 201, created.text);
  assertProblem(await sql('create table made as select 2 as a'), 412, 'frame_exists');
  const skipped = await sql('create table if not exists made as select 2 as a');
  assert.deepEqual([skipped.status, JSON.parse(skipped.text).frame], [200, null]);
  const inserted = JSON.parse((await sql('insert into made values (2), (3)')).text);
  assert.deepEqual([inserted.rows, inserted.frame.handle, inserted.frame.rows], [2, 'made@2', 3]);
  assert.deepEqual((await table('select a from made order by a')).dataset, [[1], [2], [3]]);
  const dropped = await sql('drop table made');
  assert.deepEqual(
    [dropped.status, JSON.parse(dropped.text)],
    [200, { query: 'drop table made', rows: 0, frame: null }],
  );
  assertProblem(await sql('select * from made'), 410, 'frame_gone');
});

test('GET refuses what changes anything; nothing is changed', async () => {
  for (const query of [
    'create table by_get as select 1 as a',
    'drop table small',
    'insert into small select * from small',
  ])
    assertProblem(await getSql({ query }), 403, 'sql_refused');
  assert.deepEqual((await table('select count(*) as n from small')).dataset, [[3]]);
  assertProblem(await sql('select * from by_get'), 404, 'frame_not_found');
});

test('EXPLAIN gives its text as rows', async () => {
  const { dataset } = await table('explain select * from small where id = 2');
  assert.ok(dataset.length > 0);
  assert.match(JSON.stringify(dataset), /small|READ_PARQUET|SCAN/i);
});

test('limit gives the first rows of a long result and stops the statement', async () => {
  const began = performance.now();
  const { count } = await table('select * from big a, big b', { limit: 5, id: 'limited' });
  assert.equal(count, 5);
  assertTook(performance.now() - began, 20_000);
  await untilQuery(framehold.url, 'limited', null, 1_000);
});

test('the log says how long an answer took, to its last byte', async () => {
  const answer = await fetch(
    `${framehold.url}/v1/sql?fmt=csv&query=${encodeURIComponent('select a.n from big a order by hash(n)')}`,
  );
  await answer.text();
  const id = answer.headers.get('x-request-id') ?? '';
  const line = await framehold.until('the line of the request', () => {
    const found = framehold.lines.find((each) => each.includes('"http-request"') && each.includes(id));
    return found === undefined ? null : JSON.parse(found);
  });
  assert.ok(line.durationMs > 10 && line.durationMs < 60_000, `${line.durationMs} ms`);
});

test('the text of a statement is bounded', async () => {
  const long = `select 1 -- ${'x'.repeat(1024 * 1024)}`;
  assertProblem(await sql(long), 413, 'body_too_large');
});

test('an error has the words of the engine, and names no file of the server', async () => {
  for (const [text, status, code] of [
    ['selec 1', 400, 'sql_invalid'],
    ['select nope from small', 400, 'sql_invalid'],
    ['select 1; select 2', 403, 'sql_refused'],
    ["select * from read_csv('/etc/passwd')", 403, 'sql_refused'],
    ["copy small to '/tmp/x'", 403, 'sql_refused'],
    ["select cast('x' as integer)", 422, 'sql_failed'],
  ] as const) {
    const answer = await sql(text, { id: 'an-error' });
    assertProblem(answer, status, code);
    assert.equal(answer.headers.get('framehold-query-id'), 'an-error');
    assert.ok(!answer.text.includes(framehold.home), answer.text);
  }
});

test('a statement is stopped by its id, before it has given anything', async () => {
  const waiting = sql(endless, { id: 'stop-me' });
  await untilQuery(framehold.url, 'stop-me', 'running', 10_000);
  // Other nodes, if there are any, hear of it a little later than its own.
  let [listed] = await queries(framehold.url);
  await eventually('it is listed', async () => {
    [listed] = await queries(framehold.url);
    return listed !== undefined;
  });
  assert.equal(listed?.query, endless);
  assert.ok(Date.now() - Date.parse(listed?.startedAt ?? '') < 60_000);
  const stopped = await getText(`${framehold.url}/v1/queries/stop-me`, { method: 'DELETE' });
  assert.equal(stopped.status, 204, stopped.text);
  await untilQuery(framehold.url, 'stop-me', null, 1_000);
  assertProblem(await waiting, 409, 'query_cancelled');
  assertProblem(
    await getText(`${framehold.url}/v1/queries/stop-me`, { method: 'DELETE' }),
    404,
    'query_not_found',
  );
});

test('a statement that is stopped while its rows are read is cut, not ended', async () => {
  const answer = await fetch(`${framehold.url}/v1/sql?fmt=ndjson&id=cut-me&query=select+*+from+big+a,+big+b`);
  const reader = answer.body?.getReader();
  await reader?.read();
  await getText(`${framehold.url}/v1/queries/cut-me`, { method: 'DELETE' });
  await untilQuery(framehold.url, 'cut-me', null, 1_000);
  await assert.rejects(async () => {
    for (;;) if ((await reader?.read())?.done !== false) return;
  });
});

test('a caller that leaves stops its statement within a second, before and while it reads', async () => {
  for (const [id, query] of [
    ['leave-1', endless],
    ['leave-2', 'select * from big a, big b'],
  ] as const) {
    const abort = new AbortController();
    const request = fetch(`${framehold.url}/v1/sql?${new URLSearchParams({ id, query, fmt: 'csv' })}`, {
      signal: abort.signal,
    });
    request.catch(() => {});
    await untilQuery(framehold.url, id, 'running', 10_000);
    if (id === 'leave-2') await (await request).body?.getReader().read();
    abort.abort();
    await untilQuery(framehold.url, id, null, 1_000);
  }
});

/** Checks each row of an Arrow stream against the others; gives their number. */
const checkRows = `
import json, sys
import pyarrow as pa, pyarrow.compute as pc
request = json.load(sys.stdin)
rows = 0
for batch in pa.ipc.open_stream(request['path']):
    n = batch.column(0)
    assert n.to_pylist() == list(range(rows, rows + len(n))), rows
    assert pc.all(pc.equal(batch.column(1), pc.multiply(n, 2))).as_py(), rows
    assert pc.all(pc.equal(batch.column(2), pc.binary_join_element_wise('row', n.cast(pa.string()), ' '))).as_py(), rows
    rows += len(batch)
print(rows)
`;

test('every row of a large result arrives as it is, to slow readers at once and in every coding', async (t) => {
  const query = "select n, n * 2 as twice, 'row ' || n as s from range(1000000) t(n)";
  const url = `${framehold.url}/v1/sql?${new URLSearchParams({ query, fmt: 'arrow' })}`;
  const folder = temporaryFolder('large-result');
  t.after(() => removeFolder(folder));
  await Promise.all(
    ['identity', 'identity', 'gzip', 'zstd'].map(async (coding, index) => {
      const answer = await fetch(url, { headers: { 'accept-encoding': coding } });
      assert.equal(answer.headers.get('content-encoding') ?? 'identity', coding);
      const path = join(folder, String(index));
      for await (const chunk of answer.body ?? []) {
        appendFileSync(path, chunk);
        await timePasses(index, 'a slow reader');
      }
      assert.equal(await runPython(['-c', checkRows], { path }), 1_000_000, coding);
    }),
  );
});

test('a failure at row 900,000 is never a complete answer, in any format or coding', async () => {
  const query = 'select n, cast(s as integer) as i from big';
  let cut = 0;
  for (const fmt of formats)
    for (const coding of ['identity', 'gzip', 'zstd']) {
      const id = `cut-${fmt}-${coding}`;
      const url = `${framehold.url}/v1/sql?${new URLSearchParams({ query, fmt, id })}`;
      const answer = await untilItsEnd(url, { 'accept-encoding': coding });
      assertBroken(answer, `${fmt} ${coding}`);
      if (answer.status === 200) cut++;
      await untilQuery(framehold.url, id, null, 5_000);
      let told = { state: '', error: { code: '', status: 0, detail: '' } };
      // Another node may learn it a moment later.
      await eventually('it has failed', async () => {
        told = JSON.parse((await getText(`${framehold.url}/v1/queries/${id}`)).text);
        return told.state === 'failed';
      });
      const { error } = told;
      assert.deepEqual([error.code, error.status], ['sql_failed', 422], id);
      assert.match(error.detail, /Conversion Error.*'x'/s, id);
    }
  assert.ok(cut > 0, 'some of them had begun');
  const held = await sql(query, { into: 'never_made' });
  assertProblem(held, 422, 'sql_failed');
  assertProblem(await sql('select * from never_made'), 404, 'frame_not_found');
});

/** An error status, or a body that is cut. */
function assertBroken({ status, complete, body }: WholeOrCut, what: string): void {
  if (status === 200) assert.equal(complete, false, what);
  else {
    assert.equal(status, 422, what);
    assert.equal(JSON.parse(body.toString()).code, 'sql_failed', what);
  }
}

test('whole numbers of 128 bits are numbers, and decimals are texts', async () => {
  const sql =
    "select sum(n) as s, [sum(n)] as l, {'h': sum(n)} as m, sum(n)::decimal(38, 0) as d, 12::uhugeint as u from big";
  const { columns, dataset } = await sqlTable(framehold.url, sql);
  assert.deepEqual(columns, [
    { name: 's', type: 'HUGEINT' },
    { name: 'l', type: 'ARRAY', dim: 1, elemType: 'HUGEINT' },
    { name: 'm', type: 'STRUCT' },
    { name: 'd', type: 'DECIMAL(38,0)' },
    { name: 'u', type: 'UHUGEINT' },
  ]);
  assert.deepEqual(dataset, [[499999500000, [499999500000], { h: 499999500000 }, '499999500000', 12]]);
  const largest = '9'.repeat(38);
  const lines = await postSql(
    framehold.url,
    `select ${largest}::hugeint as h, -${largest}::hugeint as n`,
    {},
    '/v1/sql?fmt=ndjson',
  );
  assert.equal(lines.text, `{"h":${largest},"n":-${largest}}\n`);
  const quoted = await postSql(framehold.url, 'select 1::hugeint as h', { quoteLargeNum: true });
  assert.match(quoted.text, /"dataset":\[\["1"\]\]/);
});

test('a held sum is a decimal like any other, and results in Arrow have no mark', async () => {
  const made = await postSql(
    framehold.url,
    'create or replace table held_sum as select sum(n) as s from big',
  );
  assert.equal(made.status, 201, made.text);
  const held = await getText(`${framehold.url}/exec?handle=held_sum&fmt=json`);
  assert.deepEqual(JSON.parse(held.text).columns, [{ name: 's', type: 'DECIMAL(38,0)' }]);
  assert.deepEqual(JSON.parse(held.text).dataset, [['499999500000']]);
});

test('a date that was exported can be appended', async () => {
  for (const [fmt, type] of [
    ['csv', 'text/csv'],
    ['ndjson', 'application/x-ndjson'],
  ] as const) {
    const name = `days_${fmt}`;
    await postSql(
      framehold.url,
      `create or replace table ${name} as select date '2025-12-31' as day, 1 as n`,
    );
    const exported = await getText(`${framehold.url}/exp?handle=${name}&fmt=${fmt}`);
    assert.equal(exported.status, 200, exported.text);
    assert.match(exported.text, /2025-12-31\b(?!T)/);
    const types = encodeURIComponent(JSON.stringify({ day: 'DATE', n: 'INTEGER' }));
    const appended = await getText(`${framehold.url}/v1/frames/${name}/rows?types=${types}`, {
      method: 'POST',
      body: exported.text,
      headers: { 'content-type': type },
    });
    assert.ok(appended.status < 300, appended.text);
    assert.deepEqual(
      (await sqlTable(framehold.url, `select count(*) as c from ${name} where day = date '2025-12-31'`))
        .dataset,
      [[2]],
    );
  }
});

test('no object of an answer has a key twice', async () => {
  const sql = 'select 1 as a, 2 as a, 3 as "a_1"';
  assert.equal(
    (await postSql(framehold.url, sql, {}, '/v1/sql?fmt=ndjson')).text,
    '{"a":1,"a_2":2,"a_1":3}\n',
  );
});
