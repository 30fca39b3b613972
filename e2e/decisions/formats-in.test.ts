import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { arrowStreamType, exec, getText, send } from '../../server/test/support/frame-client.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { arrowBytes } from '../../server/test/support/python.ts';
import { rawHttp } from '../../server/test/support/raw-http.ts';

let framehold: Framehold;
const table = `pa.table({'n': pa.array([1, 2, None], pa.int64()), 's': ['a', 'é', None]})`;
let stream: Buffer<ArrayBuffer>;
let file: Buffer<ArrayBuffer>;
let parquet: Buffer<ArrayBuffer>;
before(async () => {
  framehold = await Framehold.start({ flags: ['--http-body-bytes-max', '1000000'] });
  stream = (await arrowBytes({ table })).table;
  file = (await arrowBytes({ table }, 'file')).table;
  parquet = (await arrowBytes({ table }, 'parquet')).table;
});
after(async () => await framehold.remove());

let count = 0;
const newName = () => `frame-${++count}`;

interface Table {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly dataset: readonly (readonly unknown[])[];
}

async function putAndRead(
  body: Buffer<ArrayBuffer> | string,
  type: string,
  query = '',
  headers = {},
): Promise<Table> {
  const name = newName();
  await send(framehold.url, `/v1/frames/${name}${query}`, body, { type, headers, status: 201 });
  const answer = await exec(framehold.url, { handle: name, fmt: 'json' });
  assert.equal(answer.status, 200, answer.text);
  return JSON.parse(answer.text) as Table;
}

/** Nothing is visible of a put that failed, and no file is left of it. */
async function assertLeftNothing(name: string): Promise<void> {
  assert.equal((await getText(`${framehold.url}/v1/frames/${name}`)).status, 404);
  await framehold.until('empty tmp/', () => (framehold.temporaryFiles().length === 0 ? true : null));
}

const rows = [
  [1, 'a'],
  [2, 'é'],
  [null, null],
];
const csv = 'n,s\n1,a\n2,é\n,\n';
const ndjson = '{"n":1,"s":"a"}\n{"n":2,"s":"é"}\n{"n":null,"s":null}\n';

const bodies: readonly [string, string, () => Buffer<ArrayBuffer>][] = [
  ['an Arrow stream', arrowStreamType, () => stream],
  ['an Arrow file', 'application/vnd.apache.arrow.file', () => file],
  ['Parquet', 'application/vnd.apache.parquet', () => parquet],
  ['CSV', 'text/csv', () => Buffer.from(csv)],
  ['CSV with charset', 'text/csv; charset=utf-8', () => Buffer.from(csv)],
  ['CSV with tabs', 'text/tab-separated-values', () => Buffer.from(csv.replaceAll(',', '\t'))],
  ['CSV in UTF-16', 'text/csv', () => Buffer.from(`\ufeff${csv}`, 'utf16le')],
  ['CSV in windows-1252', 'text/csv; charset=windows-1252', () => Buffer.from(csv, 'latin1')],
  ['a JSON array', 'application/json', () => Buffer.from(`[${ndjson.trim().replaceAll('\n', ',')}]`)],
  ['NDJSON', 'application/x-ndjson', () => Buffer.from(ndjson)],
];
for (const [title, type, body] of bodies) {
  test(`${title} is taken`, async () => {
    const { columns, dataset } = await putAndRead(body(), type);
    assert.deepEqual(columns, [
      { name: 'n', type: 'LONG' },
      { name: 's', type: 'STRING' },
    ]);
    assert.deepEqual(dataset, rows);
  });
  test(`${title}, gzip encoded, is taken`, async () => {
    assert.deepEqual(
      (await putAndRead(gzipSync(body()), type, '', { 'content-encoding': 'gzip' })).dataset,
      rows,
    );
  });
  test(`${title}, zstd encoded, is taken`, async () => {
    assert.deepEqual(
      (await putAndRead(zstdCompressSync(body()), type, '', { 'content-encoding': 'zstd' })).dataset,
      rows,
    );
  });
}

for (const [title, type] of bodies.slice(0, 3)) {
  test(`${title} that is none is 400 and leaves nothing`, async () => {
    const name = newName();
    const garbage = Buffer.from('certainly not what the content type says, but long enough to be read');
    const answer = await send(framehold.url, `/v1/frames/${name}`, garbage, { type, status: 400 });
    assert.equal(answer.json.code, 'bad_body');
    await assertLeftNothing(name);
  });
}

for (const [title, body] of [
  ['a row with too many fields', 'a,b\n1,2,3\n'],
  ['text that is not UTF-8', Buffer.from([0x61, 0x0a, 0xff, 0xfe, 0x0a])],
] as const) {
  test(`CSV with ${title} is 400`, async () => {
    const answer = await send(framehold.url, `/v1/frames/${newName()}`, Buffer.from(body), {
      type: 'text/csv',
    });
    assert.equal(answer.status, 400, JSON.stringify(answer.json));
  });
}

test('NDJSON with a broken line is 400, and says which', async () => {
  const answer = await send(framehold.url, `/v1/frames/${newName()}`, '{"a":1}\n{"a":\n', {
    type: 'application/x-ndjson',
  });
  assert.equal(answer.status, 400, JSON.stringify(answer.json));
  assert.match(String(answer.json.detail), /2/);
});

test('CSV: UTF-8 with a BOM is as without', async () => {
  const { columns } = await putAndRead(`\ufeff${csv}`, 'text/csv');
  assert.equal(columns[0]?.name, 'n');
});

test('CSV: delimiter= and null=', async () => {
  const { dataset } = await putAndRead('n;s\n1;NA\nNA;x,y\n', 'text/csv', '?delimiter=%3B&null=NA');
  assert.deepEqual(dataset, [
    [1, null],
    [null, 'x,y'],
  ]);
});

test('CSV from Excel: the delimiter is found and named in the manifest, the rest is read as asked for', async () => {
  const name = newName();
  const body = Buffer.from('Größe;Preis;Tag\r\nklein;1.234,50;31.12.2024\r\n', 'latin1');
  const query = '?charset=windows-1252&decimal=,&thousands=.&dates=dmy';
  const { json } = await send(framehold.url, `/v1/frames/${name}${query}`, body, {
    type: 'text/csv',
    status: 201,
  });
  const text = { charset: 'windows-1252', delimiter: ';', decimal: ',', thousands: '.', dates: 'dmy' };
  assert.deepEqual(json.origin, { kind: 'upload', format: 'csv', text });
  const manifest = JSON.parse((await getText(`${framehold.url}/v1/frames/${name}`)).text);
  assert.deepEqual(manifest.origin, json.origin);
  const answer = await exec(framehold.url, { handle: name, fmt: 'json' });
  assert.deepEqual(JSON.parse(answer.text).dataset, [['klein', 1234.5, '2024-12-31T00:00:00.000Z']]);
});

test('CSV: a row that disagrees with the header is 400 with the likely cause', async () => {
  const { status, json } = await send(framehold.url, `/v1/frames/${newName()}?delimiter=,`, 'a;b\n1,5;2\n', {
    type: 'text/csv',
  });
  assert.equal(status, 400);
  assert.match(JSON.stringify(json), /Line 2 has 2 fields, the header has 1: is the delimiter `;`\?/);
});

test('dry_run says what was found and why, and stores nothing', async () => {
  const name = newName();
  const body = 'id;price;code;empty\n1;1,5;1e5;\n2;n/a;7;\n';
  const url = `/v1/frames/${name}?dry_run=true&decimal=,`;
  const { json } = await send(framehold.url, url, body, { type: 'text/csv', status: 200 });
  assert.deepEqual(json, {
    format: 'csv',
    partial: false,
    text: { charset: 'utf-8', delimiter: ';', decimal: ',' },
    columns: [
      { name: 'id', type: 'BIGINT', why: 'line 2 has "1"' },
      { name: 'price', type: 'VARCHAR', why: 'line 3 has "n/a"' },
      { name: 'code', type: 'VARCHAR', why: 'line 2 has "1e5"' },
      { name: 'empty', type: 'VARCHAR', why: 'no value' },
    ],
    rows: [
      ['1', '1,5', '1e5', null],
      ['2', 'n/a', '7', null],
    ],
    rowCount: 2,
    problem: null,
  });
  await assertLeftNothing(name);
});

test('dry_run names the first bad line; partial leaves an incomplete last line out', async () => {
  const url = `/v1/frames/${newName()}?dry_run=true`;
  const bad = await send(framehold.url, url, 'a,b\n1,2\n3\n', { type: 'text/csv', status: 200 });
  const problem = bad.json.problem as { detail: string; hint: string };
  assert.match(problem.detail, /^Line 3 has 1 fields, the header has 2/);
  assert.match(problem.hint, /quotes/);
  assert.deepEqual(bad.json.rows, [['1', '2']]);
  for (const [type, cut] of [
    ['text/csv', 'n,s\n1,a\n2,"b\nc'],
    ['application/x-ndjson', '{"n":1,"s":"a"}\n{"n":2,'],
    ['application/json', '[{"n":1,"s":"a"},\n{"n":2,'],
  ] as const) {
    const { json } = await send(framehold.url, `${url}&partial=true`, cut, { type, status: 200 });
    assert.deepEqual([json.problem, json.rowCount], [null, 1], type);
    assert.deepEqual(
      (json.columns as { name: string; type: string }[]).map((column) => [column.name, column.type]),
      [
        ['n', 'BIGINT'],
        ['s', 'VARCHAR'],
      ],
    );
  }
  const types = encodeURIComponent('{"n":"INTEGER"}');
  const forced = await send(framehold.url, `${url}&types=${types}`, '{"n":"x"}\n', {
    type: 'application/x-ndjson',
  });
  assert.match(JSON.stringify(forced.json.problem), /Line 1, column .*is not a INTEGER/);
  const arrow = await send(framehold.url, url, stream, { type: arrowStreamType });
  assert.deepEqual([arrow.status, arrow.json.code], [400, 'bad_request']);
  const whole = await send(framehold.url, `/v1/frames/${newName()}?partial=true`, csv, { type: 'text/csv' });
  assert.equal(whole.status, 400);
});

test('dry_run of an append reads with the types of the frame, and names the value that does not fit', async () => {
  const name = newName();
  await send(framehold.url, `/v1/frames/${name}`, 'a,b\n1.5,x\n', { type: 'text/csv', status: 201 });
  const url = `/v1/frames/${name}/rows?dry_run=true`;
  const good = await send(framehold.url, url, 'b,a\n7,2\n', {
    type: 'text/csv',
    method: 'POST',
    status: 200,
  });
  assert.deepEqual(good.json.columns, [
    { name: 'b', type: 'VARCHAR', why: 'the type of the frame' },
    { name: 'a', type: 'DOUBLE', why: 'the type of the frame' },
  ]);
  const bad = await send(framehold.url, url, 'a,b\n1,x\ny,z\n', {
    type: 'text/csv',
    method: 'POST',
    status: 200,
  });
  assert.match(JSON.stringify(bad.json.problem), /Line 3, column .*does not fit the frame's DOUBLE/);
});

async function putForm(
  query: string,
  fill: (form: FormData) => void,
): Promise<[number, Record<string, unknown>]> {
  const form = new FormData();
  fill(form);
  const answer = await fetch(`${framehold.url}/v1/frames${query}`, { method: 'POST', body: form });
  return [answer.status, (await answer.json()) as Record<string, unknown>];
}

test('a form with one file is taken: its type or its name says what it is', async () => {
  const excel = 'application/vnd.ms-excel';
  for (const [fileName, type, body] of [
    ['table.csv', 'text/csv', Buffer.from(csv)],
    ['Table.CSV', excel, Buffer.from(csv.replaceAll(',', ';'))],
    ['table.txt', 'text/plain', Buffer.from(`\ufeff${csv.replaceAll(',', '\t')}`, 'utf16le')],
    ['table.jsonl', '', Buffer.from(ndjson)],
    ['table', 'application/vnd.apache.parquet', parquet],
  ] as const) {
    const [status, manifest] = await putForm('', (form) =>
      form.append('file', new Blob([body], { type }), fileName),
    );
    assert.equal(status, 201, JSON.stringify(manifest));
    const answer = await exec(framehold.url, { handle: String(manifest.name), fmt: 'json' });
    assert.deepEqual(JSON.parse(answer.text).dataset, rows, fileName);
  }
});

test('a form with a field, two files, no file or a workbook is refused, and leaves nothing', async () => {
  const file = new Blob([csv], { type: 'text/csv' });
  const [field, why] = await putForm('', (form) => form.append('ttl', '1d'));
  assert.deepEqual([field, why.code], [400, 'bad_body']);
  assert.match(String(why.hint), /parameters such as ttl go into the URL/);
  const [two] = await putForm('', (form) => {
    form.append('file', file, 'a.csv');
    form.append('file', file, 'b.csv');
  });
  assert.equal(two, 400);
  const [workbook, what] = await putForm('', (form) =>
    form.append('file', file.slice(0, 9, 'x/y'), 'a.xlsx'),
  );
  assert.deepEqual([workbook, what.code], [415, 'unsupported_media_type']);
  const [dry, report] = await putForm('?dry_run=true', (form) => form.append('file', file, 'a.csv'));
  assert.deepEqual([dry, report.rowCount], [200, 3]);
  await framehold.until('empty tmp/', () => (framehold.temporaryFiles().length === 0 ? true : null));
});

test('CSV: types= to force', async () => {
  const types = encodeURIComponent(JSON.stringify({ n: 'VARCHAR' }));
  const { columns, dataset } = await putAndRead('n,s\n1,a\n', 'text/csv', `?types=${types}`);
  assert.equal(columns[0]?.type, 'STRING');
  assert.deepEqual(dataset, [['1', 'a']]);
});

test('CSV: inference over the whole file', async () => {
  const lines = Array.from({ length: 50_000 }, (_, row) => String(row));
  const { columns, dataset } = await putAndRead(`n\n${lines.join('\n')}\nnot a number\n`, 'text/csv');
  assert.equal(columns[0]?.type, 'STRING');
  assert.deepEqual(dataset[0], ['0']);
});

test('CSV: numbers with leading zeros stay strings', async () => {
  const { columns, dataset } = await putAndRead('zip,n\n01234,1\n00001,2\n', 'text/csv');
  assert.deepEqual(
    columns.map(({ type }) => type),
    ['STRING', 'LONG'],
  );
  assert.deepEqual(dataset, [
    ['01234', 1],
    ['00001', 2],
  ]);
});

test('CSV: one number with a leading zero makes the column strings', async () => {
  const { columns } = await putAndRead('zip\n12345\n01234\n', 'text/csv');
  assert.equal(columns[0]?.type, 'STRING');
});

test('CSV: 0 and 0.5 are numbers all the same', async () => {
  const { columns } = await putAndRead('a,b\n0,0.5\n7,-0.25\n', 'text/csv');
  assert.deepEqual(
    columns.map(({ type }) => type),
    ['LONG', 'DOUBLE'],
  );
});

test('CSV: zoneless timestamps stay zoneless', async () => {
  const name = newName();
  const body = 't\n2024-05-06 07:08:09.123456\n';
  await send(framehold.url, `/v1/frames/${name}`, body, { type: 'text/csv', status: 201 });
  const { text } = await getText(`${framehold.url}/exp?handle=${name}&fmt=csv`);
  assert.match(text, /2024-05-06[T ]07:08:09\.123456"?\r?\n$/);
});

test('CSV: a header row and nothing else is a frame without rows', async () => {
  const { columns, dataset } = await putAndRead('a,b\n', 'text/csv');
  assert.deepEqual(
    columns.map(({ name }) => name),
    ['a', 'b'],
  );
  assert.deepEqual(dataset, []);
});

test('CSV: quotes, commas and line breaks in a field', async () => {
  const { dataset } = await putAndRead('a,b\n"x, ""y""\nz",1\n', 'text/csv');
  assert.deepEqual(dataset, [['x, "y"\nz', 1]]);
});

test('CSV: 64-bit numbers keep their digits', async () => {
  const name = newName();
  await send(framehold.url, `/v1/frames/${name}`, 'n\n9223372036854775807\n-9223372036854775808\n', {
    type: 'text/csv',
    status: 201,
  });
  const { text } = await exec(framehold.url, { handle: name, fmt: 'json' });
  assert.match(text, /\[\[9223372036854775807\],\[-9223372036854775808\]\]/);
});

test('a body shorter than its Content-Length is 400 or cut, and leaves nothing', async () => {
  const name = newName();
  const head = `PUT /v1/frames/${name} HTTP/1.1\r\nhost: x\r\ncontent-type: ${arrowStreamType}\r\n`;
  const half = stream.subarray(0, stream.length / 2);
  const request = Buffer.concat([Buffer.from(`${head}content-length: ${stream.length}\r\n\r\n`), half]);
  const answer = await rawHttp(framehold.url, request, {
    // Behind what is sent.
    onSocket: (socket) => setImmediate(() => socket.end()),
  });
  assert.ok(answer.status === 0 || answer.status === 400, String(answer.status));
  await assertLeftNothing(name);
});

test('an Arrow stream without its end is 400 and leaves nothing', async () => {
  const name = newName();
  const answer = await send(framehold.url, `/v1/frames/${name}`, stream.subarray(0, stream.length - 8), {
    status: 400,
  });
  assert.equal(answer.json.code, 'bad_body');
  await assertLeftNothing(name);
});

test('bytes after the end of an Arrow stream are 400', async () => {
  const name = newName();
  const body = Buffer.concat([stream, Buffer.from('more')]);
  assert.equal((await send(framehold.url, `/v1/frames/${name}`, body)).status, 400);
  await assertLeftNothing(name);
});

test('an empty body is 400', async () => {
  for (const [, type] of bodies.slice(0, 3)) {
    assert.equal((await send(framehold.url, `/v1/frames/${newName()}`, '', { type })).status, 400, type);
  }
});

test('a gzip body that is none is 400 and leaves nothing', async () => {
  const name = newName();
  const answer = await send(framehold.url, `/v1/frames/${name}`, stream, {
    headers: { 'content-encoding': 'gzip' },
  });
  assert.equal(answer.status, 400, JSON.stringify(answer.json));
  await assertLeftNothing(name);
});

test('a gzip body that is cut is 400 and leaves nothing', async () => {
  const name = newName();
  const zipped = gzipSync(stream);
  const body = zipped.subarray(0, zipped.length - 9);
  const answer = await send(framehold.url, `/v1/frames/${name}`, body, {
    headers: { 'content-encoding': 'gzip' },
  });
  assert.equal(answer.status, 400, JSON.stringify(answer.json));
  await assertLeftNothing(name);
});

test('another Content-Type or none is 415, another Content-Encoding too', async () => {
  const url = `/v1/frames/${newName()}`;
  assert.equal(
    (await send(framehold.url, url, '{}', { type: 'text/plain' })).json.code,
    'unsupported_media_type',
  );
  assert.equal(
    (await send(framehold.url, url, stream, { headers: { 'content-encoding': 'br' } })).status,
    415,
  );
});

test('a body above http.body_bytes_max is 413, announced or not, before or after decoding', async () => {
  const big = Buffer.alloc(1_000_001, 'n\n1\n');
  const name = newName();
  const announced = await send(framehold.url, `/v1/frames/${name}`, big, { type: 'text/csv' });
  assert.equal(announced.json.code, 'body_too_large');
  const bomb = await send(framehold.url, `/v1/frames/${name}`, gzipSync(big), {
    type: 'text/csv',
    headers: { 'content-encoding': 'gzip' },
  });
  assert.equal(bomb.status, 413);
  await assertLeftNothing(name);
});

const expecting = (name: string, more: string, length: number) =>
  `PUT /v1/frames/${name} HTTP/1.1\r\nhost: x\r\ncontent-type: ${arrowStreamType}\r\ncontent-length: ${length}\r\nexpect: 100-continue\r\n${more}\r\n`;

/** Sends the head, waits for what comes back, and sends the body only after 100. */
async function expectContinue(head: string, body: Buffer): Promise<{ continued: boolean; status: number }> {
  let continued = false;
  const answer = await rawHttp(framehold.url, head, {
    onSocket: (socket) =>
      socket.on('data', (chunk: Buffer) => {
        if (!continued && chunk.toString('latin1').startsWith('HTTP/1.1 100')) {
          continued = true;
          socket.write(body);
        }
      }),
  });
  return { continued, status: answer.status };
}

test('Expect: 100-continue is answered, and the body taken after it', async () => {
  const name = newName();
  const answer = await expectContinue(expecting(name, '', stream.length), stream);
  assert.deepEqual(answer, { continued: true, status: 201 });
});

test('Expect: 100-continue is answered only after conditions and size were checked', async () => {
  const name = newName();
  await send(framehold.url, `/v1/frames/${name}`, stream, { status: 201 });
  assert.deepEqual(await expectContinue(expecting(name, 'if-none-match: *\r\n', stream.length), stream), {
    continued: false,
    status: 412,
  });
  assert.deepEqual(await expectContinue(expecting(name, 'if-match: "no"\r\n', stream.length), stream), {
    continued: false,
    status: 412,
  });
  assert.deepEqual(await expectContinue(expecting(newName(), '', 1_000_001), stream), {
    continued: false,
    status: 413,
  });
});

test('a CSV, Parquet or NDJSON frame is held as Arrow and read by Flight and Parquet alike', async () => {
  const name = newName();
  await send(framehold.url, `/v1/frames/${name}`, csv, { type: 'text/csv', status: 201 });
  const manifest = JSON.parse((await getText(`${framehold.url}/v1/frames/${name}`)).text);
  assert.equal(manifest.rows, 3);
  assert.deepEqual(manifest.origin, {
    kind: 'upload',
    format: 'csv',
    text: { charset: 'utf-8', delimiter: ',' },
  });
});
