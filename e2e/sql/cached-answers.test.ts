/** Statements that are sent again, against the started command: which answers come from memory, and for whom. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { frameholdTenant, frameholdToken, newToken } from '../../server/test/support/framehold-tokens.ts';
import { arrowBytes, runPython } from '../../server/test/support/python.ts';

const bytesMax = 4 * 1024 * 1024;
const grouped = 'select g, sum(n) as total from t group by g order by g';

let framehold: Framehold;
let owner: string;
let other: string;
/** May read the metrics, and nothing else. */
let scraper: string;
let bodies: Record<'t' | 'more' | 'wide', Uint8Array<ArrayBuffer>>;

before(async () => {
  framehold = await Framehold.start({
    env: { FRAMEHOLD_SQL_ANSWERS_BYTES_MAX: String(bytesMax), FRAMEHOLD_SQL_PROCESSES_MAX: '1' },
  });
  owner = newToken(framehold.dataDirectory, 'a', 'admin');
  scraper = newToken(framehold.dataDirectory, 'a', 'metrics');
  other = newToken(framehold.dataDirectory, 'b', 'write');
  bodies = await arrowBytes({
    t: "pa.table({'g': ['x', 'y', 'x'], 'n': pa.array([1, 2, 9007199254740993], pa.int64()), 'd': [0.5, None, 2.5]})",
    more: "pa.table({'g': ['z'], 'n': pa.array([5], pa.int64()), 'd': [1.5]})",
    wide: "pa.table({'s': ['x' * 1000 for _ in range(2000)]})",
  });
});
after(() => framehold?.remove());

interface Asked {
  readonly token?: string;
  readonly fmt?: string;
  readonly members?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly headers: Headers;
  readonly isKept: boolean;
}

async function ask(
  sql: string,
  { token = owner, fmt = 'json', members, headers }: Asked = {},
): Promise<Answer> {
  const answer = await fetch(`${framehold.url}/v1/sql?fmt=${fmt}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ sql, ...members }),
  });
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const text = Buffer.from(bytes).toString();
  const isKept = (answer.headers.get('server-timing') ?? '').split(', ').includes('kept');
  return { status: answer.status, text, bytes, headers: answer.headers, isKept };
}

async function send(path: string, method: string, body?: Uint8Array<ArrayBuffer> | string, token = owner) {
  const isText = typeof body === 'string';
  const answer = await fetch(`${framehold.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined
        ? {}
        : { 'content-type': isText ? 'application/json' : 'application/vnd.apache.arrow.stream' }),
    },
    ...(body === undefined ? {} : { body }),
  });
  const text = await answer.text();
  assert.ok(answer.ok, `${method} ${path}: ${text}`);
}

const put = (name: string, body = bodies.t, token = owner) => send(`/v1/frames/${name}`, 'PUT', body, token);

async function assertFresh(sql: string, asked: Asked = {}): Promise<Answer> {
  const answer = await ask(sql, asked);
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.isKept, false, `${sql} ran`);
  return answer;
}

async function assertKept(sql: string, asked: Asked = {}): Promise<Answer> {
  const answer = await ask(sql, asked);
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.isKept, true, `${sql} was kept`);
  return answer;
}

async function metric(name: string): Promise<number> {
  const headers = { authorization: `Bearer ${scraper}` };
  const text = await (await fetch(`${framehold.url}/metrics`, { headers })).text();
  const line = text.split('\n').find((each) => each.startsWith(`${name} `));
  assert.ok(line, name);
  return Number(line.slice(name.length));
}

describe('over HTTP', () => {
  test('the same statement gives the same bytes and headers, without an engine', async () => {
    await put('t');
    const first = await assertFresh(grouped);
    const again = await assertKept(grouped);
    assert.equal(again.text, first.text);
    assert.match(again.text, /9007199254740994/);
    for (const header of ['content-type', 'vary', 'framehold-sources', 'cache-control'])
      assert.equal(again.headers.get(header), first.headers.get(header), header);
    assert.notEqual(again.headers.get('framehold-query-id'), first.headers.get('framehold-query-id'));
    const id = again.headers.get('framehold-query-id') ?? '';
    assert.match(again.headers.get('content-disposition') ?? '', new RegExp(id));
    assert.match(
      again.headers.get('server-timing') ?? '',
      /^queue;dur=0\.0, prepare;dur=[0-9.]+, kept(, catalog;dur=[0-9.]+)?$/,
    );
  });

  test('it is in the history as often as it was sent', async () => {
    await assertKept(grouped, { members: { id: 'a-kept-one' } });
    await framehold.until('the entry', async () => {
      const headers = { authorization: `Bearer ${owner}` };
      const answer = await fetch(`${framehold.url}/v1/history?limit=50`, { headers });
      const text = await answer.text();
      return text.includes('a-kept-one') ? true : null;
    });
  });

  test('each format, limit, option and coding has its own', async () => {
    for (const fmt of ['json', 'csv', 'ndjson', 'arrow', 'parquet'])
      for (const members of [{}, { limit: 1 }, { limit: 0 }, { limit: 1, quoteLargeNum: true }])
        for (const coding of ['identity', 'gzip', 'zstd']) {
          const asked = { fmt, members, headers: { 'accept-encoding': coding } };
          // The first answer of this form may have been sent by an earlier test.
          const one = await ask(grouped, asked);
          const again = await assertKept(grouped, asked);
          assert.equal(one.status, 200, one.text);
          assert.equal(again.headers.get('content-encoding'), one.headers.get('content-encoding'));
          assert.deepEqual(again.bytes, one.bytes, `${fmt} ${JSON.stringify(members)} ${coding}`);
        }
    const { text } = await assertKept(grouped, { members: { limit: 1 }, fmt: 'csv' });
    assert.equal(text.trim().split('\n').length, 2);
  });

  test('parameters with equal texts and other types are others', async () => {
    const sql = 'select typeof($1) as type, $1 as value, count(*) as n from t';
    const seen = new Set<string>();
    for (const literal of [
      '1',
      '1.0',
      '"1"',
      'true',
      '"true"',
      'null',
      '"null"',
      '-0.0',
      '0',
      '[1]',
      '["1"]',
    ]) {
      const url = `${framehold.url}/v1/sql?${new URLSearchParams({ query: sql, parameters: `[${literal}]` })}`;
      const get = () => fetch(url, { headers: { authorization: `Bearer ${owner}` } });
      const first = await get();
      const text = await first.text();
      const again = await get();
      const kept = await again.text();
      assert.equal(first.status, 200, text);
      assert.doesNotMatch(first.headers.get('server-timing') ?? '', /kept/, literal);
      assert.match(again.headers.get('server-timing') ?? '', /kept/, literal);
      assert.equal(kept, text);
      seen.add(text);
    }
    assert.equal(seen.size, 11);
  });

  test('an append, a replace, a restore and a drop count at once', async () => {
    await put('changing');
    const sql = 'select count(*) as n from changing';
    const rows = (answer: Answer) => JSON.parse(answer.text).dataset[0][0];
    assert.equal(rows(await assertFresh(sql)), 3);
    assert.equal(rows(await assertKept(sql)), 3);
    await send('/v1/frames/changing/rows', 'POST', bodies.more);
    assert.equal(rows(await assertFresh(sql)), 4);
    await put('changing', bodies.more);
    assert.equal(rows(await assertFresh(sql)), 1);
    await send('/v1/frames/changing/restore?version=1', 'POST');
    assert.equal(rows(await assertFresh(sql)), 3);
    assert.equal(rows(await assertKept(sql)), 3);
    await send('/v1/frames/changing', 'DELETE');
    assert.equal((await ask(sql)).status, 410);
    await send('/v1/frames/changing/undrop', 'POST');
    assert.equal(rows(await assertFresh(sql)), 3);
    await send('/v1/frames/changing', 'PATCH', '{"ttl": "1s"}');
    await framehold.until('its expiry', async () => ((await ask(sql)).status === 410 ? true : null));
  });

  test('a statement that changes something runs each time', async () => {
    const sql = `create or replace table made as ${grouped}`;
    for (let times = 1; times <= 3; times++) {
      const { status, text } = await ask(sql);
      assert.equal(status, 201, text);
      assert.equal(JSON.parse(text).frame.version, times);
    }
    const into = { members: { into: { name: 'put_into', mode: 'replace' } } };
    for (let times = 0; times < 2; times++) assert.equal((await ask(grouped, into)).status, 201);
  });

  test('what reads a clock, a random source, a session, a sample or other sources runs each time', async () => {
    for (const sql of [
      'select now() as x from t',
      'select current_date as x from t',
      'select current_timestamp as x from t',
      'select localtime as x from t',
      'select today() as x from t',
      "select age(timestamp '2020-01-01')::varchar as x from t",
      'select get_current_time()::varchar as x from t',
      'select ago(interval 1 day)::varchar as x from t',
      'select random() as x from t',
      'select uuid()::varchar as x from t',
      'select n from t order by random()',
      'select txid_current()::varchar as x from t',
      'select current_user as x from t',
      'select current_schema() as x from t',
      'select version() as x from t',
      'select reservoir_quantile(n, 0.5) as x from t',
      'select n from t using sample 2',
      'select n from t tablesample 50%',
      'select n from t, (select random() r)',
      "select list_aggregate([1, 2], 'reservoir_quantile', 0.5)::varchar as x from t",
      'select name from t, pg_timezone_names() limit 1',
      'select table_name from t, information_schema.tables limit 1',
      'describe t',
      'summarize t',
      'show tables',
      'explain select * from t',
      'explain analyze select * from t',
      'select 1',
      'select count(*) from range(10)',
    ]) {
      await assertFresh(sql);
      await assertFresh(sql);
    }
    const first = await assertFresh('select random() as x, n from t order by n');
    assert.notEqual((await assertFresh('select random() as x, n from t order by n')).text, first.text);
  });

  test('an answer that failed is not kept', async () => {
    const sql = 'select cast(g as integer) as x from t';
    for (let times = 0; times < 2; times++) {
      const { status, text } = await ask(sql);
      assert.equal(status, 422, text);
    }
  });

  test('texts that differ in a letter or a comment are other statements', async () => {
    await assertFresh('select min(n) from t');
    await assertFresh('select MIN(n) from t');
    await assertFresh('select min(n) from t -- again');
    await assertKept('select min(n) from t');
  });
});

describe('for whom', () => {
  test('another tenant with the same text and equal names gets its own rows', async () => {
    await assertKept(grouped);
    assert.equal((await ask(grouped, { token: other })).status, 404);
    await put('t', bodies.more, other);
    const theirs = await assertFresh(grouped, { token: other });
    assert.deepEqual(JSON.parse(theirs.text).dataset, [['z', 5]]);
    assert.deepEqual(JSON.parse((await assertKept(grouped, { token: other })).text).dataset, [['z', 5]]);
    assert.equal(JSON.parse((await assertKept(grouped)).text).dataset.length, 2);
  });

  test('a frame that is no longer shared is no longer read', async () => {
    await put('shared');
    await send('/v1/frames/shared/shares/b', 'PUT');
    const sql = 'select count(*) as n from "a:shared"';
    await assertFresh(sql, { token: other });
    const kept = await assertKept(sql, { token: other });
    assert.equal(kept.headers.get('framehold-sources'), 'a:shared@1');
    await send('/v1/frames/shared/shares/b', 'DELETE');
    assert.equal((await ask(sql, { token: other })).status, 404);
  });

  test('a token without the right, or that was revoked, gets nothing', async () => {
    await assertKept(grouped);
    const revoked = newToken(framehold.dataDirectory, 'a', 'read');
    await assertKept(grouped, { token: revoked });
    frameholdToken(framehold.dataDirectory, 'revoke', revoked);
    await framehold.until('the revocation', async () =>
      (await ask(grouped, { token: revoked })).status === 401 ? true : null,
    );
    assert.equal((await ask(grouped, { token: scraper })).status, 403);
    await assertKept(grouped);
  });

  test('the limits of the tenant count', async () => {
    await assertKept(grouped);
    frameholdTenant(
      framehold.dataDirectory,
      'set',
      'a',
      '--requests-per-second',
      '1',
      '--requests-burst',
      '1',
    );
    try {
      await framehold.until('a refusal', async () => ((await ask(grouped)).status === 429 ? true : null));
    } finally {
      frameholdTenant(
        framehold.dataDirectory,
        'set',
        'a',
        '--requests-per-second',
        'default',
        '--requests-burst',
        'default',
      );
    }
  });
});

/** Takes the only place in the engine until it is called. */
async function holdEngine(): Promise<() => void> {
  const held = await fetch(`${framehold.url}/v1/sql?fmt=csv`, {
    method: 'POST',
    headers: { authorization: `Bearer ${owner}`, 'content-type': 'application/json' },
    body: JSON.stringify({ sql: 'select range n from range(1000000000)' }),
  });
  assert.equal(held.status, 200);
  // Refers to the answer: fetch cancels one that the garbage collector finds, which would free the place.
  return () => void held.body?.cancel();
}

test('answers and columns that are known need no place in the engine', async () => {
  const sql = 'select g, n from t where n < 5 order by n';
  const fetchTwice = `
import json, sys, warnings
import adbc_driver_flightsql.dbapi as dbapi
import adbc_driver_flightsql
warnings.simplefilter('ignore')
request = json.load(sys.stdin)
headers = {adbc_driver_flightsql.DatabaseOptions.AUTHORIZATION_HEADER.value: 'Bearer ' + request['token']}
with dbapi.connect(request['url'], headers, autocommit=True) as connection, connection.cursor() as cursor:
    rows = []
    for sql in request['texts']:
        cursor.execute(sql)
        table = cursor.fetch_arrow_table()
        rows.append([str(table.schema), table.to_pydict()])
print(json.dumps(rows))
`;
  const overFlight = (texts: readonly string[]) =>
    runPython(['-c', fetchTwice], { url: framehold.grpcUrl, token: owner, texts });
  const first = await overFlight([sql]);
  const json = await assertKept(sql);
  const release = await holdEngine();
  try {
    assert.equal((await assertKept(sql)).text, json.text);
    assert.deepEqual(await overFlight([sql, sql]), [...(first as unknown[]), ...(first as unknown[])]);
  } finally {
    release();
  }
  assert.deepEqual((first as [string, unknown][])[0]?.[1], { g: ['x', 'y'], n: [1, 2] });
  assert.deepEqual(JSON.parse(json.text).dataset, [
    ['x', 1],
    ['y', 2],
  ]);
  // What Flight has kept follows the versions, too.
  await put('flown');
  const counted = 'select count(*) as n from flown';
  const one = await overFlight([counted, counted]);
  await send('/v1/frames/flown/rows', 'POST', bodies.more);
  const two = await overFlight([counted, counted]);
  const counts = [one, two].map((rows) => (rows as [string, { n: number[] }][]).map(([, { n }]) => n[0]));
  assert.deepEqual(counts, [
    [3, 3],
    [4, 4],
  ]);
});

test('the answers stay within their memory, and one takes a sixteenth at most', async () => {
  await put('wide', bodies.wide);
  // Compressed, these rows are nothing.
  const plain = { fmt: 'csv', headers: { 'accept-encoding': 'identity' } };
  const large = 'select s from wide limit 1000';
  await assertFresh(large, plain);
  await assertFresh(large, plain);
  const texts = Array.from({ length: 60 }, (_, index) => `select s from wide limit ${100 + index}`);
  for (const text of texts) await assertFresh(text, plain);
  const bytes = await metric('framehold_sql_answers_bytes');
  assert.ok(bytes > bytesMax / 2 && bytes <= bytesMax, `${bytes}`);
  assert.ok((await metric('framehold_sql_answers_kept')) < 60);
  await assertKept(texts.at(-1) as string, plain);
  await assertFresh(texts[0] as string, plain);
  assert.ok((await metric('framehold_sql_answers_total{result="hit"}')) > 10);
});

test('with 0 every statement runs', async () => {
  const off = await Framehold.start({ env: { FRAMEHOLD_SQL_ANSWERS_BYTES_MAX: '0' } });
  try {
    await fetch(`${off.url}/v1/frames/t`, {
      method: 'PUT',
      headers: { 'content-type': 'application/vnd.apache.arrow.stream' },
      body: bodies.t,
    });
    for (let times = 0; times < 3; times++) {
      const answer = await fetch(`${off.url}/v1/sql?${new URLSearchParams({ query: grouped })}`);
      assert.equal(answer.status, 200);
      assert.doesNotMatch(answer.headers.get('server-timing') ?? '', /kept/);
      await answer.text();
    }
  } finally {
    await off.remove();
  }
});
