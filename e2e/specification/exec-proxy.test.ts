import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { FakeUpstream } from '../../server/test/support/fake-upstream.ts';
import { exec } from '../../server/test/support/frame-client.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import {
  type Questdb,
  questdbExec,
  questdbRows,
  useQuestdb,
} from '../../server/test/support/questdb-process.ts';
import { rawGet } from '../../server/test/support/raw-http.ts';

let questdb: Questdb;
let framehold: Framehold;
before(async () => {
  questdb = await useQuestdb();
  framehold = await Framehold.start({ env: { SERVICE_TSDB_HTTP_URL: questdb.url } });
  await questdbExec(questdb.url, 'drop table if exists trades');
  await questdbExec(
    questdb.url,
    `create table trades as (select x id, rnd_symbol('a','b','c') sym, x * 1.25 price, x * 1000000000 big,
     timestamp_sequence('2024-01-01', 1000000) ts from long_sequence(5000)) timestamp(ts) partition by day`,
  );
  await questdbRows(questdb.url, 'trades', 5000);
});
after(async () => {
  await framehold.remove();
  await questdb.stop();
});

/** Body, status and content type must be those of the database asked directly. */
async function assertSame(parameters: string): Promise<Buffer> {
  const [direct, through] = await Promise.all([
    rawGet(questdb.url, `/exec?${parameters}`),
    rawGet(framehold.url, `/exec?${parameters}`),
  ]);
  assert.ok(direct.complete && through.complete, 'both whole');
  assert.equal(through.status, direct.status);
  assert.equal(through.headers['content-type'], direct.headers['content-type']);
  assert.ok(
    through.body.equals(direct.body),
    `${through.body.subarray(0, 300)}\n≠\n${direct.body.subarray(0, 300)}`,
  );
  return through.body;
}

const encode = encodeURIComponent;

test('4.2 proxy mode: sent to {tsdb_url}/exec?query=<sql>&fmt=json, answered with its result', async () => {
  const body = await assertSame(`query=${encode('select 1')}&fmt=json`);
  assert.deepEqual(JSON.parse(body.toString()).dataset, [[1]]);
});

test('4.2 query and fmt are forwarded', async () => {
  const upstream = await FakeUpstream.start(({ socket }) => {
    socket.end('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}');
  });
  const own = await Framehold.start({ env: { SERVICE_TSDB_HTTP_URL: upstream.url } });
  try {
    const sql = 'select \'é+ %&=\' from t where a = "b"';
    assert.equal((await exec(own.url, { query: sql, fmt: 'json' })).status, 200);
    const target = /^GET (\S+) HTTP\/1\.1\r\n/.exec(upstream.seen[0]?.head ?? '')?.[1] ?? '';
    const url = new URL(target, upstream.url);
    assert.equal(url.pathname, '/exec');
    assert.deepEqual(
      [...url.searchParams],
      [
        ['query', sql],
        ['fmt', 'json'],
      ],
    );
  } finally {
    await own.remove();
    await upstream.stop();
  }
});

const queries: readonly [string, string][] = [
  ['rows of every type of a table', 'select * from trades limit 50'],
  ['an aggregate', 'select sym, avg(price), max(ts) from trades order by sym'],
  ['64-bit numbers', 'select 9223372036854775807 l, -9223372036854775807 m'],
  ['text outside ASCII', 'select \'grüße \u{1F600} "quoted" \\\\ \' t'],
  ['no rows', 'select * from trades where id < 0'],
  ['nulls and NaN', "select null n, cast('NaN' as double) d, cast(null as long) l"],
  ['a syntax error', 'selec nothing'],
  ['an unknown table', 'select * from no_such_table_at_all'],
  ['an empty query text of spaces', '  '],
];
for (const [title, sql] of queries) {
  test(`decided: status, content type and body are the database's, byte for byte: ${title}`, async () => {
    await assertSame(`query=${encode(sql)}&fmt=json`);
  });
}

test("decided: the database's errors keep their status 400 and their position", async () => {
  const body = JSON.parse(
    (await assertSame(`query=${encode('select * from no_such_table')}&fmt=json`)).toString(),
  );
  assert.deepEqual(Object.keys(body).sort(), ['error', 'position', 'query']);
});

test('decided: DDL passes', async () => {
  const answer = await exec(framehold.url, { query: 'create table if not exists made (a int)', fmt: 'json' });
  assert.equal(answer.status, 200);
  assert.deepEqual(JSON.parse(answer.text), { ddl: 'OK' });
  await assertSame(`query=${encode('create table if not exists made (a int)')}&fmt=json`);
  await assertSame(`query=${encode('drop table if exists no_such')}&fmt=json`);
});

test('decided: 100,000 rows are streamed unchanged', async () => {
  const sql =
    'select x, x * 1.5 y, timestamp_sequence(0, 1000000) t, cast(x as string) s from long_sequence(100000)';
  const body = await assertSame(`query=${encode(sql)}&fmt=json`);
  assert.equal(JSON.parse(body.toString()).count, 100_000);
});

for (const parameter of [
  'limit=3',
  'limit=10,12',
  'limit=wrong',
  'cols=id,ts',
  'count=true',
  'nm=true',
  'explain=true',
  'quoteLargeNum=true',
]) {
  test(`decided: QuestDB's own parameter ${parameter} is forwarded as given`, async () => {
    const sql = encode('select id, big, ts from trades');
    await assertSame(`query=${sql}&fmt=json&${parameter}`);
    await assertSame(`${parameter}&fmt=json&query=${sql}`);
  });
}

test("decided: QuestDB's own parameter timings is forwarded as given", async () => {
  const answer = await exec(framehold.url, { query: 'select 1', fmt: 'json', timings: 'true' });
  assert.ok('timings' in JSON.parse(answer.text), answer.text);
});

test('4.2 no database configured: 412, even if a frame has the name of a table', async () => {
  const own = await Framehold.start();
  try {
    assert.equal((await exec(own.url, { query: 'select * from trades', fmt: 'json' })).status, 412);
  } finally {
    await own.remove();
  }
});
