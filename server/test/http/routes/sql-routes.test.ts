import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { renderPools } from '../../../src/compose/workers/worker-pools.ts';
import { WorkerRenderer } from '../../../src/encode/renderer.ts';
import type { Reading } from '../../../src/ports/reading.ts';
import { rowFormats } from '../../../src/ports/renderer.ts';
import { collect, readingOf, sampleFrames } from '../../encode/sample-frames.ts';
import { assertProblem, getText, type TextAnswer } from '../../support/frame-client.ts';
import { eventually } from '../../support/patience.ts';
import { rawHttp } from '../../support/raw-http.ts';
import { type BareListener, startBareListener } from '../bare-listener.ts';
import { SampleSql } from '../sample-sql.ts';

const never = new AbortController().signal;
const textBytesMax = 2_000;

let renderer: WorkerRenderer;
let reading: Reading;
let sql: SampleSql;
let listener: BareListener;
let url: string;

before(async () => {
  renderer = new WorkerRenderer(renderPools({ threads: 1 }));
  const frames = await sampleFrames();
  reading = readingOf([frames.path('long')]);
  sql = new SampleSql(reading, renderer);
  listener = await startBareListener({
    sql,
    renderer,
    limits: { urlBytesMax: 8_000, headerBytesMax: 16_000, sqlTextBytesMax: textBytesMax },
  });
  url = listener.url;
});
after(async () => {
  await listener.close();
  await renderer.close();
});

function post(body: unknown, path = '/v1/sql', headers: Record<string, string> = {}): Promise<TextAnswer> {
  return getText(`${url}${path}`, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  });
}

const last = () => sql.requests.at(-1);

test('every format, by fmt and by Accept, has the bytes that a held frame would have', async () => {
  for (const format of rowFormats) {
    const options = { format, query: 'rows', quoteLargeNumbers: false };
    const held = await collect(renderer.render(reading, options, never));
    const byFmt = await fetch(`${url}/v1/sql?query=rows&fmt=${format}`);
    assert.ok(Buffer.from(await byFmt.arrayBuffer()).equals(held), format);
    const accept = byFmt.headers.get('content-type') ?? '';
    const byAccept = await fetch(`${url}/v1/sql`, {
      method: 'POST',
      body: 'rows',
      headers: { accept, 'content-type': 'application/sql', 'accept-encoding': 'gzip' },
    });
    assert.ok(Buffer.from(await byAccept.arrayBuffer()).equals(held), accept);
    assert.equal(byAccept.headers.get('content-encoding'), format === 'parquet' ? null : 'gzip');
  }
  assertProblem(await post({ sql: 'rows' }, '/v1/sql?fmt=xml'), 400, 'bad_request');
  assertProblem(await post({ sql: 'rows' }, '/v1/sql', { accept: 'image/png' }), 406, 'not_acceptable');
});

test('headers give the id, the versions read and the times, and forbid caching', async () => {
  const { headers } = await post({ sql: 'rows' }, '/v1/sql?limit=1');
  assert.match(headers.get('framehold-query-id') ?? '', /^q_[a-z2-7]{26}$/);
  assert.equal(headers.get('framehold-sources'), 'trades@3, other@1');
  assert.equal(headers.get('cache-control'), 'no-store');
  assert.match(headers.get('server-timing') ?? '', /^queue;dur=1\.0, prepare;dur=2\.3, first;dur=[\d.]+$/);
});

test('the caller chooses the id, in one place; answers with errors have it as well', async () => {
  const header = { 'framehold-query-id': 'mine-1' };
  for (const answer of [
    await post({ sql: 'broken', id: 'mine-1' }),
    await post({ sql: 'broken' }, '/v1/sql', header),
    await post({ sql: 'broken', id: 'mine-1' }, '/v1/sql?id=mine-1', header),
    await getText(`${url}/v1/sql?query=broken&id=mine-1`),
  ]) {
    assertProblem(answer, 400, 'sql_invalid');
    assert.equal(answer.headers.get('framehold-query-id'), 'mine-1');
    assert.equal(last()?.id, 'mine-1');
  }
  const unread = await post('{', '/v1/sql', header);
  assertProblem(unread, 400, 'bad_request');
  assert.equal(unread.headers.get('framehold-query-id'), 'mine-1');
  assertProblem(await post({ sql: 'rows', id: 'other' }, '/v1/sql', header), 400, 'bad_request');
  assertProblem(await post({ sql: 'rows', id: 'a b' }), 400, 'bad_request');
  assertProblem(await post({ sql: 'rows', id: 7 }), 400, 'bad_request');
});

test('the engine is named in the body, in the URL or in a header, and in one way', async () => {
  const text = { 'content-type': 'application/sql' };
  const spark = { 'framehold-engine': 'spark' };
  const requests = [
    () => post({ sql: 'rows', engine: 'spark' }),
    () => post({ sql: 'rows' }, '/v1/sql', spark),
    () => post({ sql: 'rows', engine: 'spark' }, '/v1/sql', spark),
    () => post('rows', '/v1/sql?engine=spark', text),
    () => post('rows', '/v1/sql', { ...text, ...spark }),
    () => getText(`${url}/v1/sql?query=rows&engine=spark`),
    () => getText(`${url}/v1/sql?query=rows`, { headers: spark }),
  ];
  for (const send of requests) {
    assert.equal((await send()).status, 200);
    assert.equal(last()?.engine, 'spark');
  }
  await post({ sql: 'rows', engine: null });
  assert.equal(last()?.engine, undefined);
  const before = sql.requests.length;
  for (const answer of [
    await post({ sql: 'rows', engine: 'duckdb' }, '/v1/sql', spark),
    await post({ sql: 'rows', engine: 7 }),
    await post({ sql: 'rows', engine: '' }),
    await post({ sql: 'rows' }, '/v1/sql?engine=spark'),
    await post('rows', '/v1/sql?engine=duckdb', { ...text, ...spark }),
    await getText(`${url}/v1/sql?query=rows&engine=`),
  ])
    assertProblem(answer, 400, 'bad_request');
  const unknown = await getText(`${url}/v1/sql?query=rows&engine=trino`);
  assertProblem(unknown, 400, 'bad_request');
  assert.match(JSON.parse(unknown.text).hint, /duckdb, spark/);
  assert.equal(sql.requests.length, before);
});

test('parameters keep every digit of a whole number', async () => {
  await post(
    '{"sql":"change","parameters":[9007199254740993,-18446744073709551616,1,1.0,1e5,0.5,"x",null,true]}',
  );
  const values = [9007199254740993n, -18446744073709551616n, 1n, 1, 1e5, 0.5, 'x', null, true];
  assert.deepEqual(last()?.parameters, { kind: 'json', values });
  await post({ sql: 'change', parameters: { name: [1, { a: 2 }] } });
  assert.deepEqual(last()?.parameters, { kind: 'json', values: { name: [1n, { a: 2n }] } });
  await getText(`${url}/v1/sql?query=rows&limit=0&parameters=${encodeURIComponent('[9007199254740993]')}`);
  assert.deepEqual(last()?.parameters, { kind: 'json', values: [9007199254740993n] });
  assertProblem(await post('{"sql":"rows","parameters":[1e400]}'), 400, 'bad_request');
  assertProblem(await post({ sql: 'rows', parameters: 'x' }), 400, 'bad_request');
});

test('into is a name, or an object; without a name the server chooses one', async () => {
  const cases: [unknown, unknown][] = [
    ['result', { name: 'result', mode: 'create' }],
    [{}, { name: null, mode: 'create' }],
    [
      { name: 'r', mode: 'replace', ttl: '1h' },
      { name: 'r', mode: 'replace', ttlMs: 3_600_000 },
    ],
    [
      { name: 'r', mode: 'append', ttl: 60 },
      { name: 'r', mode: 'append', ttlMs: 60_000 },
    ],
  ];
  for (const [into, target] of cases) {
    assert.equal((await post({ sql: 'rows', into })).status, 201);
    assert.deepEqual(last()?.into, target);
  }
  const text = { 'content-type': 'text/plain; charset=utf-8' };
  assert.equal((await post('rows', '/v1/sql?into=r&mode=append&ttl=1h', text)).status, 201);
  assert.deepEqual(last()?.into, { name: 'r', mode: 'append', ttlMs: 3_600_000 });
  for (const into of [
    7,
    { name: 7 },
    { mode: 'drop' },
    { mode: 'append' },
    { nmae: 'r' },
    { ttl: true },
    { ttl: 'x' },
  ])
    assertProblem(await post({ sql: 'rows', into }), 400, 'bad_request');
  assertProblem(await post({ sql: 'rows', into: 'a b' }), 400, 'bad_handle');
  assertProblem(await post('rows', '/v1/sql?mode=append', text), 400, 'bad_request');
});

test('a change answers with the manifest and its location', async () => {
  const made = await post({ sql: 'change' });
  assert.equal(made.status, 201);
  assert.equal(made.headers.get('location'), '/v1/frames/sample@1');
  assert.match(made.headers.get('server-timing') ?? '', /^queue;dur=1\.0, prepare;dur=2\.3$/);
  const body = JSON.parse(made.text);
  assert.deepEqual([body.query, body.rows, body.frame.handle], ['change', 3, 'sample@1']);
  const dropped = await post({ sql: 'drop' });
  assert.equal(dropped.status, 200);
  assert.deepEqual(JSON.parse(dropped.text), { query: 'drop', rows: 0, frame: null });
});

test('a bad request runs nothing', async () => {
  const before = sql.requests.length;
  const cases: [unknown, string?, Record<string, string>?][] = [
    ['{"sql":'],
    ['[]'],
    ['null'],
    [{}],
    [{ sql: 7 }],
    [{ sql: '  ' }],
    [{ sql: 'rows', limit: -1 }],
    [{ sql: 'rows', limit: 1.5 }],
    [{ sql: 'rows', quoteLargeNum: 'yes' }],
    [{ sql: 'rows', limits: 1 }],
    [{ sql: 'rows', limit: 1 }, '/v1/sql?limit=1'],
    [{ sql: 'rows' }, '/v1/sql?into=x'],
    [{ sql: 'rows' }, '/v1/sql?query=rows'],
    ['', '/v1/sql', { 'content-type': 'text/plain' }],
  ];
  for (const [body, path, headers] of cases)
    assertProblem(await post(body, path, headers), 400, 'bad_request');
  assertProblem(await getText(`${url}/v1/sql`), 400, 'bad_request');
  assertProblem(await getText(`${url}/v1/sql?query=rows&query=rows`), 400, 'bad_request');
  assertProblem(
    await post('sql=rows', '/v1/sql', { 'content-type': 'application/x-www-form-urlencoded' }),
    415,
  );
  assertProblem(await post('rows', '/v1/sql', { 'content-type': 'text/plain; charset=latin1' }), 415);
  const notUtf8 = { method: 'POST', body: Uint8Array.of(0xff), headers: { 'content-type': 'text/plain' } };
  assertProblem(await getText(`${url}/v1/sql`, notUtf8), 400, 'bad_body');
  assert.equal(sql.requests.length, before);
});

test('the text has a size limit, even if it is sent compressed', async () => {
  const long = `${'-'.repeat(textBytesMax)}\nrows`;
  const text = { 'content-type': 'text/plain' };
  assertProblem(await post(long, '/v1/sql', text), 413, 'body_too_large');
  const coded = { ...text, 'content-encoding': 'gzip' };
  const send = (body: string) =>
    getText(`${url}/v1/sql?limit=0`, { method: 'POST', body: gzipSync(body), headers: coded });
  assertProblem(await send(long), 413, 'body_too_large');
  assert.equal((await send('rows')).status, 200);
  assert.equal(last()?.sql, 'rows');
});

test('limit and quoteLargeNum shape the answer, from the body or the URL', async () => {
  for (const answer of [
    await post({ sql: 'rows', limit: 2, quoteLargeNum: true }),
    await post({ sql: 'rows' }, '/v1/sql?limit=2&quoteLargeNum=true'),
  ]) {
    const { count, dataset, columns } = JSON.parse(answer.text);
    assert.equal(count, 2);
    const long = columns.findIndex(({ type }: { type: string }) => type === 'LONG');
    assert.ok(long >= 0);
    for (const row of dataset) assert.equal(typeof row[long], 'string');
  }
});

test('GET is for statements that only read; HEAD has the head; others are 405', async () => {
  assert.equal((await getText(`${url}/v1/sql?query=rows&limit=0`)).status, 200);
  assert.equal(last()?.readOnly, true);
  assertProblem(await getText(`${url}/v1/sql?query=change`), 403, 'sql_refused');
  const head = await getText(`${url}/v1/sql?query=rows`, { method: 'HEAD' });
  assert.deepEqual([head.status, head.text], [200, '']);
  for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
    const refused = await getText(`${url}/v1/sql`, { method });
    assertProblem(refused, 405, 'method_not_allowed');
    assert.equal(refused.headers.get('allow'), 'GET, HEAD, POST');
  }
});

test('a failure before the first rows is an error answer, a later one cuts the connection', async () => {
  for (const format of rowFormats) {
    assertProblem(await getText(`${url}/v1/sql?query=fail+0&fmt=${format}`), 422, 'sql_failed');
    for (const coding of ['identity', 'gzip', 'zstd']) {
      const answer = await rawHttp(
        url,
        `GET /v1/sql?query=fail+5&fmt=${format} HTTP/1.1\r\nHost: x\r\nAccept-Encoding: ${coding}\r\n\r\n`,
      );
      // A Parquet file begins with its first row group, which had not come when it failed.
      assert.equal(answer.status, format === 'parquet' ? 422 : 200, `${format} ${coding}`);
      assert.equal(answer.complete, format === 'parquet', `${format} ${coding}`);
    }
  }
});

test('statements are listed and stopped; the caller of a stopped one gets an error', async () => {
  const waiting = post({ sql: 'wait', id: 'stop-me' });
  await eventually('a statement runs', () => sql.running.size > 0);
  const { queries } = JSON.parse((await getText(`${url}/v1/queries`)).text);
  const startedAt = '1970-01-01T00:00:00.000Z';
  assert.deepEqual(queries, [
    {
      id: 'stop-me',
      tenant: 'default',
      engine: 'duckdb',
      state: 'running',
      startedAt,
      elapsedMs: 7,
      progress: 0.5,
      query: 'wait',
      rows: 0,
    },
  ]);
  const stopped = await getText(`${url}/v1/queries/stop-me`, { method: 'DELETE' });
  assert.deepEqual([stopped.status, stopped.text], [204, '']);
  assertProblem(await waiting, 409, 'query_cancelled');
  assert.deepEqual(JSON.parse((await getText(`${url}/v1/queries`)).text), { queries: [] });
  assertProblem(await getText(`${url}/v1/queries/stop-me`, { method: 'DELETE' }), 404, 'query_not_found');
  const { state, error } = JSON.parse((await getText(`${url}/v1/queries/stop-me`)).text);
  assert.deepEqual([state, error.code], ['failed', 'query_cancelled']);
  assertProblem(await getText(`${url}/v1/queries/never-was`), 404, 'query_not_found');
  assertProblem(await getText(`${url}/v1/queries/stop-me`, { method: 'PUT' }), 405, 'method_not_allowed');
});

test('an error says where in the statement it is', async () => {
  const answer = await getText(`${url}/v1/sql?query=misplaced`);
  assertProblem(answer, 400, 'sql_invalid');
  const { position, line, column } = JSON.parse(answer.text);
  assert.deepEqual([position, line, column], [7, 2, 3]);
  const elsewhere = JSON.parse((await getText(`${url}/v1/sql?query=broken`)).text);
  assert.equal('position' in elsewhere, false);
});

test('a long statement is shown by its beginning', async () => {
  const text = `wait${' '.repeat(1_500)}`;
  sql.running.set('long', {
    state: {
      id: 'long',
      tenant: 'default',
      engine: 'duckdb',
      state: 'waiting',
      startedAt: 0,
      elapsedMs: 0,
      progress: null,
      content: { sql: text, rows: 0 },
    },
    abort: new AbortController(),
  });
  const { queries } = JSON.parse((await getText(`${url}/v1/queries`)).text);
  assert.equal(queries[0].query, `${text.slice(0, 1_000)}…`);
  sql.running.delete('long');
});

test('a caller that leaves lets go of its rows, before and after the first of them', async () => {
  for (const text of ['wait', 'rows']) {
    const abort = new AbortController();
    const released = sql.released;
    const request = fetch(`${url}/v1/sql?query=${text}&fmt=ndjson`, { signal: abort.signal });
    request.catch(() => {});
    await eventually('a statement runs', () => sql.running.size > 0);
    if (text === 'rows') await (await request).body?.getReader().read();
    abort.abort();
    await eventually('its rows are released', () => sql.released > released);
    assert.equal(sql.released, released + 1);
    assert.equal(sql.running.size, 0);
  }
});

test('the OpenAPI document has the routes', async () => {
  const { paths } = JSON.parse((await getText(`${url}/v1/openapi.json`)).text);
  assert.deepEqual(Object.keys(paths['/v1/sql']).sort(), ['get', 'post']);
  assert.ok(paths['/v1/queries'].get && paths['/v1/queries/{id}'].delete);
  assert.ok(paths['/v1/queries/{id}'].get);
  const content = paths['/v1/sql'].post.requestBody.content;
  assert.deepEqual(Object.keys(content).sort(), ['application/json', 'application/sql', 'text/plain']);
  assert.ok(content['application/json'].schema.properties.sql, JSON.stringify(content));
});
