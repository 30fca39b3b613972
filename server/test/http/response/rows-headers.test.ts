import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { renderPools } from '../../../src/compose/workers/worker-pools.ts';
import { WorkerRenderer } from '../../../src/encode/renderer.ts';
import { allowedHeaders } from '../../../src/http/hooks/browser-hook.ts';
import { contentDisposition } from '../../../src/http/response/content-disposition.ts';
import { engineHeader } from '../../../src/model/engine-name.ts';
import type { Reading } from '../../../src/ports/reading.ts';
import { readingOf, sampleFrames } from '../../encode/sample-frames.ts';
import { openAuthenticator } from '../../frames/open-authenticator.ts';
import { sourceFiles } from '../../house/source-files.ts';
import { getText } from '../../support/frame-client.ts';
import {
  type BareListener,
  fakeDatabase,
  heldFrame,
  openBrowserRules,
  startBareListener,
} from '../bare-listener.ts';

let renderer: WorkerRenderer;
let reading: Reading;
let listener: BareListener;

before(async () => {
  renderer = new WorkerRenderer(renderPools({ threads: 1 }));
  reading = readingOf([(await sampleFrames()).path('long')]);
  listener = await startBareListener({ frames: heldFrame(reading), renderer, limits: { limitMax: 7 } });
});
after(async () => {
  await listener.close();
  await renderer.close();
});

const get = (path: string, headers: Record<string, string> = {}) => getText(listener.url + path, { headers });

for (const path of [
  '/exec?handle=x&fmt=json&limit=2',
  '/exp?handle=x&limit=2',
  '/v1/frames/x/rows?limit=2',
]) {
  test(`${path} says how many rows there are, which version it is, and how to go on`, async () => {
    const { headers, text } = await get(path);
    const { rows, name, version } = reading.record;
    assert.equal(JSON.parse(text).count, 2);
    assert.equal(headers.get('framehold-rows-total'), String(rows));
    assert.equal(headers.get('framehold-handle'), `${name}@${version}`);
    const cursor = headers.get('framehold-cursor') ?? '';
    const next = `/v1/frames/${name}@${version}/rows?fmt=json&limit=2&cursor=${cursor}`;
    assert.equal(headers.get('link'), `<${next}>; rel="next"`);
    assert.equal((await get(next)).headers.get('framehold-rows-total'), String(rows));
    const again = await get(path, { 'if-none-match': headers.get('etag') ?? '' });
    assert.equal(again.status, 304);
    assert.equal(again.headers.get('framehold-rows-total'), String(rows));
  });
}

test('the last rows have a total and no cursor', async () => {
  const { headers } = await get('/v1/frames/x/rows');
  assert.equal(headers.get('framehold-rows-total'), String(reading.record.rows));
  assert.equal(headers.get('framehold-cursor'), null);
  assert.equal(headers.get('link'), null);
});

test('the next page keeps quoteLargeNum and columns, and leaves out what /exec ignores', async () => {
  const rows = await get('/v1/frames/x/rows?limit=1&quoteLargeNum=true&columns=n');
  assert.match(rows.headers.get('link') ?? '', /limit=1&quoteLargeNum=true&columns=n&cursor=/);
  const exec = await get('/exec?handle=x&fmt=json&limit=1&columns=n');
  assert.doesNotMatch(exec.headers.get('link') ?? '', /columns/);
});

test('/exec without a limit gives 1000 rows, or http.limit_max if that is lower', async () => {
  assert.equal(JSON.parse((await get('/exec?handle=x&fmt=json')).text).count, 7);
});

test('/exec?query= may be kept by no cache if credentials are configured', async () => {
  for (const [isOpen, cacheControl] of [
    [true, null],
    [false, 'no-store'],
  ] as const) {
    const closed = await startBareListener({
      ...fakeDatabase(),
      authenticator: { ...openAuthenticator, isOpen },
    });
    const { headers, status } = await getText(`${closed.url}/exec?query=select%201&fmt=json`);
    await closed.close();
    assert.deepEqual([status, headers.get('cache-control')], [200, cacheControl]);
  }
});

test('headers stay small with 5,000 columns', async () => {
  const names = (last: string) => [...Array.from({ length: 5_000 }, (_, n) => `column_${n}`), last].join(',');
  const first = await get(`/v1/frames/x/rows?limit=1&columns=${names('a')}`);
  assert.equal(first.status, 200, first.text);
  const bytes = [...first.headers].reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  assert.ok(bytes < 1_500, `${bytes} bytes`);
  assert.equal(first.headers.get('link'), null, 'the names alone are longer than a header may be');
  assert.notEqual(first.headers.get('framehold-cursor'), null);
  const other = await get(`/v1/frames/x/rows?limit=1&columns=${names('b')}`);
  assert.notEqual(first.headers.get('etag'), other.headers.get('etag'));
});

test('rows are saved under the name of their version, and JSON is shown', async () => {
  const { name, version } = reading.record;
  for (const [format, disposition] of Object.entries({
    json: `inline; filename="${name}@${version}.json"`,
    csv: `attachment; filename="${name}@${version}.csv"`,
    ndjson: `attachment; filename="${name}@${version}.ndjson"`,
    arrow: `attachment; filename="${name}@${version}.arrows"`,
    parquet: `attachment; filename="${name}@${version}.parquet"`,
  })) {
    const { headers } = await get(`/exp?handle=x&limit=1&fmt=${format}`);
    assert.equal(headers.get('content-disposition'), disposition);
  }
});

test('file names are escaped as RFC 6266 and RFC 8187 have it', () => {
  assert.equal(contentDisposition('inline', 'a b.csv'), 'inline; filename="a b.csv"');
  assert.equal(contentDisposition('inline', 'a"\\/:\r\n.csv'), 'inline; filename="a______.csv"');
  assert.equal(
    contentDisposition('attachment', "Grüße (1)'s.csv"),
    `attachment; filename="Gr__e (1)'s.csv"; filename*=UTF-8''Gr%C3%BC%C3%9Fe%20%281%29%27s.csv`,
  );
  assert.match(contentDisposition('attachment', '\ud800.csv'), /filename\*=UTF-8''%EF%BF%BD\.csv$/);
});

test('pages of other origins may send and read every header of ours', async () => {
  const written = sourceFiles('server/src/http').flatMap(({ text }) =>
    [...text.matchAll(/'(framehold-[a-z-]+)'/g)].map((match) => match[1] ?? ''),
  );
  assert.ok(written.length > 5, 'the sources are read');
  const origin = 'https://app.example.com';
  const browsers = { ...openBrowserRules, corsOrigins: new Set([origin]) };
  const open = await startBareListener({ browsers });
  const { headers } = await getText(`${open.url}/v1/queries?no=such`, { headers: { origin } });
  await open.close();
  const exposed = (headers.get('access-control-expose-headers') ?? '').split(', ');
  const others = [
    'accept-ranges',
    'content-disposition',
    'content-location',
    'content-range',
    'etag',
    'link',
    'location',
    'retry-after',
    'server-timing',
    'x-request-id',
  ];
  // The engine is only ever sent.
  const read = new Set(written).difference(new Set([engineHeader]));
  assert.deepEqual(exposed, [...others, ...read].sort());
  for (const name of ['framehold-query-id', engineHeader]) assert.ok(allowedHeaders.includes(name), name);
});
