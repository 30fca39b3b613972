/** A frame as a file: names, ranges, conditions, links, and what Parquet does not hold. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ask } from '../../server/test/support/catalog-file.ts';
import { flightPython } from '../../server/test/support/flight-python.ts';
import { assertProblem, getText, putFrame, send } from '../../server/test/support/frame-client.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { newToken } from '../../server/test/support/framehold-tokens.ts';
import { arrowBytes, readArrow, runPython } from '../../server/test/support/python.ts';

const union =
  "pa.UnionArray.from_sparse(pa.array([0, 1], pa.int8()), [pa.array([1, 2]), pa.array(['a', 'b'])])";
const interval = 'pa.array([(1, 2, 3), None], pa.month_day_nano_interval())';
const tables = {
  numbers: "pa.table({'n': pa.array(range(1000)), 's': pa.array([f'text {k % 7}' for k in range(1000)])})",
  strict:
    "pa.table({'n': pa.array(range(200000))}, schema=pa.schema([pa.field('n', pa.int64(), nullable=False)]))",
  loose: "pa.table({'n': pa.array([None, 1] * 100000)}, schema=pa.schema([pa.field('n', pa.int64())]))",
  small: "pa.table({'n': pa.array([7], pa.int64())}, schema=pa.schema([pa.field('n', pa.int64())]))",
  none: "pa.table({'n': pa.array([], pa.int64()), 's': pa.array([], pa.string())})",
  symbols: "pa.table({'v': pa.array(['a', None, 'b'] * 1000).dictionary_encode()})",
  bare: 'pa.Table.from_batches([pa.RecordBatch.from_struct_array(pa.array([{}] * 3, pa.struct([])))])',
  bad: `pa.table({'fine': pa.array([1, 2]), 'u': ${union}, 'i': ${interval}})`,
};

let framehold: Framehold;
let bodies: Record<keyof typeof tables, Buffer<ArrayBuffer>>;
before(async () => {
  [framehold, bodies] = await Promise.all([Framehold.start(), arrowBytes(tables)]);
});
after(async () => await framehold.remove());

const fileUrl = (file: string) => `${framehold.url}/v1/files/${file}`;

async function whole(file: string): Promise<{ readonly bytes: Buffer; readonly etag: string }> {
  const answer = await fetch(fileUrl(file));
  assert.equal(answer.status, 200, file);
  return { bytes: Buffer.from(await answer.arrayBuffer()), etag: answer.headers.get('etag') ?? '' };
}

async function get(
  file: string,
  headers: Readonly<Record<string, string>>,
  method = 'GET',
): Promise<{ readonly status: number; readonly headers: Headers; readonly body: Buffer }> {
  const answer = await fetch(fileUrl(file), { headers, method });
  return { status: answer.status, headers: answer.headers, body: Buffer.from(await answer.arrayBuffer()) };
}

describe('ranges and conditions', () => {
  before(async () => {
    await putFrame(framehold.url, 'plain', bodies.numbers);
  });

  test('the whole file is what was put, with its length and a strong ETag', async () => {
    const { bytes, etag } = await whole('plain@1.parquet');
    assert.match(etag, /^"[A-Za-z0-9_-]{43}"$/);
    const { values } = await readArrow(bytes, 'parquet');
    assert.deepEqual(
      values.n,
      Array.from({ length: 1000 }, (_, index) => index),
    );
    const head = await get('plain@1.parquet', {}, 'HEAD');
    assert.equal(head.status, 200);
    assert.equal(head.body.length, 0);
    for (const [name, value] of [
      ['content-length', String(bytes.length)],
      ['accept-ranges', 'bytes'],
      ['etag', etag],
      ['content-type', 'application/vnd.apache.parquet'],
      ['content-disposition', 'attachment; filename="plain@1.parquet"'],
      ['content-location', '/v1/files/plain@1.parquet'],
      ['framehold-handle', 'plain@1'],
      ['cache-control', 'no-cache'],
    ] as const)
      assert.equal(head.headers.get(name), value, name);
    assert.equal((await whole('plain.parquet')).etag, etag);
    assert.equal(
      (await get('plain.parquet', {}, 'HEAD')).headers.get('content-location'),
      '/v1/files/plain@1.parquet',
    );
  });

  test('each range is those bytes of the file', async () => {
    const { bytes } = await whole('plain@1.parquet');
    const size = bytes.length;
    const cases: readonly (readonly [range: string, start: number, end: number])[] = [
      ['bytes=0-3', 0, 4],
      ['bytes=4-', 4, size],
      ['bytes=-8', size - 8, size],
      [`bytes=${size - 1}-${size + 100}`, size - 1, size],
      ['bytes=-999999999', 0, size],
      [`bytes=100-199, ${size}-`, 100, 200],
    ];
    for (const [range, start, end] of cases) {
      const answer = await get('plain@1.parquet', { range });
      assert.equal(answer.status, 206, range);
      assert.equal(answer.headers.get('content-range'), `bytes ${start}-${end - 1}/${size}`);
      assert.equal(answer.headers.get('content-length'), String(end - start));
      assert.deepEqual(answer.body, bytes.subarray(start, end), range);
    }
    const ignored = await get('plain@1.parquet', { range: 'rows=0-1' });
    assert.equal(ignored.status, 200);
    const head = await get('plain@1.parquet', { range: 'bytes=0-3' }, 'HEAD');
    assert.deepEqual([head.status, head.headers.get('content-length')], [200, String(size)]);
  });

  test('up to sixteen ranges come in one answer', async () => {
    const { bytes } = await whole('plain@1.parquet');
    const ranges = Array.from({ length: 16 }, (_, index) => [index * 20, index * 20 + 9] as const).reverse();
    const range = `bytes=${ranges.map((each) => each.join('-')).join(',')}`;
    const answer = await get('plain@1.parquet', { range });
    assert.equal(answer.status, 206);
    assert.equal(answer.headers.get('content-length'), String(answer.body.length));
    const boundary = /^multipart\/byteranges; boundary=(\w+)$/.exec(
      answer.headers.get('content-type') ?? '',
    )?.[1];
    const text = answer.body.toString('latin1');
    const parts = text.split(`\r\n--${boundary}`);
    assert.deepEqual([parts.length, parts[0], parts.at(-1)], [18, '', '--\r\n']);
    for (const [index, [first, last]] of ranges.entries()) {
      const content = bytes.subarray(first, last + 1).toString('latin1');
      assert.equal(
        parts[index + 1],
        `\r\nContent-Type: application/vnd.apache.parquet\r\nContent-Range: bytes ${first}-${last}/${bytes.length}\r\n\r\n${content}`,
      );
    }
  });

  test('what the file does not have is 416 with its size', async () => {
    const { bytes } = await whole('plain@1.parquet');
    const many = Array.from({ length: 17 }, (_, index) => `${index}-${index}`).join(',');
    for (const range of [`bytes=${bytes.length}-`, 'bytes=-0', 'bytes=0-9,5-20', `bytes=${many}`]) {
      const answer = await getText(fileUrl('plain@1.parquet'), { headers: { range } });
      assertProblem(answer, 416, 'range_not_satisfiable');
      assert.equal(answer.headers.get('content-range'), `bytes */${bytes.length}`);
    }
  });

  test('conditions', async () => {
    const { bytes, etag } = await whole('plain@1.parquet');
    const known = await get('plain@1.parquet', { 'if-none-match': `"other", W/${etag}` });
    assert.deepEqual([known.status, known.body.length, known.headers.get('etag')], [304, 0, etag]);
    assert.equal((await get('plain@1.parquet', { 'if-none-match': '"other"' })).status, 200);
    assert.equal((await get('plain@1.parquet', { 'if-match': etag })).status, 200);
    assert.equal((await get('plain@1.parquet', { 'if-match': '*' })).status, 200);
    for (const other of ['"other"', `W/${etag}`])
      assertProblem(
        await getText(fileUrl('plain@1.parquet'), { headers: { 'if-match': other } }),
        412,
        'version_mismatch',
      );
    const range = 'bytes=0-3';
    assert.equal((await get('plain@1.parquet', { range, 'if-range': etag })).status, 206);
    for (const other of ['"other"', `W/${etag}`, new Date().toUTCString()]) {
      const answer = await get('plain@1.parquet', { range, 'if-range': other });
      assert.deepEqual([answer.status, answer.body.length], [200, bytes.length]);
    }
  });
});

describe('names', () => {
  test('only the last suffix is the format', async () => {
    await putFrame(framehold.url, 'trades.csv', bodies.numbers);
    assert.equal((await readArrow((await whole('trades.csv.parquet')).bytes, 'parquet')).rows, 1000);
    const csv = await getText(fileUrl('trades.csv.csv'));
    assert.equal(csv.text.split('\r\n').length, 1002);
    assert.equal(csv.headers.get('accept-ranges'), 'none');
    assert.match(csv.headers.get('etag') ?? '', /^W\//);
    const arrow = await whole('trades.csv@1.arrow');
    assert.equal((await readArrow(arrow.bytes)).rows, 1000);
    assert.equal((await getText(fileUrl('trades.csv.ndjson'))).text.trimEnd().split('\n').length, 1000);
    const ranged = await get('trades.csv.csv', { range: 'bytes=0-3' });
    assert.equal(ranged.status, 200, 'no ranges');
    assertProblem(await getText(fileUrl('trades.csv')), 404, 'frame_not_found');
  });

  test('another suffix, or none, says what there is', async () => {
    for (const file of ['plain', 'plain.json', 'plain.parquet.gz', '.parquet', 'plain@1']) {
      const { hint } = assertProblem(await getText(fileUrl(file)), 400, 'bad_handle');
      assert.match(hint ?? '', /parquet, csv, arrow, ndjson/);
    }
    assertProblem(await getText(fileUrl('plain.parquet?fmt=csv')), 400, 'bad_request');
    assertProblem(await getText(fileUrl('never.parquet')), 404, 'frame_not_found');
    assertProblem(await getText(fileUrl('plain@1x.parquet')), 400, 'bad_handle');
    assertProblem(await getText(fileUrl('never@x.parquet')), 404, 'frame_not_found');
  });
});

/** In the names of cases: what the stored Parquet form holds as something else, or not at all. Transcoding all of them takes a minute. */
const heldOtherwise = ['dictionary', 'run-end', 'view', 'interval', '[s]', 'date64', 'union'];

function waitingParts(): number {
  const [row] = ask<{ count: number }>(
    framehold.dataDirectory,
    // Small parts that were appended are transcoded later, because they are probably compacted before.
    'select count(*) count from parts where parquet_exact is null and refusal is null and seq = 0',
  );
  return row?.count ?? 0;
}

describe('frames of every kind', () => {
  test('a part with other nullability, small parts and an empty frame', async () => {
    await putFrame(framehold.url, 'mixed', bodies.strict);
    const before = await whole('mixed@1.parquet');
    for (const body of [bodies.loose, bodies.small, bodies.small, bodies.small])
      await send(framehold.url, '/v1/frames/mixed/rows', body, { method: 'POST', status: 200 });
    const { bytes } = await whole('mixed@5.parquet');
    const { values, schema } = await readArrow(bytes, 'parquet');
    assert.match(schema, /^n: int64$/m);
    assert.equal(values.n?.length, 400_003);
    assert.deepEqual(values.n?.slice(199_998, 200_003), [199_998, 199_999, null, 1, null]);
    assert.deepEqual(values.n?.slice(-4), [1, 7, 7, 7]);
    const first = await readArrow((await whole('mixed@1.parquet')).bytes, 'parquet');
    assert.match(first.schema, /^n: int64 not null$/m);
    assert.equal((await whole('mixed@1.parquet')).etag, before.etag);

    await putFrame(framehold.url, 'none', bodies.none);
    const none = await readArrow((await whole('none.parquet')).bytes, 'parquet');
    assert.deepEqual([none.rows, Object.keys(none.values)], [0, ['n', 's']]);
    await putFrame(framehold.url, 'symbols', bodies.symbols);
    const symbols = await readArrow((await whole('symbols.parquet')).bytes, 'parquet');
    assert.deepEqual(symbols.values.v?.slice(0, 4), ['a', null, 'b', 'a']);
  });

  for (const [when, isTranscoded] of [
    ['as it was put', false],
    ['and transcoded', true],
  ] as const)
    test(`the file of every type, ${when}, is what the rows are as Parquet`, async () => {
      const compared = async (step: { readonly put: boolean; readonly compare: boolean }) => {
        const only = isTranscoded ? heldOtherwise : [''];
        const request = { url: framehold.grpcUrl, http: framehold.url, only, ...step };
        const script = join(import.meta.dirname, '..', 'python', 'file_types.py');
        return (await runPython([script], request)) as {
          readonly faults: Readonly<Record<string, string>>;
          readonly statuses: Readonly<Record<string, number>>;
        };
      };
      if (isTranscoded) {
        await compared({ put: true, compare: false });
        await framehold.until('all parts are transcoded', () => (waitingParts() === 0 ? true : null));
      }
      const { faults, statuses } = await compared({ put: !isTranscoded, compare: true });
      assert.deepEqual(faults, {});
      assert.deepEqual(Object.keys(statuses), ['200', '422']);
      assert.ok((statuses['200'] ?? 0) > (isTranscoded ? 10 : 80), JSON.stringify(statuses));
    });

  test('types that Parquet cannot hold are 422 with the names of their columns', async () => {
    await putFrame(framehold.url, 'bad', bodies.bad);
    const { detail, hint } = assertProblem(await getText(fileUrl('bad.parquet')), 422, 'not_representable');
    assert.match(detail, /"u" \(.*union.*"i" \(.*interval/);
    assert.doesNotMatch(detail, /fine/);
    assert.match(hint ?? '', /arrow/);
    assert.equal((await whole('bad.arrow')).bytes.length > 0, true);
  });
});

test('rows without columns are counted everywhere, and refused where they cannot be', async () => {
  await putFrame(framehold.url, 'bare', bodies.bare);
  const rows = (format: string) => getText(`${framehold.url}/v1/frames/bare/rows?fmt=${format}`);
  assert.match((await rows('json')).text, /"dataset":\[\[\],\[\],\[\]\],"count":3/);
  assert.equal((await rows('ndjson')).text, '{}\n{}\n{}\n');
  assert.equal((await rows('csv')).text, '\r\n'.repeat(4));
  assert.equal((await whole('bare.csv')).bytes.toString(), '\r\n'.repeat(4));
  const shape = 'result = [get("bare").num_rows, get("bare").num_columns]';
  assert.deepEqual(await flightPython(framehold.grpcUrl, shape), [3, 0]);
  assert.deepEqual((await whole('bare.arrow')).bytes, bodies.bare);
  for (const answer of [
    await rows('parquet'),
    await getText(fileUrl('bare.parquet')),
    await getText(`${framehold.url}/v1/sql?query=${encodeURIComponent('select count(*) from bare')}`),
  ])
    assert.match(assertProblem(answer, 422, 'not_representable').hint ?? '', /arrow|Parquet/);
});

test('a link reads one version, until it is revoked or its frame is dropped', async () => {
  await putFrame(framehold.url, 'linked', bodies.numbers);
  const { etag } = await whole('linked@1.parquet');
  // From here on the server is not open.
  const authorization = `Bearer ${newToken(framehold.dataDirectory, 'default', 'read,write')}`;
  const options = { headers: { authorization } };
  const newLink = async () => {
    const path = '/v1/frames/linked@1/links';
    const { json } = await send(framehold.url, path, '', { ...options, method: 'POST', status: 201 });
    return { url: String(json.fileUrl), id: String(json.id) };
  };
  const [{ url, id }, other] = [await newLink(), await newLink()];
  assert.ok(url.startsWith(`${framehold.url}/v1/files/linked@1.parquet?link=`));
  await framehold.until('a server that wants credentials', async () =>
    (await fetch(fileUrl('linked@1.parquet'))).status === 401 ? true : null,
  );
  const answer = await fetch(url, { headers: { range: 'bytes=0-3' } });
  assert.deepEqual([answer.status, await answer.text()], [206, 'PAR1']);
  assert.equal(answer.headers.get('etag'), etag);
  assert.equal(answer.headers.get('cache-control'), 'private, no-cache');
  await send(framehold.url, '/v1/frames/linked', bodies.numbers, { ...options, status: 200 });
  assert.equal((await fetch(url, { method: 'HEAD' })).headers.get('etag'), etag);
  assertProblem(await getText(url.replace('linked@1', 'linked@2')), 403, 'access_denied');
  const revoke = `${framehold.url}/v1/frames/linked/links/${id}`;
  assert.equal((await fetch(revoke, { ...options, method: 'DELETE' })).status, 204);
  assertProblem(await getText(url), 410, 'link_revoked');
  assert.equal((await fetch(other.url, { method: 'HEAD' })).status, 200);
  const drop = await fetch(`${framehold.url}/v1/frames/linked`, { ...options, method: 'DELETE' });
  assert.equal(drop.status, 204);
  assertProblem(await getText(other.url), 410, 'frame_gone');
  assertProblem(await getText(fileUrl('linked@1.parquet'), options), 410, 'frame_gone');
});
