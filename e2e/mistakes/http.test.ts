/** docs/guides/mistakes/http.md: each mistake is made with curl, against the started command. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { freePort } from '../../server/test/support/free-port.ts';
import { TestAuthority } from '../../server/test/support/test-authority.ts';
import { TestCredentials } from '../../server/test/support/test-credentials.ts';
import { testMistakes } from './make-mistakes.ts';

/** With tokens, small limits, and an external database that is not there. */
let plain: Framehold;
/** With TLS, without credentials, on a disk that counts as full. */
let secure: Framehold;
let tokens: Record<'writer' | 'reader' | 'expired', string>;
let closedPort: number;

before(async () => {
  const authority = new TestAuthority();
  const { cert, key } = authority.signServer();
  closedPort = await freePort();
  [plain, secure] = await Promise.all([
    Framehold.start({
      env: {
        FRAMEHOLD_HTTP_BODY_BYTES_MAX: '100KiB',
        FRAMEHOLD_TSDB_HTTP_URL: `http://127.0.0.1:${closedPort}`,
      },
    }),
    Framehold.start({
      env: {
        FRAMEHOLD_TLS_CERT_FILE: cert,
        FRAMEHOLD_TLS_KEY_FILE: key,
        FRAMEHOLD_STORAGE_RESERVE_BYTES: '900TiB',
      },
    }),
  ]);
  using credentials = new TestCredentials(plain.dataDirectory);
  const tenant = 'default';
  tokens = {
    writer: credentials.create({ tenant, scopes: ['read', 'write', 'tsdb'] }),
    reader: credentials.create({ tenant, scopes: ['read'] }),
    expired: credentials.create({ tenant, scopes: ['read'], ttlMs: 1 }),
  };
  writeFileSync(file('trades.csv'), 'symbol,price\nA,1.5\nB,2.5\n');
  const made = await sent('PUT', '/v1/frames/trades', 'text/csv', 'trades.csv');
  assert.match(made, /"handle":"trades@1"/);
});
after(async () => {
  await plain?.remove();
  await secure?.remove();
});

const file = (name: string) => join(plain.home, name);

/** What a person sees who types this: of a problem its detail and its hint, which it must have; else what curl prints. */
async function curl(...args: readonly string[]): Promise<string> {
  const { stdout, stderr } = await new Promise<{ stdout: string; stderr: string }>((resolve) => {
    execFile('curl', ['-sS', '--max-time', '20', ...args], { cwd: plain.home }, (_error, stdout, stderr) =>
      resolve({ stdout, stderr }),
    );
  });
  const problem = problemIn(stdout);
  if (problem === null) return `${stdout}${stderr}`;
  assert.ok(problem.hint !== undefined, `no hint: ${stdout}`);
  return `${problem.detail} ${problem.hint}`;
}

function problemIn(text: string): { readonly detail: string; readonly hint?: string } | null {
  return text.startsWith('{') && text.includes('"code":"') ? JSON.parse(text) : null;
}

const as = (token: string) => ['-H', `Authorization: Bearer ${token}`];
const got = (path: string, ...more: readonly string[]) =>
  curl(...as(tokens.writer), ...more, plain.url + path);
const sent = (method: string, path: string, type: string, name: string) =>
  got(path, '-X', method, '-H', `Content-Type: ${type}`, '--data-binary', `@${name}`);
const sql = (text: string) => got('/v1/sql', '-H', 'Content-Type: application/sql', '--data-binary', text);
const json = (text: string) => got('/v1/sql', '-H', 'Content-Type: application/json', '--data-binary', text);

/** A workbook is a ZIP archive whose first file has this name. */
const workbookBeginning = Buffer.from(
  `${'PK\x03\x04\x14\0\x06\0\x08\0'.padEnd(30, '\0')}[Content_Types].xml \xa2\x04`,
  'latin1',
);

function written(name: string, bytes: string | Buffer): string {
  writeFileSync(file(name), bytes);
  return name;
}

testMistakes('http', {
  'no server there': () => curl(`http://127.0.0.1:${closedPort}/v1/frames`),
  'the gRPC port instead of the HTTP port': () => curl(plain.grpcUrl.replace('grpc:', 'http:')),
  'https:// to a port without TLS': () => curl(plain.url.replace('http:', 'https:')),
  'http:// to a port with TLS': () => curl(`${secure.url.replace('https:', 'http:')}/v1/frames`),
  'a certificate that curl does not know': () => curl(`${secure.url}/v1/frames`),
  'a typing error in the path': () => got('/v1/frame'),
  'a wrong method': () => got('/v1/sql', '-X', 'PUT'),
  'an agent, on a server without MCP': async () => {
    const document = await got('/v1/openapi.json');
    assert.equal(document.includes('/v1/mcp'), false);
    assert.match(await got('/v1/mcp'), /not enabled/);
    return got('/v1/mcp', '-H', 'Content-Type: application/json', '--data-binary', '{}');
  },
  'no token': () => curl(`${plain.url}/v1/frames`),
  'a wrong token': () => curl(...as(`${tokens.writer.slice(0, -2)}xx`), `${plain.url}/v1/frames`),
  'a token that has expired': () => curl(...as(tokens.expired), `${plain.url}/v1/frames`),
  'a token without Bearer': () => curl('-H', `Authorization: ${tokens.writer}`, `${plain.url}/v1/frames`),
  'a token that may only read': () =>
    curl(...as(tokens.reader), '-X', 'DELETE', `${plain.url}/v1/frames/trades`),
  'a typing error in the name of a frame': () => got('/v1/frames/trade/rows'),
  'a name with a character that names cannot have': () =>
    sent('PUT', '/v1/frames/my%20trades', 'text/csv', 'trades.csv'),
  'a version that does not exist': () => got('/v1/frames/trades@7/rows'),
  'a frame that was dropped': async () => {
    await sent('PUT', '/v1/frames/dropped', 'text/csv', 'trades.csv');
    await got('/v1/frames/dropped', '-X', 'DELETE');
    return got('/v1/frames/dropped/rows');
  },
  'a typing error in the name of a parameter': () => got('/v1/frames/trades/rows?limt=5'),
  'a column that the frame does not have': () => got('/v1/frames/trades/rows?columns=prise'),
  'a format that is not offered': () => got('/v1/frames/trades/rows?fmt=xlsx'),
  'no Content-Type': () => got('/v1/frames/new', '-T', 'trades.csv'),
  'CSV sent as Parquet': () => sent('PUT', '/v1/frames/new', 'application/vnd.apache.parquet', 'trades.csv'),
  'Parquet sent as CSV': async () => {
    await got('/v1/frames/trades/rows?fmt=parquet', '-o', 'trades.parquet');
    return sent('PUT', '/v1/frames/new', 'text/csv', 'trades.parquet');
  },
  'CSV sent as Arrow': () =>
    sent('PUT', '/v1/frames/new', 'application/vnd.apache.arrow.stream', 'trades.csv'),
  'gzip without Content-Encoding': () =>
    sent('PUT', '/v1/frames/new', 'text/csv', written('plain.csv.gz', gzipSync(Buffer.from('n\n1\n')))),
  'an Excel workbook sent as CSV': () =>
    sent('PUT', '/v1/frames/new', 'text/csv', written('book.xlsx', workbookBeginning)),
  'an Excel workbook sent as a workbook': () =>
    sent(
      'PUT',
      '/v1/frames/new',
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      written('book.xlsx', workbookBeginning),
    ),
  'an empty body': () => sent('PUT', '/v1/frames/new', 'text/csv', written('empty.csv', '')),
  'a gzip file that is cut off': () => {
    const whole = gzipSync(Buffer.from('n\n1\n2\n3\n'.repeat(500)));
    const name = written('cut.csv.gz', whole.subarray(0, whole.length / 2));
    return got('/v1/frames/new', '-H', 'Content-Encoding: gzip', '-H', 'Content-Type: text/csv', '-T', name);
  },
  'a body that is larger than allowed': () =>
    sent('PUT', '/v1/frames/new', 'text/csv', written('large.csv', `n\n${'1\n'.repeat(80_000)}`)),
  'CSV with a row that is too long': () =>
    sent('PUT', '/v1/frames/new', 'text/csv', written('ragged.csv', 'a,b\n1,2\n1,2,3\n')),
  'appending other columns': () =>
    sent('POST', '/v1/frames/trades/rows', 'text/csv', written('other.csv', 'symbol,prize\nC,3\n')),
  'a name that is taken': () => sent('PUT', '/v1/frames/TRADES', 'text/csv', 'trades.csv'),
  'a full disk': () =>
    curl(
      '-k',
      '-X',
      'PUT',
      '-H',
      'Content-Type: text/csv',
      '--data-binary',
      '@trades.csv',
      `${secure.url}/v1/frames/new`,
    ),
  'JSON with an error': () => json('{"sql": "select 1",}'),
  'a member of the JSON that does not exist': () => json('{"query": "select 1"}'),
  'an error in the syntax of SQL': () => sql('selct * from trades'),
  'a column that does not exist, in SQL': () => sql('select prise from trades'),
  'a table that does not exist, in SQL': () => sql('select * from trade'),
  'a statement that writes, in a URL': () =>
    got('/v1/sql', '-G', '--data-urlencode', 'query=drop table trades'),
  'a parameter without a value, in SQL': () => json('{"sql": "select $1 + $2", "parameters": [1]}'),
  'a typing error in the name of an SQL parameter': () =>
    json('{"sql": "select * from trades where price > $price", "parameters": {"prise": 1}}'),
  'two statements at once': () => sql('select 1; select 2'),
  'reading a file in SQL': () => sql("select * from read_csv('/data/trades.csv')"),
  'the external database is down': () => got('/exec?fmt=json', '-G', '--data-urlencode', 'query=select 1'),
});
