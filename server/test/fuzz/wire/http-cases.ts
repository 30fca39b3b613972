import { gzipSync } from 'node:zlib';
import { encodeTarget, oddPaths, paths, target } from './http-targets.ts';
import type { SeededRandom } from './wire-random.ts';

/** What goes out on one connection. */
export interface HttpCase {
  readonly bytes: Buffer;
  /** Sent in this many pieces. */
  readonly pieces: number;
  /** Answers that must come, if the bytes are whole requests; 0 if nobody can say. */
  readonly answers: number;
  /** Which of the requests are HEAD: their answers have no body, whatever their headers say. */
  readonly heads: readonly boolean[];
  /** Leaves with a reset instead of an end. */
  readonly resets: boolean;
}

const methods = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'PATCH', 'OPTIONS'];
const oddMethods = [
  ...[
    'TRACE',
    'CONNECT',
    'QUERY',
    'PROPFIND',
    'M-SEARCH',
    'PRI',
    'get',
    'GeT',
    '',
    'G ET',
    'GET\t',
    'X'.repeat(300),
  ],
  ...['\u0000', 'GET\u0000', 'LINK', 'SOURCE', 'PURGE', 'BREW', '(', '\x80\x81'],
];
const headers: Readonly<Record<string, readonly string[]>> = {
  accept: [
    '*/*',
    'application/json',
    'text/csv;q=0',
    'a/b',
    ';;;',
    '*',
    'text/*;q=9',
    ',',
    '*/*;q=0',
    'x'.repeat(5000),
  ],
  'accept-encoding': ['gzip', 'br', 'zstd', 'identity;q=0', '*;q=0', 'gzip;q=', ',,,', 'deflate, gzip;q=1.0'],
  'content-encoding': [
    'gzip',
    'zstd',
    'br',
    'deflate',
    'identity',
    'x',
    '',
    'gzip, gzip',
    'GZIP',
    'compress',
  ],
  'content-type': [
    ...[
      'application/vnd.apache.arrow.stream',
      'application/vnd.apache.arrow.file',
      'text/csv',
      'application/json',
    ],
    ...[
      'application/vnd.apache.parquet',
      'application/x-ndjson',
      'application/sql',
      'text/plain',
      'a',
      '',
      '/',
      ';',
    ],
    ...['multipart/form-data; boundary=x', 'application/json; charset=utf-16', 'text/csv; header="', '\x80'],
  ],
  expect: [
    '100-continue',
    '100-CONTINUE',
    'nothing',
    '',
    '100-continue, 100-continue',
    '100-continues',
    'x'.repeat(5000),
  ],
  'framehold-query-id': ['q1', '', 'x'.repeat(65), 'a b'],
  range: ['bytes=0-1', 'bytes=-1', 'bytes=5-1', 'bytes=0-18446744073709551616', 'rows=1-2', ''],
  'if-match': ['*', '"seed@1"', 'W/"x"', '""', '"', 'x', '"a", "b"', '', '"'.repeat(1000), '"\x80"'],
  'if-none-match': ['*', '"seed@1"', 'W/"x"', '', '"', `${'"a", '.repeat(2000)}"b"`],
  'idempotency-key': ['k1', 'k2', '', 'x'.repeat(300), '\x80', 'a b'],
  'content-digest': [
    'sha-256=:AAAA:',
    'sha-256=::',
    'md5=:x:',
    'sha-256',
    ':',
    'sha-256=:????:',
    'sha-512=:AAAA:',
  ],
  'repr-digest': ['sha-256=:AAAA:', 'x'],
  'content-md5': ['x', 'AAAA'],
  host: ['localhost', '', 'a:b:c', 'x'.repeat(3000), '[::1', 'a\x00b', 'evil.example'],
  connection: ['close', 'keep-alive', 'upgrade', 'close, keep-alive', 'te, x', ''],
  upgrade: ['websocket', 'h2c', 'TLS/1.0', ''],
  'http2-settings': ['AAMAAABkAAQAAP__'],
  'x-request-id': ['abc', 'a b', '\n', 'x'.repeat(100), '\x1b[31m', '"'],
  'x-forwarded-for': ['1.2.3.4', 'x', ',,,', '::1'],
  'x-forwarded-host': ['evil.example', ''],
  trailer: ['x-a', 'content-length', ''],
  te: ['trailers', 'chunked', 'gzip'],
  cookie: ['a=b', ';'.repeat(5000)],
  authorization: ['Basic YTpi', 'Bearer x', 'x', 'Basic', 'Basic \x80', `Bearer ${'a'.repeat(9000)}`],
  origin: ['null', 'http://evil.example', 'x'],
  'access-control-request-method': ['PUT', 'x'],
  'sec-websocket-key': ['x'],
  date: ['x'],
  via: ['1.1 x'],
  'max-forwards': ['-1'],
  'x-http-method-override': ['DELETE'],
};
const oddHeaderLines = [
  ...[
    ': x',
    'a',
    'a b: c',
    'a : b',
    ' folded',
    '\tfolded',
    'a\x00: b',
    'a: b\x00c',
    'a:\x01',
    '__proto__: x',
  ],
  ...[
    'constructor: x',
    `x: ${'y'.repeat(20_000)}`,
    `${'x'.repeat(10_000)}: y`,
    'a: b\r',
    'a: b\nc: d',
    '\x80: a',
  ],
  ...[
    'content-length: 5',
    'content-length: -1',
    'content-length: +5',
    'content-length: 5, 5',
    'content-length: 0x5',
  ],
  ...[
    'content-length: 99999999999999999999',
    'content-length:',
    'content-length: 1e3',
    'content-length: 9007199254740993',
  ],
  ...['transfer-encoding: chunked', 'transfer-encoding: chunked, chunked', 'transfer-encoding: identity'],
  ...['transfer-encoding: gzip, chunked', 'transfer-encoding: \x0bchunked', 'transfer-encoding: xchunked'],
  ...['Transfer-Encoding : chunked', 'transfer-encoding: chunked\r\ntransfer-encoding: identity'],
  ...[
    'transfer-encoding:\r\n chunked',
    'content-length: 5\r\ncontent-length: 6',
    'transfer_encoding: chunked',
  ],
  ...[
    'host: a\r\nhost: b',
    'expect: 100-continue\r\nexpect: x',
    'connection: close\r\nconnection: keep-alive',
  ],
];

const versions = [
  'HTTP/1.1',
  'HTTP/1.1',
  'HTTP/1.1',
  'HTTP/1.0',
  'HTTP/0.9',
  'HTTP/2.0',
  'HTTP/1.11',
  'HTTP',
  '',
  'http/1.1',
  'HTTP/1.1 x',
];

export interface HttpCorpus {
  /** Real uploads: Arrow streams, Parquet. */
  readonly bodies: readonly Buffer<ArrayBuffer>[];
  /** What a good caller sends, and where. */
  readonly uploads: readonly Upload[];
}

interface Upload {
  readonly targets: readonly string[];
  readonly type: string;
  readonly body: Buffer<ArrayBuffer>;
}

const smallBodies = [
  '',
  'a,b\n1,2\n3,4\n',
  'a,b\n1\n"',
  '{"a":1}\n{"a":2}\n',
  '{"a":',
  '{"sql":"select 1 as a"}',
  '{"sql":"select * from seed","limit":1}',
  '{"sql":1}',
  '{"sql":"select $1","parameters":[1]}',
  '{"sql":"select 1","into":{"name":"f6","mode":"replace"}}',
  '[]',
  'null',
  'select 1',
  'select * from seed limit 1',
  `${'['.repeat(5_000)}`,
  `{"sql":"select 1","parameters":${'['.repeat(3_000)}${']'.repeat(3_000)}}`,
  '\u0000',
  '\ufeffa\n1\n',
].map((text) => Buffer.from(text));

/** One connection's worth of bytes: whole requests most of the time, then changed, cut or joined. */
export function makeHttpCase(random: SeededRandom, corpus: HttpCorpus): HttpCase {
  const resets = random.percent(5);
  const pieces = random.percent(70) ? 1 : 1 + random.below(6);
  if (random.percent(45)) {
    // Whole requests in a row: each must be answered.
    const count = random.percent(80) ? 1 : 2 + random.below(6);
    const requests: Buffer[] = [];
    for (let index = 0; index < count; index++)
      requests.push(wholeRequest(random, corpus, index === count - 1));
    const heads = requests.map(isHead);
    return { bytes: Buffer.concat(requests), pieces, answers: count, heads, resets };
  }
  const request = random.percent(12) ? smuggling(random) : oddRequest(random, corpus);
  const count = random.percent(85) ? 1 : 2 + random.below(4);
  let bytes: Buffer = Buffer.concat(Array.from({ length: count }, () => request));
  if (random.percent(40)) bytes = random.mutate(bytes);
  if (random.percent(8)) bytes = random.bytes(random.below(400));
  if (random.percent(15)) bytes = Buffer.from(bytes.subarray(0, random.below(bytes.length + 1)));
  return { bytes, pieces, answers: 0, heads: Array.from({ length: count }, () => isHead(request)), resets };
}

function isHead(request: Buffer): boolean {
  return request.toString('latin1', 0, 5) === 'HEAD ';
}

/** Valid HTTP with odd content. Nothing in it may leave the server waiting for more. */
function wholeRequest(random: SeededRandom, corpus: HttpCorpus, last: boolean): Buffer {
  const method = random.pick(methods);
  const lines = [`${method} ${encodeTarget(target(random, paths))} HTTP/1.1`, 'host: localhost'];
  const names = Object.keys(headers).filter(
    (name) => !['expect', 'connection', 'upgrade', 'host', 'http2-settings', 'te', 'trailer'].includes(name),
  );
  for (let count = random.below(4); count > 0; count--) {
    const name = random.pick(names);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a header cannot have.
    const value = random.pick(headers[name] ?? ['']).replaceAll(/[\x00-\x1f\x7f]/g, '');
    if (!lines.some((line) => line.startsWith(`${name}:`))) lines.push(`${name}: ${value}`);
  }
  if (!last) lines.push('connection: keep-alive');
  const hasBody = method === 'PUT' || method === 'POST' || random.percent(5);
  if (!hasBody) return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  // A decoded upload takes a fresh thread for a tenth of a second: too many, and cases wait for each other.
  const upload = random.percent(8) ? random.pick(corpus.uploads) : null;
  if (upload !== null) {
    lines[0] = `${method} ${random.pick(upload.targets)} HTTP/1.1`;
    lines.push(`content-type: ${upload.type}`);
  }
  const body = upload === null || random.percent(30) ? bodyOf(random, corpus) : upload.body;
  if (random.percent(50)) {
    lines.push(`content-length: ${body.length}`);
    return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body]);
  }
  lines.push('transfer-encoding: chunked');
  return Buffer.concat([
    Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'),
    chunked(random, body, false),
  ]);
}

function oddRequest(random: SeededRandom, corpus: HttpCorpus): Buffer {
  const method = random.percent(80) ? random.pick(methods) : random.pick(oddMethods);
  const line = `${method} ${target(random, random.percent(70) ? paths : oddPaths)} ${random.pick(versions)}`;
  const lines = [line];
  if (random.percent(85)) lines.push('host: localhost');
  for (let count = random.below(6); count > 0; count--) {
    if (random.percent(30)) lines.push(random.pick(oddHeaderLines));
    else {
      const name = random.pick(Object.keys(headers));
      lines.push(`${random.percent(10) ? name.toUpperCase() : name}: ${random.pick(headers[name] ?? [''])}`);
    }
  }
  if (random.percent(3)) for (let count = random.below(3_000); count > 0; count--) lines.push(`h${count}: v`);
  const body = bodyOf(random, corpus);
  const end = random.percent(95) ? '\r\n' : random.pick(['\n', '\r', '\r\r\n', '']);
  const head = (extra: readonly string[]) => Buffer.from([...lines, ...extra, '', ''].join(end), 'latin1');
  switch (random.below(4)) {
    case 0:
      return head([]);
    case 1: {
      const length = body.length + random.pick([0, 0, 0, 1, -1, 1000, 2 ** 31, 2 ** 53]);
      return Buffer.concat([head([`content-length: ${length}`]), body]);
    }
    case 2:
      return Buffer.concat([head(['transfer-encoding: chunked']), chunked(random, body, true)]);
    default:
      return Buffer.concat([
        head([`content-length: ${body.length}`, 'transfer-encoding: chunked']),
        chunked(random, body, true),
      ]);
  }
}

function bodyOf(random: SeededRandom, corpus: HttpCorpus): Buffer<ArrayBuffer> {
  const body = random.percent(35) ? random.pick(corpus.bodies) : random.pick(smallBodies);
  const changed = random.percent(40) ? random.mutate(body) : body;
  return random.percent(15) ? gzipSync(changed) : changed;
}

function chunked(random: SeededRandom, body: Buffer, odd: boolean): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < body.length; ) {
    const size = Math.min(body.length - at, 1 + random.below(body.length));
    const text = odd && random.percent(15) ? oddChunkSize(random, size) : size.toString(16);
    const end = odd && random.percent(5) ? random.pick(['\n', '', '\r']) : '\r\n';
    parts.push(Buffer.from(`${text}\r\n`, 'latin1'), body.subarray(at, at + size), Buffer.from(end));
    at += size;
  }
  const last = odd && random.percent(20) ? random.pick(lastChunks) : '0\r\n\r\n';
  return Buffer.concat([...parts, Buffer.from(last, 'latin1')]);
}

const lastChunks = [
  ...[
    '0\r\nx-trailer: a\r\n\r\n',
    '0\r\ncontent-length: 5\r\n\r\n',
    '0\r\n',
    '',
    '00000000000\r\n\r\n',
    '0;a=b\r\n\r\n',
  ],
  ...['0\n\n', `0\r\n${'t: v\r\n'.repeat(3_000)}\r\n`, '0\r\n\x00: a\r\n\r\n', '0\r\nX'],
];

function oddChunkSize(random: SeededRandom, size: number): string {
  const hex = size.toString(16);
  return random.pick([
    ...[`${hex};a=b`, `${hex};${'x'.repeat(20_000)}`, `0x${hex}`, `+${hex}`, `-${hex}`, ` ${hex}`, `${hex} `],
    ...[
      `000000000000000000${hex}`,
      'ffffffffffffffff',
      '7fffffffffffffff',
      '80000000',
      'g',
      '',
      `${hex};\x00`,
    ],
    ...[`${hex};a="\r\n"`, `${hex}\n`, `${hex}\x0b`],
  ]);
}

/** Two readings of where a request ends: a server that takes both would let a caller hide one request in another. */
function smuggling(random: SeededRandom): Buffer {
  const hidden = 'GET /v1/frames HTTP/1.1\r\nhost: hidden\r\nx-request-id: smuggled\r\n\r\n';
  const path = random.pick(['/v1/frames/f1', '/v1/sql', '/ping', '/v1/frames']);
  const first = `${random.pick(['POST', 'PUT', 'GET'])} ${path} HTTP/1.1\r\nhost: localhost\r\n`;
  return Buffer.from(
    random.pick([
      `${first}content-length: ${hidden.length + 5}\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`,
      `${first}transfer-encoding: chunked\r\ncontent-length: 3\r\n\r\n${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`,
      `${first}content-length: 0\r\ncontent-length: ${hidden.length}\r\n\r\n${hidden}`,
      `${first}transfer-encoding: xchunked\r\ncontent-length: ${hidden.length}\r\n\r\n${hidden}`,
      `${first}transfer-encoding: chunked, identity\r\n\r\n0\r\n\r\n${hidden}`,
      `${first}transfer-encoding:\x0bchunked\r\ncontent-length: 5\r\n\r\n0\r\n\r\n${hidden}`,
      `${first}content-length : 5\r\ncontent-length: 0\r\n\r\n${hidden}`,
      `${first}transfer-encoding: chunked\r\n\r\n0\n\n${hidden}`,
      `${first}transfer-encoding: chunked\r\n\r\n1;\n${hidden}`,
      `${first}x: y\r transfer-encoding: chunked\r\ncontent-length: 5\r\n\r\n0\r\n\r\n${hidden}`,
      `${first}\rcontent-length: ${hidden.length}\r\n\r\n${hidden}`,
      `${first.replace('HTTP/1.1', 'HTTP/1.0')}transfer-encoding: chunked\r\ncontent-length: 5\r\n\r\n0\r\n\r\n${hidden}`,
    ]),
    'latin1',
  );
}
