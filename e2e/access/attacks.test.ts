/** Ways in which one tenant could try to learn of another, one by one. What 300 random steps do not reach is here. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { flightPython } from '../../server/test/support/flight-python.ts';
import { arrowStreamType } from '../../server/test/support/frame-client.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { PlainClient, type PlainRequest } from '../../server/test/support/plain-request.ts';
import { arrowBytes } from '../../server/test/support/python.ts';
import { TestCredentials } from '../../server/test/support/test-credentials.ts';

const tenants = ['ownertenant', 'readertenant'] as const;
type Tenant = (typeof tenants)[number];
const [owner, reader] = tenants;
let framehold: Framehold;
let client: PlainClient;
let tokens: Record<Tenant, string>;
let rows: Uint8Array;

before(async () => {
  const table = "pa.table({'n': pa.array(range(10), pa.int64()), 't': ['text %d' % n for n in range(10)]})";
  [framehold, { rows }] = await Promise.all([Framehold.start(), arrowBytes({ rows: table })]);
  client = new PlainClient(framehold.url);
  using credentials = new TestCredentials(framehold.dataDirectory);
  const make = (tenant: Tenant) => credentials.create({ tenant, scopes: ['write'] });
  tokens = { [owner]: make(owner), [reader]: make(reader) } as Record<Tenant, string>;
});
after(async () => {
  client[Symbol.dispose]();
  await framehold.remove();
});

async function ask(tenant: Tenant | null, path: string, request: PlainRequest = {}) {
  const authorization = tenant === null ? {} : { authorization: `Bearer ${tokens[tenant]}` };
  const answer = await client.ask(path, { ...request, headers: { ...request.headers, ...authorization } });
  return { ...answer, text: answer.body.toString() };
}

const put = (tenant: Tenant, name: string, headers: Record<string, string> = {}) =>
  ask(tenant, `/v1/frames/${name}`, {
    method: 'PUT',
    headers: { 'content-type': arrowStreamType, ...headers },
    body: rows,
  });

const sql = (tenant: Tenant, statement: string) =>
  ask(tenant, '/v1/sql', {
    method: 'POST',
    headers: { 'content-type': 'application/sql' },
    body: statement,
  });

const share = (name: string, method = 'PUT') => ask(owner, `/v1/frames/${name}/shares/${reader}`, { method });

test('what a reader was given while a frame was shared is worth nothing when it no longer is', async () => {
  await put(owner, 'lent');
  await share('lent');
  const handle = `${owner}:lent`;
  const page = `/exp?handle=${handle}&fmt=csv&limit=3`;
  const given = await ask(reader, page);
  const manifest = await ask(reader, `/v1/frames/${handle}`);
  assert.deepEqual([given.status, manifest.status], [200, 200]);
  const cursor = String(given.headers['framehold-cursor']);
  const tag = String(given.headers.etag);
  const manifestTag = String(manifest.headers.etag);
  const prepare = `
import time
options = flight.FlightCallOptions(headers=[(b'authorization', b'Bearer ' + given['token'].encode())])
info = client.get_flight_info(by_path(given['handle']), options)
import urllib.request
client.do_get(info.endpoints[0].ticket, options).read_all()
def unshare():
    request = urllib.request.Request(given['unshare'], method='DELETE', headers={'authorization': 'Bearer ' + given['owner']})
    urllib.request.urlopen(request).read()
unshare()
result = [fails(lambda: client.do_get(info.endpoints[0].ticket, options).read_all()),
          fails(lambda: client.get_flight_info(by_path(given['handle']), options))]`;
  const failed = (await flightPython(framehold.grpcUrl, prepare, {
    token: tokens[reader],
    owner: tokens[owner],
    handle,
    unshare: `${framehold.url}/v1/frames/lent/shares/${reader}`,
  })) as ({ readonly kind: string; readonly text: string } | null)[];
  for (const failure of failed)
    assert.match(failure?.text ?? 'nothing', /There is no frame "ownertenant:lent/);
  const answers = [
    await ask(reader, page),
    await ask(reader, `${page}&cursor=${cursor}`),
    await ask(reader, page, { headers: { 'if-none-match': tag } }),
    await ask(reader, `/v1/frames/${handle}`, { headers: { 'if-none-match': manifestTag } }),
    await ask(reader, `/v1/frames/${handle}`, { headers: { 'if-none-match': '*' } }),
    await sql(reader, `select * from "${handle}"`),
  ];
  for (const { status, text } of answers) {
    assert.equal(status, 404, text);
    assert.match(text, /There is no frame/);
  }
});

test('a share ends with the frame: what is put under its name later is not shared', async () => {
  await put(owner, 'reused');
  await share('reused');
  await ask(owner, '/v1/frames/reused', { method: 'DELETE' });
  assert.equal((await ask(reader, `/v1/frames/${owner}:reused`)).status, 404);
  await put(owner, 'reused');
  assert.equal((await ask(reader, `/v1/frames/${owner}:reused`)).status, 404);
});

test('only the owner of a shared frame sees how it was made', async () => {
  await put(owner, 'unspoken');
  await sql(owner, "create table derived as select n from unspoken where t <> 'whispered'");
  await share('derived');
  const link = JSON.parse((await ask(owner, '/v1/frames/derived/links', { method: 'POST' })).text) as {
    link: string;
  };
  assert.match((await ask(owner, '/v1/frames/derived')).text, /unspoken.*whispered|whispered.*unspoken/s);
  const seen = [
    await ask(reader, `/v1/frames/${owner}:derived`),
    await ask(reader, `/v1/frames/${owner}:derived@1`),
    await ask(reader, '/v1/shared'),
    await ask(reader, `/exec?handle=${owner}:derived&fmt=json`),
    await ask(reader, `/exp?handle=${owner}:derived&fmt=arrow`),
    await sql(reader, `explain select * from "${owner}:derived"`),
    await sql(reader, `create table copied as select * from "${owner}:derived"`),
    await ask(null, `/v1/frames/derived@1?link=${link.link}`),
    await ask(null, `/v1/frames/derived@1/rows?fmt=json&link=${link.link}`),
  ];
  for (const { status, text, rawHeaders } of seen) {
    assert.ok(status < 300, text);
    assert.doesNotMatch(`${rawHeaders.join('\n')}${text}`, /unspoken|whispered/);
  }
});

test('no statement reveals where files are, or the tenant that they belong to', async () => {
  await put(owner, 'places');
  await put(owner, 'lent_places');
  await share('lent_places');
  const statements = [
    'select filename from $t',
    'select file_row_number from $t',
    'select file_index from $t',
    'select rowid from $t',
    'select * , filename from $t',
    'explain select * from $t where n > 3',
    'explain (format json) select * from $t where n > 3',
    'explain analyze select sum(n) from $t',
    'explain (analyze, format json) select sum(n) from $t',
    'select t::integer from $t',
    'select n::utinyint - 100 from $t',
    'select nothing from $t',
    'select * from $t as x(a, b, c)',
    'describe $t',
    'summarize $t',
    'select * from $t tablesample 3 rows',
    'select error(t) from $t',
    'select typeof($t) from $t limit 1',
    'select columns(*)::date from $t',
    'from $t select parse_path(t)',
    'select * from query_table([$t])',
    'insert into $t values (1)',
    'create table places as select * from $t',
  ];
  const own = statements.map((statement) => [owner, statement.replaceAll('$t', 'places')] as const);
  const lent = statements.map(
    (statement) => [reader, statement.replaceAll('$t', `"${owner}:lent_places"`)] as const,
  );
  for (const [tenant, statement] of [...own, ...lent]) {
    const { text, rawHeaders } = await sql(tenant, statement);
    // What was written comes back with the rows, and names the frame.
    const told = `${rawHeaders.join('\n')}\n${text}`
      .replaceAll(JSON.stringify(statement).slice(1, -1), '')
      .replaceAll(`${owner}:lent_places`, '');
    for (const secret of [framehold.home, '.parquet', '.arrow', 'objects/', owner, reader])
      assert.ok(!told.includes(secret), `${tenant}, ${statement}: ${told}`);
  }
});

test('names that differ from another tenant’s in case only, and the same key for a put, are no conflict', async () => {
  const key = { 'idempotency-key': 'the-same-key' };
  const first = await put(owner, 'Spelled', key);
  const second = await put(reader, 'sPELLED', key);
  assert.deepEqual([first.status, second.status], [201, 201]);
  const [mine, theirs] = [first, second].map(({ text }) => JSON.parse(text) as Record<string, unknown>);
  assert.deepEqual([mine?.handle, theirs?.handle], ['Spelled@1', 'sPELLED@1']);
  assert.notEqual(mine?.frameId, theirs?.frameId);
  // Again: each is answered as the first time, by its own.
  assert.equal(
    (JSON.parse((await put(reader, 'sPELLED', key)).text) as typeof mine)?.frameId,
    theirs?.frameId,
  );
  assert.match((await ask(reader, '/exec?handle=Spelled&fmt=json')).text, /A frame \\"sPELLED\\" exists/);
});

test('the ids of requests do not count what others ask', async () => {
  const idOf = async (tenant: Tenant) => String((await ask(tenant, '/v1/frames')).headers['x-request-id']);
  const before = await idOf(reader);
  for (let count = 0; count < 20; count++) await idOf(owner);
  const [one, other] = [before, await idOf(reader)];
  const shared = [...one].findIndex((letter, index) => letter !== other[index]);
  assert.ok(shared !== -1 && shared < 8, `${one} ${other}`);
});
