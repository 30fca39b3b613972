import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { assertProblem, getText, putFrame, send } from '../../server/test/support/frame-client.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { arrowBytes, readArrow } from '../../server/test/support/python.ts';
import { rawGet } from '../../server/test/support/raw-http.ts';
import { assertStrictJson } from '../../server/test/support/strict-json.ts';

let framehold: Framehold;
let other: Buffer<ArrayBuffer>;
const rowCount = 2_500;
before(async () => {
  framehold = await Framehold.start();
  const frames = await arrowBytes({
    frame: `pa.table({'n': pa.array(range(${rowCount}), pa.int64()), 's': [f'text {n}' for n in range(${rowCount})], 'd': [n / 4 for n in range(${rowCount})]})`,
    other: `pa.table({'n': pa.array([-1], pa.int64()), 's': ['other'], 'd': [0.5]})`,
    names: `pa.table({'a,b': [1], 'c d': ['x']})`,
  });
  other = frames.other;
  await putFrame(framehold.url, 'frame', frames.frame);
  await putFrame(framehold.url, 'other', frames.other);
  await putFrame(framehold.url, 'names', frames.names);
});
after(async () => await framehold.remove());

const get = (target: string, headers: Record<string, string> = {}) =>
  getText(framehold.url + target, { headers });
const rowsUrl = '/v1/frames/frame/rows';

async function bytes(target: string, headers: Record<string, string> = {}): Promise<Buffer> {
  const answer = await fetch(framehold.url + target, { headers });
  assert.equal(answer.status, 200);
  return Buffer.from(await answer.arrayBuffer());
}

test('ETag of a manifest: strong, id and number of the version', async () => {
  const answer = await get('/v1/frames/frame');
  const manifest = JSON.parse(answer.text);
  const [, id, version] = /^"(\w{26})\.(\d+)"$/.exec(answer.headers.get('etag') ?? '') ?? [];
  assert.equal(Number(version), manifest.version);
  assert.notEqual(id, manifest.frameId);
});

test('ETag of rows: weak, and another for another format or range', async () => {
  const tags = await Promise.all(
    ['', '?limit=1', '?fmt=csv', '?columns=n'].map(
      async (query) => (await get(rowsUrl + query)).headers.get('etag') ?? '',
    ),
  );
  for (const tag of tags) assert.match(tag, /^W\/".+"$/);
  assert.equal(new Set(tags).size, tags.length);
});

test('If-None-Match: 304 without a body', async () => {
  for (const target of ['/v1/frames/frame', rowsUrl, '/exp?handle=frame&fmt=csv']) {
    const tag = (await get(target)).headers.get('etag') ?? '';
    const answer = await get(target, { 'if-none-match': tag });
    assert.equal(answer.status, 304, target);
    assert.equal(answer.text, '');
    assert.equal(answer.headers.get('etag'), tag);
    assert.equal((await get(target, { 'if-none-match': '"another"' })).status, 200);
  }
});

test('name@version answers carry Cache-Control: immutable, name answers do not', async () => {
  for (const [pinned, moving] of [
    ['/v1/frames/frame@1', '/v1/frames/frame'],
    ['/v1/frames/frame@1/rows', rowsUrl],
    ['/exec?handle=frame@1&fmt=json', '/exec?handle=frame&fmt=json'],
    ['/exp?handle=frame@1&fmt=csv', '/exp?handle=frame&fmt=csv'],
  ] as const) {
    assert.match((await get(pinned)).headers.get('cache-control') ?? '', /immutable/, pinned);
    assert.doesNotMatch((await get(moving)).headers.get('cache-control') ?? '', /immutable/, moving);
  }
});

test('cursors walk through all rows, pinned to the version in which they began', async () => {
  await send(
    framehold.url,
    '/v1/frames/paged',
    (await bytes('/exp?handle=frame&fmt=arrow')) as Buffer<ArrayBuffer>,
    { status: 201 },
  );
  const seen: number[] = [];
  let target = `${framehold.url}/v1/frames/paged/rows?fmt=ndjson&limit=1000&columns=n`;
  for (let page = 0; target !== ''; page++) {
    const answer = await getText(target);
    assert.equal(answer.status, 200, answer.text);
    seen.push(
      ...answer.text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).n),
    );
    if (page === 0) await send(framehold.url, '/v1/frames/paged', other, { status: 200 });
    const next = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1];
    target = next === undefined ? '' : new URL(next, framehold.url).href;
  }
  assert.deepEqual(
    seen,
    Array.from({ length: rowCount }, (_, row) => row),
  );
});

test('offset begins at any row, in every format and on /exp; its page has a cursor', async () => {
  for (const target of [`${rowsUrl}?fmt=csv`, '/exp?handle=frame&fmt=csv']) {
    for (const offset of [0, 1, 1_234, rowCount - 1]) {
      const { text, headers } = await get(`${target}&columns=n&offset=${offset}&limit=2`);
      const numbers = text.trim().split('\r\n').slice(1).map(Number);
      assert.deepEqual(
        numbers,
        [offset, offset + 1].filter((n) => n < rowCount),
      );
      assert.equal(headers.get('framehold-rows-total'), String(rowCount));
      assert.equal(headers.has('framehold-cursor'), offset < rowCount - 2);
    }
  }
  const json = JSON.parse((await get(`${rowsUrl}?columns=n&offset=7&limit=1`)).text);
  assert.deepEqual(json.dataset, [[7]]);
  const cursor = (await get(`${rowsUrl}?columns=n&offset=7&limit=1`)).headers.get('framehold-cursor') ?? '';
  const next = JSON.parse((await get(`${rowsUrl}?columns=n&limit=1&cursor=${cursor}`)).text);
  assert.deepEqual(next.dataset, [[8]]);
  const table = await readArrow(await bytes(`${rowsUrl}?fmt=arrow&columns=n&offset=2498`));
  assert.deepEqual(table.values, { n: [2_498, 2_499] });
  for (const offset of [rowCount, 999_999_999_999_999]) {
    const { status, text } = await get(`${rowsUrl}?fmt=csv&columns=n&offset=${offset}`);
    assert.deepEqual([status, text], [200, 'n\r\n']);
  }
  for (const offset of ['-1', '1.5', 'x', '1234567890123456', ''])
    assertProblem(await get(`${rowsUrl}?offset=${offset}`), 400, 'bad_request');
  const both = await get(`${rowsUrl}?limit=1&offset=7&cursor=${cursor}`);
  assertProblem(both, 400, 'bad_request');
  assert.match(both.text, /offset and cursor/);
});

test('a cursor of another frame, or none at all, is 400 bad_cursor', async () => {
  const cursor = (await get(`${rowsUrl}?limit=1`)).headers.get('framehold-cursor') ?? '';
  assert.notEqual(cursor, '');
  assertProblem(await get(`/v1/frames/other/rows?cursor=${cursor}`), 400, 'bad_cursor');
  assertProblem(await get(`${rowsUrl}?cursor=nonsense`), 400, 'bad_cursor');
});

for (const [coding, decode] of [
  ['gzip', gunzipSync],
  ['zstd', zstdDecompressSync],
] as const) {
  test(`responses are compressed on request: ${coding}, with Vary`, async () => {
    for (const target of ['/exec?handle=frame&fmt=json', '/exp?handle=frame&fmt=csv', rowsUrl]) {
      const plain = await rawGet(framehold.url, target);
      const small = await rawGet(framehold.url, target, { 'accept-encoding': coding });
      assert.equal(small.headers['content-encoding'], coding, target);
      assert.match(small.headers.vary ?? '', /accept-encoding/i);
      assert.match(plain.headers.vary ?? '', /accept-encoding/i);
      assert.equal(plain.headers['content-encoding'], undefined);
      assert.ok(decode(small.body).equals(plain.body), target);
      assert.ok(small.body.length < plain.body.length);
    }
  });
}

test('limits default to 1,000 rows on /exec and to all rows elsewhere', async () => {
  assert.equal(JSON.parse((await get('/exec?handle=frame&fmt=json')).text).count, 1000);
  assert.equal(JSON.parse((await get(`${rowsUrl}?fmt=json`)).text).count, rowCount);
  assert.equal((await get('/exp?handle=frame&fmt=ndjson')).text.trimEnd().split('\n').length, rowCount);
});

test('rows: format by fmt, else by Accept', async () => {
  const types: [string, string][] = [
    ['json', 'application/json'],
    ['csv', 'text/csv'],
    ['ndjson', 'application/x-ndjson'],
    ['arrow', 'application/vnd.apache.arrow.stream'],
    ['parquet', 'application/vnd.apache.parquet'],
  ];
  for (const [fmt, type] of types) {
    const byName = await get(`${rowsUrl}?fmt=${fmt}&limit=2`, { accept: 'image/png' });
    assert.equal(byName.type?.split(';')[0], type);
    const byAccept = await get(`${rowsUrl}?limit=2`, { accept: `text/html;q=0.1, ${type}` });
    assert.equal(byAccept.type?.split(';')[0], type);
  }
});

test('rows: columns= in the order asked for', async () => {
  const { columns, dataset } = JSON.parse((await get(`${rowsUrl}?fmt=json&columns=d,n&limit=2`)).text);
  assert.deepEqual(columns, [
    { name: 'd', type: 'DOUBLE' },
    { name: 'n', type: 'LONG' },
  ]);
  assert.deepEqual(dataset, [
    [0, 0],
    [0.25, 1],
  ]);
});

for (const fmt of ['arrow', 'parquet'] as const) {
  test(`rows: columns= and limit= in ${fmt}, read by pyarrow`, async () => {
    const table = await readArrow(
      await bytes(`${rowsUrl}?fmt=${fmt}&columns=s,n&limit=3`),
      fmt === 'arrow' ? 'stream' : 'parquet',
    );
    assert.deepEqual(table.values, { s: ['text 0', 'text 1', 'text 2'], n: [0, 1, 2] });
    assert.deepEqual(Object.keys(table.values), ['s', 'n']);
  });
}

test('/exp and rows are one handler: the same bytes for every format', async () => {
  for (const fmt of ['json', 'csv', 'ndjson', 'arrow', 'parquet']) {
    const one = await bytes(`/exp?handle=frame&fmt=${fmt}&limit=7`);
    const two = await bytes(`${rowsUrl}?fmt=${fmt}&limit=7`);
    assert.ok(one.equals(two), fmt);
  }
});

test('/exp?fmt=arrow gives back the table that was put', async () => {
  const table = await readArrow(await bytes('/exp?handle=frame&fmt=arrow'));
  assert.equal(table.rows, rowCount);
  assert.equal(table.schema, 'n: int64\ns: string\nd: double');
});

test('/exp?fmt=csv has a header and every row', async () => {
  const lines = (await get('/exp?handle=frame&fmt=csv')).text.trimEnd().split(/\r?\n/);
  assert.equal(lines.length, rowCount + 1);
  assert.equal(lines[0], 'n,s,d');
  assert.match(lines[2] ?? '', /^1,"?text 1"?,0\.25$/);
});

test('/exp?fmt=ndjson is one object a row, valid JSON', async () => {
  const lines = (await get('/exp?handle=frame&fmt=ndjson&limit=3')).text.trimEnd().split('\n');
  await assertStrictJson(lines);
  assert.deepEqual(JSON.parse(lines[1] ?? ''), { n: 1, s: 'text 1', d: 0.25 });
});

test('HEAD on a manifest and on rows is as GET without a body', async () => {
  for (const target of ['/v1/frames/frame', `${rowsUrl}?limit=1`]) {
    const head = await rawGet(framehold.url, target, {}, { method: 'HEAD' });
    const full = await rawGet(framehold.url, target);
    assert.equal(head.status, 200);
    assert.equal(head.body.length, 0);
    assert.equal(head.headers.etag, full.headers.etag);
    assert.equal(head.headers['content-type'], full.headers['content-type']);
  }
});

test('GET /v1/frames: cursor paging and prefix', async () => {
  for (let count = 0; count < 5; count++) await putFrame(framehold.url, `Page-${count}`, other);
  const seen: string[] = [];
  let cursor = '';
  do {
    const page = JSON.parse(
      (await get(`/v1/frames?prefix=page-&limit=2${cursor && `&cursor=${cursor}`}`)).text,
    );
    seen.push(...page.frames.map(({ name }: { name: string }) => name));
    cursor = page.next ?? '';
  } while (cursor !== '');
  // Names are compared without their case, so a prefix finds them either way.
  assert.deepEqual(seen, ['Page-0', 'Page-1', 'Page-2', 'Page-3', 'Page-4']);
});

test('GET /v1/frames/{name}/versions: newest first, cursor paging', async () => {
  for (let count = 0; count < 3; count++) await send(framehold.url, '/v1/frames/versioned', other);
  const first = JSON.parse((await get('/v1/frames/versioned/versions?limit=2')).text);
  assert.deepEqual(
    first.versions.map(({ version }: { version: number }) => version),
    [3, 2],
  );
  const second = JSON.parse((await get(`/v1/frames/versioned/versions?limit=2&cursor=${first.next}`)).text);
  assert.deepEqual(
    second.versions.map(({ version }: { version: number }) => version),
    [1],
  );
  assert.equal(second.next, null);
});

test('the manifest has handle, name, version, rows, bytes, columns, times and origin', async () => {
  const manifest = JSON.parse((await get('/v1/frames/frame')).text);
  assert.equal(manifest.handle, 'frame@1');
  assert.equal(manifest.rows, rowCount);
  assert.ok(manifest.bytes > 0);
  assert.deepEqual(
    manifest.columns.map(({ type }: { type: string }) => type),
    ['LONG', 'STRING', 'DOUBLE'],
  );
  assert.equal(manifest.expiresAt, null);
  assert.ok(Math.abs(Date.parse(manifest.createdAt) - Date.now()) < 600_000);
});

test('metrics never carry a handle as label', async () => {
  const { text } = await get('/metrics');
  assert.doesNotMatch(text, /frame@1|"frame"|Page-0|versioned|paged/);
});

test('logs go to standard output, one JSON object a line', async () => {
  await get('/v1/frames?prefix=logged');
  const line = await framehold.until(
    'access log line',
    () =>
      framehold.lines.find((text) => text.startsWith('{') && text.includes('"route":"/v1/frames"')) ?? null,
  );
  const entry = JSON.parse(line);
  assert.equal(entry.level, 'info');
  assert.equal(entry.status, 200);
});
