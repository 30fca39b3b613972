/**
 * The audit log: exactly one line for each change and each refusal, with who, what, which frame, from where and the outcome. That each action of the
 * access table leaves its line, through every interface, is looked at in matrix.test.ts; here is what the table does not know: limits, statements,
 * the external database, time, and what comes twice.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  CommandStatementQuerySchema,
  CommandStatementUpdateSchema,
} from '../../server/src/flight/gen/FlightSql_pb.js';
import { packAny } from '../../server/src/flight/sql/any-message.ts';
import { type AuditLine, auditLines } from '../../server/test/support/audit-lines.ts';
import { FakeUpstream, type SeenRequest } from '../../server/test/support/fake-upstream.ts';
import { flightPython } from '../../server/test/support/flight-python.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { TestCredentials } from '../../server/test/support/test-credentials.ts';

const bytesMax = 200_000;
/** In a statement for the database; no line may have it. */
const hidden = 'value_in_the_statement';
let framehold: Framehold;
let upstream: FakeUpstream;
let tokens: Record<'a' | 'b' | 'c' | 'd' | 'reader', string>;
let answerUpstream: (request: SeenRequest) => void = () => {};
let asked = 0;

before(async () => {
  upstream = await FakeUpstream.start((request) => answerUpstream(request));
  framehold = await Framehold.start({
    env: {
      FRAMEHOLD_TSDB_HTTP_URL: upstream.url,
      FRAMEHOLD_TENANT_BYTES_MAX: String(bytesMax),
      FRAMEHOLD_TENANT_FRAMES_MAX: '2',
      FRAMEHOLD_TENANT_QUERIES_MAX: '1',
      FRAMEHOLD_TENANT_STREAMS_MAX: '1',
      FRAMEHOLD_TENANT_REQUESTS_PER_SECOND: '50',
      FRAMEHOLD_TENANT_REQUESTS_BURST: '60',
      FRAMEHOLD_JOBS_SWEEP_INTERVAL_MS: '200',
    },
  });
  using credentials = new TestCredentials(framehold.dataDirectory);
  const admin = (tenant: string) =>
    credentials.create({ tenant, scopes: ['admin'], name: `admin of ${tenant}` });
  tokens = {
    a: admin('a'),
    b: admin('b'),
    c: admin('c'),
    d: admin('d'),
    reader: credentials.create({ tenant: 'a', scopes: ['read'], name: 'reader' }),
  };
  for (const name of ['one', 'two']) assert.equal((await ask('a', `/v1/frames/${name}`, csv(1))).status, 201);
});
after(async () => {
  await framehold.remove();
  await upstream.stop();
});

type Who = keyof typeof tokens | null;
type Line = Pick<AuditLine, 'action' | 'outcome' | 'reason' | 'frame'>;

interface Asked {
  readonly id: string;
  readonly status: number;
}

function csv(rows: number, method = 'PUT'): RequestInit {
  const body = `n\n${Array.from({ length: rows }, (_, row) => row).join('\n')}\n`;
  return { method, body, headers: { 'content-type': 'text/csv' } };
}

function post(sql: string): RequestInit {
  return { method: 'POST', body: sql, headers: { 'content-type': 'application/sql' } };
}

const get = (sql: string) => `/v1/sql?query=${encodeURIComponent(sql)}`;
const exec = (sql: string) => `/exec?query=${encodeURIComponent(sql)}&fmt=json`;

/** Under a request id by which its lines are found. */
async function ask(who: Who, path: string, init: RequestInit = {}): Promise<Asked> {
  const id = `audit-${asked++}`;
  const headers: Record<string, string> = { ...(init.headers as Record<string, string>), 'x-request-id': id };
  if (who !== null) headers.authorization = `Bearer ${tokens[who]}`;
  const answer = await fetch(`${framehold.url}${path}`, { ...init, headers }).catch(() => null);
  await answer?.arrayBuffer();
  return { id, status: answer?.status ?? 0 };
}

/** The lines of a request, when its last one is written. */
async function linesOf({ id }: Asked): Promise<AuditLine[]> {
  const lines = () => framehold.lines.filter((line) => line.includes(`"requestId":"${id}"`));
  await framehold.until('the end of a request', () =>
    lines().some((line) => line.includes('"event":"http-request"')) ? true : null,
  );
  return auditLines(lines());
}

const nobody = { tenant: null, caller: null };
const whoIs = (who: Who) => {
  if (who === null) return nobody;
  return who === 'reader' ? { tenant: 'a', caller: 'reader' } : { tenant: who, caller: `admin of ${who}` };
};

async function assertTold(answered: Asked, who: Who, expected: Line): Promise<AuditLine> {
  const [line, ...more] = await linesOf(answered);
  assert.ok(line !== undefined, `no line, status ${answered.status}`);
  assert.deepEqual(more, []);
  const { action, outcome, reason, tenant, caller, frame, remote } = line;
  assert.deepEqual(
    { action, outcome, reason, tenant, caller, frame, remote },
    { ...expected, ...whoIs(who), remote: '127.0.0.1' },
  );
  assert.equal(line.detail === null, outcome === 'done');
  return line;
}

const big = { method: 'PUT', body: Buffer.alloc(bytesMax * 2) };
const arrowType = { 'content-type': 'application/vnd.apache.arrow.stream' };
const quota = { outcome: 'refused', reason: 'quota_exceeded' } as const;
const refusedStatement = { outcome: 'refused', reason: 'sql_refused' } as const;
const denied = { outcome: 'refused', reason: 'access_denied' } as const;

const refusals: readonly (readonly [title: string, Who, path: string, RequestInit, Line])[] = [
  [
    'a frame too many, by a put',
    'a',
    '/v1/frames/three',
    csv(1),
    { action: 'frame.put', frame: 'three', ...quota },
  ],
  [
    'a frame too many, by a put without a name',
    'a',
    '/v1/frames',
    csv(1, 'POST'),
    { action: 'frame.put', frame: null, ...quota },
  ],
  [
    'a frame too many, by CREATE TABLE',
    'a',
    '/v1/sql',
    post('create table three as select 1 n'),
    { action: 'frame.put', frame: 'three', ...quota },
  ],
  [
    'bytes too many when they are committed',
    'a',
    '/v1/frames/one',
    csv(30_000),
    { action: 'frame.put', frame: 'one', ...quota },
  ],
  [
    'bytes too many when they are announced',
    'a',
    '/v1/frames/one',
    { ...big, headers: arrowType },
    { action: 'frame.put', frame: 'one', ...quota },
  ],
  [
    'bytes too many, by an append',
    'a',
    '/v1/frames/one/rows',
    { ...big, method: 'POST', headers: arrowType },
    { action: 'frame.append', frame: 'one', ...quota },
  ],
  [
    'bytes too many, by CREATE OR REPLACE TABLE',
    'a',
    '/v1/sql',
    post('create or replace table one as select range n from range(100000)'),
    { action: 'frame.put', frame: 'one', ...quota },
  ],
  [
    'bytes too many, by INSERT',
    'a',
    '/v1/sql',
    post('insert into one select range n from range(100000)'),
    { action: 'frame.append', frame: 'one', ...quota },
  ],
  [
    'a statement that reads a file',
    'a',
    get("select * from read_csv('/etc/passwd')"),
    {},
    { action: 'sql.query', frame: null, ...refusedStatement },
  ],
  [
    'a statement that writes a file',
    'a',
    '/v1/sql',
    post("copy (select 1) to '/tmp/x'"),
    { action: 'sql.query', frame: null, ...refusedStatement },
  ],
  ['DROP by GET', 'a', get('drop table one'), {}, { action: 'sql.drop', frame: 'one', ...refusedStatement }],
  [
    'INSERT by GET',
    'a',
    get('insert into one values (1)'),
    {},
    { action: 'sql.insert', frame: 'one', ...refusedStatement },
  ],
  [
    'tsdb() with something else than a query',
    'a',
    get("select * from tsdb('drop table x')"),
    {},
    { action: 'sql.query', frame: null, ...refusedStatement },
  ],
  [
    'a put without the scope',
    'reader',
    '/v1/frames/one',
    csv(1),
    { action: 'frame.put', frame: 'one', ...denied },
  ],
  [
    'an append without the scope',
    'reader',
    '/v1/frames/one/rows',
    csv(1, 'POST'),
    { action: 'frame.append', frame: 'one', ...denied },
  ],
  [
    'DROP TABLE without the scope',
    'reader',
    '/v1/sql',
    post('drop table one'),
    { action: 'sql.drop', frame: 'one', ...denied },
  ],
  [
    'the external database without the scope',
    'reader',
    exec('select 1'),
    {},
    { action: 'tsdb.query', frame: null, ...denied },
  ],
  [
    'nobody whom the server knows',
    null,
    '/v1/frames',
    {},
    { action: 'enter', outcome: 'refused', reason: 'unauthenticated', frame: null },
  ],
];
for (const [title, who, path, init, line] of refusals) {
  test(`refused, in one line: ${title}`, async () => {
    const answered = await ask(who, path, init);
    assert.ok([401, 403, 429].includes(answered.status), String(answered.status));
    await assertTold(answered, who, line);
  });
}

test('a page of another site is refused, in one line', async () => {
  const answered = await ask('a', '/v1/frames', { headers: { origin: 'https://evil.example' } });
  const [line, ...more] = await linesOf(answered);
  assert.deepEqual(
    [line?.action, line?.outcome, line?.reason, line?.tenant, line?.remote, more],
    ['enter', 'refused', 'origin_refused', null, '127.0.0.1', []],
  );
});

test('a query of the external database is logged with its outcome, and without its text', async () => {
  const answers = (status: string) => {
    answerUpstream = ({ socket }) =>
      socket.write(`HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`);
  };
  const path = exec(`insert into t values ('${hidden}')`);
  answers('200 OK');
  const done = await ask('a', path);
  await assertTold(done, 'a', { action: 'tsdb.query', outcome: 'done', reason: null, frame: null });
  answers('400 Bad Request');
  const wrong = await ask('a', path);
  const failed = { action: 'tsdb.query', outcome: 'failed', frame: null };
  const line = await assertTold(wrong, 'a', { ...failed, reason: 'tsdb_failed' });
  assert.match(line.detail ?? '', /status 400/);
  answerUpstream = ({ socket }) => socket.destroy();
  await assertTold(await ask('a', path), 'a', { ...failed, reason: 'tsdb_failed' });
  const stop = new AbortController();
  answerUpstream = () => stop.abort();
  await assertTold(await ask('a', path, { signal: stop.signal }), 'a', { ...failed, reason: 'cancelled' });
  assert.ok(!JSON.stringify(auditLines(await framehold.linesUntilNow())).includes(hidden));
});

test('a frame is restored, dropped, undropped and purged: one line each, and a purge says so', async () => {
  for (const status of [201, 200]) assert.equal((await ask('b', '/v1/frames/undo', csv(1))).status, status);
  const changes: readonly (readonly [path: string, method: string, action: string, frame: string])[] = [
    ['/v1/frames/undo/restore?version=1', 'POST', 'frame.restore', 'undo@3'],
    ['/v1/frames/undo', 'DELETE', 'frame.drop', 'undo'],
    ['/v1/frames/undo/undrop', 'POST', 'frame.undrop', 'undo'],
    ['/v1/frames/undo?purge=true', 'DELETE', 'frame.drop', 'undo'],
  ];
  for (const [path, method, action, frame] of changes) {
    const [line, ...more] = await linesOf(await ask('b', path, { method }));
    assert.deepEqual(
      [line?.action, line?.outcome, line?.frame, line?.detail, more],
      [action, 'done', frame, path.includes('purge') ? 'purge' : null, []],
    );
  }
  const refused = await ask('reader', '/v1/frames/one/restore?version=1', { method: 'POST' });
  await assertTold(refused, 'reader', { action: 'frame.restore', frame: 'one', ...denied });
});

test('a key that comes again changes nothing, and leaves no second line', async () => {
  const put = { ...csv(1), headers: { 'content-type': 'text/csv', 'idempotency-key': 'k1' } };
  const first = await ask('b', '/v1/frames/once', put);
  const second = await ask('b', '/v1/frames/once', put);
  assert.deepEqual([first.status, second.status], [201, 201]);
  await assertTold(first, 'b', { action: 'frame.put', outcome: 'done', reason: null, frame: 'once@1' });
  assert.deepEqual(await linesOf(second), []);
});

test('an expired frame leaves one line, without a caller', async () => {
  assert.equal((await ask('b', '/v1/frames/brief?ttl=1s', csv(1))).status, 201);
  const expired = (name: string) =>
    auditLines(framehold.lines).filter(({ action, frame }) => action === 'frame.expired' && frame === name);
  await framehold.until('its end', () => (expired('brief').length > 0 ? true : null));
  // Some sweeps later there is still one.
  assert.equal((await ask('b', '/v1/frames/later?ttl=1s', csv(1))).status, 201);
  await framehold.until('the end of another', () => (expired('later').length > 0 ? true : null));
  const [line, ...more] = expired('brief');
  assert.deepEqual(
    [line?.outcome, line?.tenant, line?.caller, line?.frame, line?.remote, line?.reason, more],
    ['done', 'b', null, 'brief', null, null, []],
  );
});

test('refusals by the limits of what is open at once name the frame', async () => {
  assert.equal((await ask('c', '/v1/frames/next', csv(1))).status, 201);
  let end: () => void = () => {};
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(Buffer.from('n\n1\n'));
      end = () => controller.close();
    },
  });
  const open = ask('c', '/v1/frames/slow', { ...csv(1), body, duplex: 'half' } as RequestInit);
  const limited = { outcome: 'refused', reason: 'rate_limited' } as const;
  const put = await framehold.until('a put under way', async () => {
    const answered = await ask('c', '/v1/frames/next', csv(1));
    return answered.status === 429 ? answered : null;
  });
  await assertTold(put, 'c', { action: 'frame.put', frame: 'next', ...limited });
  const append = await ask('c', '/v1/frames/next/rows', csv(1, 'POST'));
  await assertTold(append, 'c', { action: 'frame.append', frame: 'next', ...limited });
  const read = await ask('c', '/v1/frames/next@1/rows');
  assert.equal(read.status, 429);
  await assertTold(read, 'c', { action: 'frame.read', frame: 'next@1', ...limited });
  end();
  assert.equal((await open).status, 201);
  await assertTold(await open, 'c', { action: 'frame.put', outcome: 'done', reason: null, frame: 'slow@1' });
});

test('statements above the limit, one that is cancelled, and requests above the rate leave one line each', async () => {
  const slow = get('select count(*) from range(100000000) a, range(300) b where a.range % 7 = b.range % 5');
  const running = ask('c', slow);
  const limited = { outcome: 'refused', reason: 'rate_limited', frame: null } as const;
  const refused = await framehold.until('a statement under way', async () => {
    const answered = await ask('c', get('select 1'));
    return answered.status === 429 ? answered : null;
  });
  await assertTold(refused, 'c', { action: 'sql.query', ...limited });
  const listed = await fetch(`${framehold.url}/v1/queries`, {
    headers: { authorization: `Bearer ${tokens.c}` },
  });
  const { queries } = (await listed.json()) as { queries: { id: string }[] };
  const cancelled = await ask('c', `/v1/queries/${queries[0]?.id}`, { method: 'DELETE' });
  const done = { outcome: 'done', reason: null, frame: null } as const;
  await assertTold(cancelled, 'c', { action: 'query.cancel', ...done });
  assert.equal((await running).status, 409);
  const answers = await Promise.all(Array.from({ length: 120 }, () => ask('d', '/v1/frames')));
  const tooMany = answers.filter(({ status }) => status === 429);
  assert.ok(tooMany.length > 10, String(tooMany.length));
  for (const each of tooMany) await assertTold(each, 'd', { action: 'enter', ...limited });
});

test('over Flight: limits and statements', async () => {
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
  const given = {
    token: tokens.a,
    queries: ["select * from read_csv('/etc/passwd')", "select * from glob('/*')"].map((query) =>
      text(packAny(CommandStatementQuerySchema, { query })),
    ),
    updates: ["copy (select 1) to '/tmp/x'", 'create table four as select 1 n'].map((query) =>
      text(packAny(CommandStatementUpdateSchema, { query })),
    ),
  };
  const from = framehold.lines.length;
  const script = `
import base64
options = flight.FlightCallOptions(headers=[(b'authorization', b'Bearer ' + given['token'].encode())])
commands = lambda kind: [by_command(base64.b64decode(one)) for one in given[kind]]
calls = [lambda: put(by_path('four'), numbers(1), options),
         lambda: put(by_command({'name': 'one', 'mode': 'append'}), numbers(*range(100_000)), options)]
calls += [lambda one=one: client.do_get(client.get_flight_info(one, options).endpoints[0].ticket, options).read_all() for one in commands('queries')]
calls += [lambda one=one: put(one, pa.table({}), options) for one in commands('updates')]
result = [fails(call) is not None for call in calls]`;
  assert.deepEqual(await flightPython(framehold.grpcUrl, script, given), Array(6).fill(true));
  const expected: readonly Line[] = [
    { action: 'frame.put', frame: 'four', ...quota },
    { action: 'frame.append', frame: 'one', ...quota },
    { action: 'sql.query', frame: null, ...refusedStatement },
    { action: 'sql.query', frame: null, ...refusedStatement },
    { action: 'sql.query', frame: null, ...refusedStatement },
    { action: 'frame.put', frame: 'four', ...quota },
  ];
  const told = () =>
    auditLines(framehold.lines.slice(from)).filter(({ action }) => action !== 'frame.expired');
  await framehold.until('the lines', () => (told().length >= expected.length ? true : null));
  // One too many would be before the line of a later request.
  await linesOf(await ask('a', '/v1/frames'));
  assert.deepEqual(
    told().map(({ action, frame, outcome, reason }) => ({ action, frame, outcome, reason })),
    expected,
  );
  for (const { tenant, caller, remote, requestId } of told()) {
    assert.deepEqual({ tenant, caller }, whoIs('a'));
    assert.match(`${remote} ${requestId}`, /^127\.0\.0\.1:\d+ \S+$/);
  }
});
