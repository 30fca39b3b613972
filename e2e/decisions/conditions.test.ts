/** If-Match, If-None-Match and Idempotency-Key: every route that changes something honours or refuses them. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { flightPython } from '../../server/test/support/flight-python.ts';
import { assertProblem, getText, type TextAnswer } from '../../server/test/support/frame-client.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { newToken } from '../../server/test/support/framehold-tokens.ts';
import { arrowBytes } from '../../server/test/support/python.ts';

type Headers = Readonly<Record<string, string>>;

let framehold: Framehold;
before(async () => {
  framehold = await Framehold.start({ env: { FRAMEHOLD_MCP_ENABLED: 'true' } });
});
after(async () => await framehold?.remove());

const ask = (method: string, path: string, headers: Headers = {}, body?: string | Buffer<ArrayBuffer>) =>
  getText(framehold.url + path, { method, headers, ...(body === undefined ? {} : { body }) });
const csv = { 'content-type': 'text/csv' };
const putCsv = (name: string, headers: Headers, text: string) =>
  ask('PUT', `/v1/frames/${name}`, { ...csv, ...headers }, text);
const sql = (statement: string, headers: Headers, members: object = {}) =>
  ask(
    'POST',
    '/v1/sql',
    { 'content-type': 'application/json', ...headers },
    JSON.stringify({ sql: statement, ...members }),
  );

interface Manifest {
  readonly handle: string;
  readonly version: number;
  readonly rows: number;
}

async function manifest(name: string): Promise<{ readonly etag: string; readonly json: Manifest }> {
  const answer = await ask('GET', `/v1/frames/${name}`);
  assert.equal(answer.status, 200, answer.text);
  return { etag: answer.headers.get('etag') ?? '', json: JSON.parse(answer.text) };
}

const conditions = ['If-Match', 'If-None-Match', 'Idempotency-Key', 'If-Unmodified-Since'] as const;
const every = ['If-Match', 'If-None-Match', 'Idempotency-Key'];
/** A route that is not here changes nothing, or fails the test below. */
const honoured: Readonly<Record<string, readonly string[]>> = {
  'POST /v1/frames': every,
  'PUT /v1/frames/{handle}': every,
  'POST /v1/frames/{handle}/rows': every,
  'POST /v1/sql': every,
  'POST /v1/frames/{handle}/restore': ['If-Match', 'Idempotency-Key'],
  'PATCH /v1/frames/{handle}': ['If-Match'],
  'DELETE /v1/frames/{handle}': ['If-Match'],
  'POST /v1/frames/{handle}/undrop': [],
  'PUT /v1/frames/{handle}/shares/{tenant}': [],
  'DELETE /v1/frames/{handle}/shares/{tenant}': [],
  'POST /v1/frames/{handle}/links': [],
  'DELETE /v1/frames/{handle}/links/{id}': [],
  'PUT /v1/frames/{handle}/tags/{tag}': ['If-Match', 'If-None-Match'],
  'DELETE /v1/frames/{handle}/tags/{tag}': ['If-Match'],
  'PATCH /v1/frames/{handle}/notes': ['If-Match'],
  'DELETE /v1/queries/{id}': [],
  'PUT /v1/saved-queries/{name}': [],
  'DELETE /v1/saved-queries/{name}': [],
  'DELETE /v1/history': [],
  'PATCH /v1/tenants/{tenant}': [],
  'POST /v1/mcp': [],
};

interface OpenApi {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Record<string, { readonly parameters?: readonly { readonly in: string; readonly name: string }[] }>
      >
    >
  >;
}

test('every route that changes something honours a condition, or refuses it', async () => {
  const { paths } = JSON.parse((await ask('GET', '/v1/openapi.json')).text) as OpenApi;
  const declared: Record<string, readonly string[]> = {};
  for (const [path, operations] of Object.entries(paths))
    for (const [method, { parameters = [] }] of Object.entries(operations)) {
      if (method === 'get') continue;
      const names = parameters.filter((each) => each.in === 'header').map(({ name }) => name);
      declared[`${method.toUpperCase()} ${path}`] = names;
    }
  assert.deepEqual(declared, honoured);
  for (const [route, taken] of Object.entries(honoured)) {
    const [method = '', path = ''] = route.split(' ');
    const url = path.replaceAll(/\{\w+\}/g, 'unconditional');
    for (const condition of conditions.filter((name) => !taken.includes(name))) {
      const problem = assertProblem(await ask(method, url, { [condition]: '*' }), 400, 'bad_request');
      assert.ok(problem.detail.includes(condition), `${route}: ${problem.detail}`);
    }
  }
  assertProblem(await ask('GET', '/v1/frames/unconditional'), 404);
});

/** A change of a frame that has two versions. `other`: another request of the same kind. */
interface Change {
  readonly route: string;
  send(name: string, headers: Headers, other: boolean): Promise<TextAnswer>;
  /** It gives what it made; else the frame is gone, or only its expiry changes. */
  readonly makesVersion?: false;
}

const changes: Readonly<Record<string, Change>> = {
  put: {
    route: 'PUT /v1/frames/{handle}',
    send: (name, headers, other) => putCsv(name, headers, `n\n${other ? 8 : 7}\n`),
  },
  append: {
    route: 'POST /v1/frames/{handle}/rows',
    send: (name, headers, other) =>
      ask('POST', `/v1/frames/${name}/rows`, { ...csv, ...headers }, `n\n${other ? 8 : 7}\n`),
  },
  restore: {
    route: 'POST /v1/frames/{handle}/restore',
    send: (name, headers, other) =>
      ask('POST', `/v1/frames/${name}/restore?version=${other ? 2 : 1}`, headers),
  },
  insert: {
    route: 'POST /v1/sql',
    send: (name, headers, other) => sql(`insert into ${name} values (${other ? 8 : 7})`, headers),
  },
  'insert with parameters': {
    route: 'POST /v1/sql',
    send: (name, headers, other) =>
      sql(`insert into ${name} values ($1)`, headers, { parameters: [other ? 8 : 7] }),
  },
  'create or replace': {
    route: 'POST /v1/sql',
    send: (name, headers, other) =>
      sql(`create or replace table ${name} as select ${other ? 8 : 7} as n`, headers),
  },
  'create or replace from itself': {
    route: 'POST /v1/sql',
    send: (name, headers, other) =>
      sql(`create or replace table ${name} as select n + ${other ? 8 : 7} as n from ${name}`, headers),
  },
  'into, replacing': {
    route: 'POST /v1/sql',
    send: (name, headers, other) =>
      sql('select 7::bigint as n', headers, {
        into: { name, mode: 'replace', ...(other ? { ttl: '1h' } : {}) },
      }),
  },
  'into, appending': {
    route: 'POST /v1/sql',
    send: (name, headers, other) =>
      sql(`select ${other ? 8 : 7}::bigint as n`, headers, { into: { name, mode: 'append' } }),
  },
  expiry: {
    route: 'PATCH /v1/frames/{handle}',
    send: (name, headers) =>
      ask('PATCH', `/v1/frames/${name}`, { 'content-type': 'application/json', ...headers }, '{"ttl": "1h"}'),
    makesVersion: false,
  },
  drop: {
    route: 'DELETE /v1/frames/{handle}',
    send: (name, headers) => ask('DELETE', `/v1/frames/${name}`, headers),
    makesVersion: false,
  },
  'drop table': {
    route: 'POST /v1/sql',
    send: (name, headers) => sql(`drop table ${name}`, headers),
    makesVersion: false,
  },
};

/** What an answer says was made. */
function made({ status, text }: TextAnswer): unknown {
  const { handle, rows, frame } = JSON.parse(text);
  return { status, handle: handle ?? frame?.handle, rows, total: frame?.rows };
}

describe('conditions that are honoured', () => {
  let names = 0;
  /** At version 2. */
  async function frame(): Promise<{ readonly name: string; readonly first: string; readonly etag: string }> {
    const name = `c${names++}`;
    const first = await putCsv(name, {}, 'n\n1\n');
    assert.equal(first.status, 201, first.text);
    assert.equal((await putCsv(name, {}, 'n\n2\n')).status, 200);
    return { name, first: first.headers.get('etag') ?? '', etag: (await manifest(name)).etag };
  }
  const isOk = ({ status, text }: TextAnswer) =>
    assert.ok(status >= 200 && status < 300, `${status} ${text}`);

  // Those of tags and notes are about these: see tags.test.ts and notes.test.ts.
  test('there is a case for each', () => {
    const routes = new Set([...Object.values(changes).map(({ route }) => route), 'POST /v1/frames']);
    const wanted = Object.entries(honoured).filter(
      ([route, taken]) => taken.length > 0 && !/\/(tags|notes)/.test(route),
    );
    assert.deepEqual([...routes].sort(), wanted.map(([route]) => route).sort());
  });

  for (const [title, { route, send, makesVersion = true }] of Object.entries(changes)) {
    test(`${title}: If-Match`, async () => {
      const { name, first, etag } = await frame();
      for (const stale of [first, '"other.2"', etag.replace('"', 'W/"')])
        assertProblem(await send(name, { 'if-match': stale }, false), 412, 'version_mismatch');
      assert.equal((await manifest(name)).json.version, 2);
      isOk(await send(name, { 'if-match': `"other.1", ${etag}` }, false));
      const absent = await send(`absent${names++}`, { 'if-match': etag }, false);
      assert.ok([404, 412].includes(absent.status), absent.text);
    });

    if (honoured[route]?.includes('If-None-Match'))
      test(`${title}: If-None-Match`, async () => {
        const { name } = await frame();
        assertProblem(await send(name, { 'if-none-match': '*' }, false), 412, 'frame_exists');
        assertProblem(await send(name, { 'if-none-match': '"x"' }, false), 400, 'bad_request');
        assert.equal((await manifest(name)).json.version, 2);
      });

    if (honoured[route]?.includes('Idempotency-Key') && makesVersion)
      test(`${title}: Idempotency-Key`, async () => {
        const { name, etag } = await frame();
        for (const guard of [{}, { 'if-match': etag }]) {
          const headers = { 'idempotency-key': `key-${name}-${Object.keys(guard).length}`, ...guard };
          const before = await manifest(name);
          if ('if-match' in guard) headers['if-match'] = before.etag;
          const answers = [await send(name, headers, false), await send(name, headers, false)];
          for (const answer of answers) isOk(answer);
          assert.deepEqual(made(answers[1] as TextAnswer), made(answers[0] as TextAnswer));
          assert.equal((await manifest(name)).json.version, before.json.version + 1, 'one effect');
          assertProblem(await send(name, headers, true), 409, 'idempotency_conflict');
          const { 'if-match': _, ...unguarded } = headers;
          if ('if-match' in headers)
            assertProblem(await send(name, unguarded, false), 409, 'idempotency_conflict');
          assert.equal((await manifest(name)).json.version, before.json.version + 1);
        }
        for (const key of ['', 'with space', 'ü', 'x'.repeat(256)])
          assertProblem(
            await send(name, { 'idempotency-key': Buffer.from(key).toString('latin1') }, false),
            400,
            'bad_request',
          );
      });
  }

  test('drop table: no key', async () => {
    const { name } = await frame();
    assertProblem(await sql(`drop table ${name}`, { 'idempotency-key': 'k' }), 400, 'bad_request');
    assert.equal((await manifest(name)).json.version, 2);
  });

  test('a name that the server chooses', async () => {
    const create = (headers: Headers, body = 'n\n1\n') =>
      ask('POST', '/v1/frames', { ...csv, ...headers }, body);
    assertProblem(await create({ 'if-match': '"any.1"' }), 412, 'version_mismatch');
    isOk(await create({ 'if-none-match': '*' }));
    const key = { 'idempotency-key': 'chosen' };
    assert.deepEqual(made(await create(key)), made(await create(key)));
    assertProblem(await create(key, 'n\n2\n'), 409, 'idempotency_conflict');
    const into = { into: { name: null } };
    const sqlKey = { 'idempotency-key': 'chosen by sql' };
    assertProblem(await sql('select 1 as n', sqlKey, into), 400, 'bad_request');
    sqlKey['idempotency-key'] = 'chosen-by-sql';
    assert.deepEqual(
      made(await sql('select 1 as n', sqlKey, into)),
      made(await sql('select 1 as n', sqlKey, into)),
    );
    assertProblem(await sql('select 1 as n', sqlKey, { into: 'chosen' }), 409, 'idempotency_conflict');
  });

  test('a free name: If-None-Match creates it', async () => {
    const free = { 'if-none-match': '*' };
    isOk(await sql('create or replace table free1 as select 1 as n', free));
    assertProblem(await sql('create or replace table free1 as select 1 as n', free), 412, 'frame_exists');
    assertProblem(await sql('create table if not exists free1 as select 1 as n', free), 412, 'frame_exists');
    isOk(await sql('select 1 as n', free, { into: { name: 'free2', mode: 'replace' } }));
    assertProblem(await sql('insert into free3 values (1)', free), 404, 'frame_not_found');
    assert.equal((await changes.append?.send('free4', free, false))?.status, 201);
  });

  test('a dry run has the conditions of the put, and no key', async () => {
    const { name, first } = await frame();
    const dryRun = (headers: Headers) =>
      ask('PUT', `/v1/frames/${name}?dry_run=true`, { ...csv, ...headers }, 'n\n1\n');
    isOk(await dryRun({}));
    assertProblem(await dryRun({ 'if-match': first }), 412, 'version_mismatch');
    assertProblem(await dryRun({ 'if-none-match': '*' }), 412, 'frame_exists');
    assertProblem(await dryRun({ 'idempotency-key': 'dry' }), 400, 'bad_request');
  });
});

test('a statement that changes nothing takes no condition', async () => {
  await putCsv('only_read', {}, 'n\n1\n');
  const { etag } = await manifest('only_read');
  const text = 'select * from only_read';
  // The second time its answer is known.
  for (let round = 0; round < 2; round++) assert.equal((await sql(text, {})).status, 200);
  for (const statement of [text, `explain ${text}`, 'show tables', 'describe only_read'])
    for (const headers of [{ 'if-match': etag }, { 'if-none-match': '*' }, { 'idempotency-key': 'read' }])
      assertProblem(await sql(statement, headers), 400, 'bad_request');
});

test('Idempotency-Key: another body is 409 and stores nothing; the same body in another coding is the same', async () => {
  const key = { 'idempotency-key': 'bodies' };
  const first = await putCsv('bodies', key, 'n\n1\n');
  assert.equal(first.status, 201);
  for (const body of ['n\n2\n', 'n\n1', '', 'n\n1\n2\n'])
    assertProblem(await putCsv('bodies', key, body), 409, 'idempotency_conflict');
  const zipped = await ask(
    'PUT',
    '/v1/frames/bodies',
    { ...csv, ...key, 'content-encoding': 'gzip' },
    gzipSync('n\n1\n') as Buffer<ArrayBuffer>,
  );
  assert.deepEqual([zipped.status, zipped.text], [first.status, first.text]);
  const form = new FormData();
  form.set('file', new Blob(['n\n1\n'], { type: 'text/csv' }), 'bodies.csv');
  const inForm = await getText(`${framehold.url}/v1/frames/bodies`, {
    method: 'PUT',
    headers: key,
    body: form,
  });
  assert.deepEqual([inForm.status, inForm.text], [first.status, first.text]);
  const other = { ...key, 'content-type': 'application/x-ndjson' };
  assertProblem(await ask('PUT', '/v1/frames/bodies', other, '{"n": 1}\n'), 409, 'idempotency_conflict');
  assert.equal((await manifest('bodies')).json.version, 1);
  const { one, two } = await arrowBytes({ one: `pa.table({'n': [1]})`, two: `pa.table({'n': [2]})` });
  const arrow = {
    'content-type': 'application/vnd.apache.arrow.stream',
    'idempotency-key': 'arrow-bodies',
  };
  const appended = [one, two, one].map((body) => () => ask('POST', '/v1/frames/bodies/rows', arrow, body));
  const answers: TextAnswer[] = [];
  for (const send of appended) answers.push(await send());
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 409, 200],
  );
  assert.equal(answers[2]?.text, answers[0]?.text);
  assert.equal((await manifest('bodies')).json.rows, 2);
});

test('Flight: statements that change something take the same headers', async () => {
  await putCsv('flown', {}, 'n\n1\n');
  const result = await flightPython(
    framehold.grpcUrl,
    `
from contextlib import contextmanager
import adbc_driver_flightsql.dbapi as dbapi
import adbc_driver_manager

@contextmanager
def connected(headers):
    with dbapi.connect(request['url'], autocommit=True) as connection, connection.cursor() as cursor:
        cursor.adbc_statement.set_options(**{
            f"adbc.flight.sql.rpc.call_header.{name.replace('_', '-')}": value for name, value in headers.items()
        })
        yield cursor

def run(sql, **headers):
    with connected(headers) as cursor:
        try:
            cursor.execute(sql)
            return cursor.rowcount
        except adbc_driver_manager.Error as error:
            return error.status_code.name

def update(sql, **headers):
    with connected(headers) as cursor:
        cursor.adbc_statement.set_sql_query(sql)
        try:
            return cursor.adbc_statement.execute_update()
        except adbc_driver_manager.Error as error:
            return error.status_code.name

def ingest(value, mode='create_append', **headers):
    with connected(headers) as cursor:
        try:
            return cursor.adbc_ingest('ingested', numbers(value), mode=mode)
        except adbc_driver_manager.Error as error:
            return error.status_code.name

header = lambda name, value: flight.FlightCallOptions(headers=[(name, value)])
result = {
    'key': [update('insert into flown values (2)', idempotency_key='flown') for _ in range(2)],
    'as a query': run('insert into flown values (2)', idempotency_key='flown'),
    'other': update('insert into flown values (3)', idempotency_key='flown'),
    'stale': update('insert into flown values (4)', if_match='1'),
    'match': update('insert into flown values (5)', if_match='2'),
    'exists': update('create or replace table flown as select 1 as n', if_none_match='*'),
    'bad': [update('insert into flown values (6)', if_match='"a.2"'), update('insert into flown values (6)', if_none_match='x')],
    'query': run('select * from flown', idempotency_key='reads'),
    'put': fails(lambda: put(by_path('flown'), numbers(1), header(b'if-match', b'1')))['kind'],
    'action': fails(lambda: list(client.do_action(flight.Action('drop', b'{"name": "flown"}'), header(b'if-match', b'1'))))['kind'],
    'rows': get('flown').column('n').to_pylist(),
    'ingest': [ingest(value, idempotency_key='ingest-key') for value in (1, 1, 2)],
    'ingest, guarded': [ingest(3, 'append', if_match=version) for version in ('7', '1')],
    'ingest, free': ingest(4, if_none_match='*'),
    'ingested': get('ingested').column('n').to_pylist(),
}
`,
  );
  assert.deepEqual(result, {
    key: [1, 1],
    'as a query': 1,
    other: 'UNKNOWN',
    stale: 'UNKNOWN',
    match: 1,
    exists: 'ALREADY_EXISTS',
    bad: ['INVALID_ARGUMENT', 'INVALID_ARGUMENT'],
    query: 'INVALID_ARGUMENT',
    put: 'ArrowInvalid',
    action: 'ArrowInvalid',
    rows: [1, 2, 5],
    ingest: [1, 1, 'UNKNOWN'],
    'ingest, guarded': ['UNKNOWN', 1],
    'ingest, free': 'INVALID_ARGUMENT',
    ingested: [1, 3],
  });
});

// The last: from the first token on, a server that was open wants one.
test('keys of two tenants have nothing to do with each other', async () => {
  const headersOf = (tenant: string): Headers => ({
    authorization: `Bearer ${newToken(framehold.dataDirectory, tenant, 'write')}`,
    'idempotency-key': 'of-both',
  });
  for (const [tenant, value] of [
    [headersOf('cond-a'), 1],
    [headersOf('cond-b'), 2],
  ] as const) {
    const statement = `create table both as select ${value} as n`;
    assert.equal((await sql(statement, tenant)).status, 201);
    assert.equal((await sql(statement, tenant)).status, 201);
    assertProblem(await sql('create table both as select 3 as n', tenant), 409, 'idempotency_conflict');
  }
});
