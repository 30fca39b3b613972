/** What a console shows beside rows: the status, how far a statement is, where its error is, saved queries and the caller's history. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { auditLines } from '../../server/test/support/audit-lines.ts';
import { Framehold, serverCommand } from '../../server/test/support/framehold-process.ts';
import { timePasses } from '../../server/test/support/passing-time.ts';
import { eventually } from '../../server/test/support/patience.ts';
import { runPython } from '../../server/test/support/python.ts';
import { TestCredentials } from '../../server/test/support/test-credentials.ts';

let framehold: Framehold;
let tokens: Readonly<Record<'ada' | 'bo' | 'reader' | 'other' | 'ops' | 'metrics', string>>;

before(async () => {
  framehold = await Framehold.start();
  using credentials = new TestCredentials(framehold.dataDirectory);
  tokens = {
    ada: credentials.create({ tenant: 'acme', scopes: ['write'], name: 'ada' }),
    bo: credentials.create({ tenant: 'acme', scopes: ['admin'], name: 'bo' }),
    reader: credentials.create({ tenant: 'acme', scopes: ['read'], name: 'reader' }),
    other: credentials.create({ tenant: 'beta', scopes: ['admin'], name: 'ada' }),
    ops: credentials.create({ tenant: '', scopes: ['operator'], name: 'ops' }),
    metrics: credentials.create({ tenant: 'acme', scopes: ['metrics'], name: 'prometheus' }),
  };
});
after(() => framehold.remove());

type Who = keyof typeof tokens;

async function ask(who: Who, path: string, init: RequestInit = {}) {
  const headers = { authorization: `Bearer ${tokens[who]}`, ...init.headers };
  const answer = await fetch(`${framehold.url}${path}`, { ...init, headers });
  const text = await answer.text();
  return { status: answer.status, text, body: text === '' ? {} : JSON.parse(text) };
}

function run(who: Who, sql: string, members: object = {}, signal?: AbortSignal) {
  const body = JSON.stringify({ sql, ...members });
  const headers = { 'content-type': 'application/json' };
  return ask(who, '/v1/sql', { method: 'POST', headers, body, ...(signal ? { signal } : {}) });
}

function save(who: Who, name: string, body: unknown) {
  const headers = { 'content-type': 'application/json' };
  const path = `/v1/saved-queries/${encodeURIComponent(name)}`;
  return ask(who, path, { method: 'PUT', headers, body: JSON.stringify(body) });
}

interface Entry {
  readonly id: string;
  readonly queryId: string;
  readonly sql: string;
  readonly state: string;
  readonly error: { readonly code: string; readonly detail: string } | null;
  readonly rows: number;
}

async function history(who: Who, parameters = ''): Promise<readonly Entry[]> {
  const { status, body } = await ask(who, `/v1/history?${parameters}`);
  assert.equal(status, 200);
  return body.history;
}

test('a statement is in the history of its caller as soon as it has ended, and in nobody else’s', async () => {
  await run('ada', "select 'one' as a", { id: 'first' });
  await run('ada', 'select nope');
  await run('ada', 'select * from range($1)', { parameters: [5_000_000], limit: 3 });
  await run('ada', "select 'not kept'", { history: false });
  await run('bo', "select 'of bo'");
  await run('other', "select 'of other'");
  const own = await history('ada');
  assert.deepEqual(
    own.map(({ sql, state, error }) => [sql, state, error?.code ?? null]),
    [
      ['select * from range($1)', 'done', null],
      ['select nope', 'failed', 'sql_invalid'],
      ["select 'one' as a", 'done', null],
    ],
  );
  assert.deepEqual([own[2]?.queryId, own[2]?.rows], ['first', 1]);
  assert.deepEqual(
    (await history('bo')).map(({ sql }) => sql),
    ["select 'of bo'"],
  );
  assert.deepEqual(
    (await history('other')).map(({ sql }) => sql),
    ["select 'of other'"],
  );
  assert.deepEqual(await history('reader'), []);
  for (const who of ['ops', 'metrics'] as const) assert.equal((await ask(who, '/v1/history')).status, 403);
});

test('a statement that was stopped is cancelled, and so is one whose caller left', async () => {
  const endless = 'select sum(sin(a.range * b.range)) from range(1000000) a, range(1000000) b';
  const stopped = run('ada', endless, { id: 'stop-me' });
  await eventually('it runs', async () => (await ask('ada', '/v1/queries/stop-me')).body.state === 'running');
  await ask('ada', '/v1/queries/stop-me', { method: 'DELETE' });
  assert.equal((await stopped).status, 409);
  const leaving = new AbortController();
  const left = run('ada', endless, { id: 'left' }, leaving.signal).catch(() => null);
  await eventually('it runs', async () => (await ask('ada', '/v1/queries/left')).body.state === 'running');
  leaving.abort();
  await left;
  await eventually('both are there', async () => {
    const [last, before] = await history('ada', 'limit=2');
    return last?.queryId === 'left' && before?.queryId === 'stop-me';
  });
  const ended = await history('ada', 'limit=2');
  assert.deepEqual(
    ended.map(({ state, error }) => [state, error]),
    [
      ['cancelled', null],
      ['cancelled', null],
    ],
  );
});

test('Flight SQL: one entry for each execution of a prepared statement, and none for its description', async () => {
  const script = `
import json, sys
import adbc_driver_flightsql.dbapi as flight
arguments = json.load(sys.stdin)
options = {"adbc.flight.sql.authorization_header": "Bearer " + arguments["token"]}
with flight.connect(arguments["uri"], db_kwargs=options) as connection:
    with connection.cursor() as cursor:
        cursor.adbc_prepare("select ? + 1000 as prepared")
        for value in [1, 2, 3]:
            cursor.execute("select ? + 1000 as prepared", parameters=(value,))
            cursor.fetchall()
print("null")
`;
  await runPython(['-c', script], { uri: framehold.grpcUrl, token: tokens.reader });
  const own = await history('reader');
  assert.deepEqual(
    own.map(({ sql, state, rows }) => [sql, state, rows]),
    [
      ['select ? + 1000 as prepared', 'done', 1],
      ['select ? + 1000 as prepared', 'done', 1],
      ['select ? + 1000 as prepared', 'done', 1],
    ],
  );
});

test('history is searched and comes in pages', async () => {
  for (let index = 0; index < 5; index++) await run('ada', `select ${index} as "page_${index}%"`);
  assert.equal((await history('ada', 'search=PAGE_3%25')).length, 1);
  const first = (await ask('ada', '/v1/history?limit=2&search=page_')).body;
  const second = (await ask('ada', `/v1/history?limit=2&search=page_&cursor=${first.next}`)).body;
  const third = (await ask('ada', `/v1/history?limit=2&search=page_&cursor=${second.next}`)).body;
  const texts = [first, second, third].flatMap((page) => page.history.map(({ sql }: Entry) => sql));
  assert.deepEqual(
    texts,
    [4, 3, 2, 1, 0].map((index) => `select ${index} as "page_${index}%"`),
  );
  assert.equal(third.next, null);
  assert.equal((await ask('ada', '/v1/history?cursor=nonsense')).body.code, 'bad_cursor');
  assert.equal((await ask('ada', `/v1/history?search=${'x'.repeat(201)}`)).body.code, 'bad_request');
});

test('saved queries are of the tenant: with any name, written by those who may write', async () => {
  const name = 'Lowest / höchste? 🦆 #1';
  const made = await save('ada', name, { sql: 'select 1;\n-- é' });
  assert.deepEqual([made.status, made.body.name, made.body.savedBy], [201, name, 'ada']);
  assert.equal((await save('bo', name, { sql: 'select 2' })).status, 200);
  assert.equal((await save('ada', 'x'.repeat(128), { sql: 'select 3' })).status, 201);
  assert.equal((await save('ada', '🦆'.repeat(128), { sql: 'select 4' })).status, 201);
  const { body } = await ask('reader', '/v1/saved-queries');
  const [found] = body.queries.filter((query: { name: string }) => query.name === name);
  assert.deepEqual([found.sql, found.savedBy, body.queries.length], ['select 2', 'bo', 3]);
  assert.ok(Date.now() - Date.parse(found.savedAt) < 60_000);
  assert.deepEqual((await ask('other', '/v1/saved-queries')).body, { queries: [] });
  assert.equal((await save('reader', 'mine', { sql: 'select 1' })).body.code, 'access_denied');
  for (const bad of [{}, { sql: 1 }, { sql: '' }, { sql: 'select 1', more: 1 }, [], 'x', null])
    assert.equal((await save('ada', 'bad', bad)).body.code, 'bad_request', JSON.stringify(bad));
  for (const bad of ['x'.repeat(129), ' ', 'a\nb'])
    assert.equal((await save('ada', bad, { sql: 'select 1' })).body.code, 'bad_request', bad);
  assert.equal((await save('ada', 'long', { sql: 'x'.repeat(1024 ** 2 + 1) })).body.code, 'body_too_large');
  assert.equal((await save('ada', 'escaped', { sql: '\u0001'.repeat(400_000) })).status, 201);
  const path = `/v1/saved-queries/${encodeURIComponent(name)}`;
  assert.equal((await ask('other', path, { method: 'DELETE' })).body.code, 'query_not_found');
  assert.equal((await ask('reader', path, { method: 'DELETE' })).status, 403);
  assert.equal((await ask('ada', path, { method: 'DELETE' })).status, 204);
  assert.equal((await ask('ada', path, { method: 'DELETE' })).body.code, 'query_not_found');
  const lines = () =>
    auditLines(framehold.lines).filter(
      ({ action, detail }) => action.startsWith('saved.') && detail === name,
    );
  await eventually('the last line is there', () => lines().length >= 3);
  assert.deepEqual(
    lines().map(({ action, caller, outcome }) => [action, caller, outcome]),
    [
      ['saved.save', 'ada', 'done'],
      ['saved.save', 'bo', 'done'],
      ['saved.remove', 'ada', 'done'],
    ],
  );
});

test('an error has its place in the statement as it was sent', async () => {
  const { body } = await run('ada', 'explain\nselect é, 1\nfrom (select 1 as ü) t');
  assert.deepEqual([body.code, body.position, body.line, body.column], ['sql_invalid', 15, 2, 8]);
  const parsed = await run('ada', 'select 1 frm x y');
  assert.deepEqual([parsed.body.code, parsed.body.position], ['sql_invalid', 13]);
});

test('a statement that reads a frame for a while says how far it is', async () => {
  await run('ada', 'select range as id from range(2000000)', { into: 'numbers' });
  const slow = 'select sum(list_sum(list_transform(range(60), x -> sin(id * x)))) as s from numbers';
  const running = run('ada', slow, { id: 'slow' });
  const seen: number[] = [];
  let isOver = false;
  void running.then(() => {
    isOver = true;
  });
  while (!isOver) {
    const { body } = await ask('ada', '/v1/queries/slow');
    if (typeof body.progress === 'number') seen.push(body.progress);
    if (body.elapsedMs !== undefined) assert.ok(body.elapsedMs >= 0);
    await timePasses(50, 'between two looks');
  }
  assert.equal((await running).status, 200);
  assert.ok(seen.length > 0 && seen.every((progress) => progress > 0 && progress <= 1), String(seen));
  assert.ok(new Set(seen).size > 1, 'it moves');
});

test('functions: what statements may call, and nothing else', async () => {
  const { body } = await ask('reader', '/v1/functions');
  const names = new Map<string, { kind: string }>(
    body.functions.map((each: { name: string; kind: string }) => [each.name, each]),
  );
  for (const [name, kind] of [
    ['count', 'aggregate'],
    ['strftime', 'scalar'],
    ['list_transform', 'scalar'],
  ] as const)
    assert.equal(names.get(name)?.kind, kind, name);
  assert.ok(
    body.functions.some(
      (each: { name: string; kind: string }) => each.name === 'range' && each.kind === 'table',
    ),
  );
  for (const name of [
    'read_parquet',
    'read_text',
    'getenv',
    'current_setting',
    'duckdb_settings',
    'query',
    'glob',
  ])
    assert.equal(names.has(name), false, name);
  assert.ok(body.keywords.includes('SELECT') && body.keywords.includes('QUALIFY'));
  assert.equal((await ask('metrics', '/v1/functions')).status, 403);
});

test('the status: of the tenant for those who read, of the server for all', async () => {
  const { body } = await ask('ada', '/v1/status');
  assert.deepEqual([body.ready, body.open, body.tsdb, body.closeCommand], [true, false, false, undefined]);
  assert.deepEqual(body.caller, { tenant: 'acme', name: 'ada', scopes: ['read', 'write'] });
  assert.deepEqual([body.storage.frames, body.storage.bytesMax], [1, null]);
  assert.ok(body.storage.bytes > 500_000);
  assert.deepEqual(body.statements, { waiting: 0, running: 0 });
  assert.equal(body.limits.bytesMax, null);
  assert.match(body.version, /^\d+\.\d+\.\d+/);
  assert.match(body.flight, /^grpc:\/\/127\.0\.0\.1:\d+$/);
  assert.equal((await ask('other', '/v1/status')).body.storage.frames, 0);
  for (const who of ['ops', 'metrics'] as const) {
    const seen = (await ask(who, '/v1/status')).body;
    assert.deepEqual(Object.keys(seen).sort(), [
      'caller',
      'engines',
      'flight',
      'open',
      'ready',
      'startedAt',
      'tsdb',
      'version',
    ]);
  }
  assert.equal((await ask('ops', '/v1/status')).body.caller.tenant, null);
  await eventually(
    'everything is transcoded',
    async () => (await ask('ada', '/v1/status')).body.settling.parts === 0,
  );
});

test('history and saved queries survive a stop right after them; clearing is for the caller alone', async () => {
  await run('ada', "select 'just before the end'");
  await framehold.stop();
  await framehold.start();
  assert.equal((await history('ada'))[0]?.sql, "select 'just before the end'");
  assert.equal((await ask('ada', '/v1/saved-queries')).body.queries.length, 3);
  assert.equal((await ask('ada', '/v1/history', { method: 'DELETE' })).status, 204);
  assert.deepEqual(await history('ada'), []);
  assert.equal((await history('bo')).length, 1);
  assert.equal((await history('other')).length, 1);
});

test('sql.history_max keeps so many, and 0 none', async () => {
  await framehold.stop();
  await framehold.start({ FRAMEHOLD_SQL_HISTORY_MAX: '2' });
  for (const text of ['a', 'b', 'c']) await run('ada', `select '${text}'`);
  assert.deepEqual(
    (await history('ada')).map(({ sql }) => sql),
    ["select 'c'", "select 'b'"],
  );
  await framehold.stop();
  await framehold.start({ FRAMEHOLD_SQL_HISTORY_MAX: '0' });
  await run('ada', "select 'd'");
  assert.deepEqual(
    (await history('ada')).map(({ sql }) => sql),
    ["select 'c'", "select 'b'"],
  );
});

test('an open server says so, and its command closes it', async () => {
  const open = await Framehold.start();
  try {
    const before = (await (await fetch(`${open.url}/v1/status`)).json()) as Record<string, unknown>;
    assert.equal(before.open, true);
    // As somebody would who has installed it: `framehold` is on the path.
    const bin = join(open.home, 'bin');
    mkdirSync(bin);
    const [node, main] = serverCommand;
    writeFileSync(join(bin, 'framehold'), `#!/bin/sh\nexec '${node}' '${main}' "$@"\n`, { mode: 0o755 });
    symlinkSync(node, join(bin, 'node'));
    const env = { HOME: open.home, PATH: `${bin}:${process.env.PATH}` };
    const printed = execFileSync('sh', ['-c', String(before.closeCommand)], { encoding: 'utf8', env });
    const token = /fh_[a-z2-7]{12}_[\w-]{43}/.exec(printed)?.[0];
    await eventually('it is closed', async () => (await fetch(`${open.url}/v1/status`)).status === 401);
    const headers = { authorization: `Bearer ${token}` };
    const closed = (await (await fetch(`${open.url}/v1/status`, { headers })).json()) as Record<
      string,
      unknown
    >;
    assert.deepEqual([closed.open, 'closeCommand' in closed], [false, false]);
  } finally {
    await open.remove();
  }
});
