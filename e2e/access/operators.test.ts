/** An operator looks after tenants: it sees how much each uses and what runs, stops statements, and never comes near a row. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { CommandStatementQuerySchema } from '../../server/src/flight/gen/FlightSql_pb.js';
import { packAny } from '../../server/src/flight/sql/any-message.ts';
import { type AuditLine, auditLines } from '../../server/test/support/audit-lines.ts';
import { flightPython } from '../../server/test/support/flight-python.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { frameholdTenant } from '../../server/test/support/framehold-tokens.ts';
import { eventually } from '../../server/test/support/patience.ts';
import { TestCredentials } from '../../server/test/support/test-credentials.ts';

let framehold: Framehold;
let credentials: TestCredentials;
let tokens: Record<'ops' | 'acme' | 'beta' | 'admin', string>;

before(async () => {
  framehold = await Framehold.start();
  credentials = new TestCredentials(framehold.dataDirectory);
  const make = (name: string, tenant: string, scope: 'operator' | 'write' | 'admin') =>
    credentials.create({ tenant, scopes: [scope], name });
  tokens = {
    ops: make('ops', '', 'operator'),
    acme: make('loader', 'acme', 'write'),
    beta: make('reader', 'beta', 'write'),
    admin: make('boss', 'acme', 'admin'),
  };
});
after(async () => {
  credentials[Symbol.dispose]();
  await framehold.remove();
});

type Who = keyof typeof tokens;

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly text: string;
}

async function ask(who: Who, path: string, init: RequestInit = {}): Promise<Answer> {
  const headers = { authorization: `Bearer ${tokens[who]}`, ...init.headers };
  const answer = await fetch(`${framehold.url}${path}`, { ...init, headers });
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? {} : JSON.parse(text), text };
}

async function put(who: Who, name: string): Promise<void> {
  const init = { method: 'PUT', headers: { 'content-type': 'text/csv' }, body: 'secret_column\n1\n2\n' };
  assert.equal((await ask(who, `/v1/frames/${name}`, init)).status, 201);
}

function lineOf(action: string, caller: string): AuditLine | null {
  return (
    auditLines(framehold.lines).findLast((line) => line.action === action && line.caller === caller) ?? null
  );
}

/** A statement that runs until it is stopped. */
function runForever(who: Who, id: string): Promise<Answer> {
  const sql = 'select count(*) from range(1000000) a, range(1000000) b where (a.range * b.range) % 7 = 3';
  const headers = { 'content-type': 'application/sql', 'framehold-query-id': id };
  return ask(who, '/v1/sql', { method: 'POST', headers, body: `${sql} -- 'whispered value'` });
}

async function runs(id: string): Promise<Record<string, unknown>[]> {
  let found: Record<string, unknown>[] = [];
  await eventually(`${id} runs`, async () => {
    const { body } = await ask('ops', '/v1/queries');
    found = (body.queries as Record<string, unknown>[]).filter((query) => query.id === id);
    return found.some(({ state }) => state === 'running');
  });
  return found;
}

test('it sees every tenant with frames, bytes, requests, limits and shares', async () => {
  await put('acme', 'trades');
  await put('acme', 'orders');
  await put('beta', 'notes');
  assert.equal((await ask('acme', '/v1/frames/trades/shares/beta', { method: 'PUT' })).status, 200);
  const { status, body, text } = await ask('ops', '/v1/tenants');
  assert.equal(status, 200, text);
  const [acme, beta, ...others] = body.tenants as Record<string, unknown>[];
  assert.deepEqual([acme?.tenant, acme?.frames, acme?.requests], ['acme', 2, 3]);
  assert.ok(Number(acme?.bytes) > 0);
  assert.deepEqual(
    [acme?.shares, beta?.shares],
    [
      { given: 1, received: 0 },
      { given: 0, received: 1 },
    ],
  );
  assert.deepEqual([beta?.tenant, beta?.frames, others], ['beta', 1, []]);
  assert.deepEqual(Object.keys(acme?.limits as object), [
    'bytesMax',
    'framesMax',
    'queriesMax',
    'streamsMax',
    'requestsPerSecond',
    'requestsBurst',
  ]);
  const one = await ask('ops', '/v1/tenants/acme');
  assert.deepEqual(one.body.sharedWith, [{ tenant: 'beta', frames: 1 }]);
  assert.equal((await ask('ops', '/v1/tenants/nobody_yet')).body.frames, 0);
  assert.equal((await ask('ops', '/v1/tenants/Not%20One')).status, 400);
  for (const told of [text, one.text]) assert.doesNotMatch(told, /trades|orders|secret_column/);
});

test('the list comes in pages', async () => {
  const first = await ask('ops', '/v1/tenants?limit=1');
  assert.deepEqual(
    (first.body.tenants as { tenant: string }[]).map(({ tenant }) => tenant),
    ['acme'],
  );
  const second = await ask('ops', `/v1/tenants?limit=1&cursor=${first.body.next}`);
  assert.deepEqual(
    (second.body.tenants as { tenant: string }[]).map(({ tenant }) => tenant),
    ['beta'],
  );
  assert.equal(second.body.next, null);
});

test('a tenant sees itself, and not the others', async () => {
  const own = await ask('acme', '/v1/tenant');
  assert.deepEqual([own.status, own.body.tenant, own.body.frames], [200, 'acme', 2]);
  for (const who of ['acme', 'admin'] as const)
    for (const path of ['/v1/tenants', '/v1/tenants/beta', '/v1/tenants/acme'])
      assert.deepEqual([(await ask(who, path)).status, who, path], [403, who, path]);
});

test('it sees any statement without its text or rows, and stops it; the tenant of it is named', async () => {
  const statement = runForever('acme', 'shared-id');
  const [seen] = await runs('shared-id');
  assert.deepEqual(Object.keys(seen ?? {}), [
    'id',
    'tenant',
    'engine',
    'state',
    'startedAt',
    'elapsedMs',
    'progress',
  ]);
  assert.equal(seen?.tenant, 'acme');
  assert.doesNotMatch((await ask('ops', '/v1/queries')).text, /whispered|range/);
  const other = runForever('beta', 'shared-id');
  await eventually('both are there', async () => (await runs('shared-id')).length === 2);
  assert.equal((await ask('beta', '/v1/queries')).text.includes('acme'), false);
  const unclear = await ask('ops', '/v1/queries/shared-id', { method: 'DELETE' });
  assert.deepEqual([unclear.status, unclear.body.hint], [400, 'Say whose: tenant=NAME.']);
  const stop = { method: 'DELETE' };
  assert.equal((await ask('ops', '/v1/queries/shared-id?tenant=acme', stop)).status, 204);
  assert.deepEqual([(await statement).status, (await statement).body.code], [409, 'query_cancelled']);
  assert.equal((await ask('ops', '/v1/queries/shared-id', stop)).status, 204);
  assert.equal((await other).status, 409);
  const line = await framehold.until('audit line', () => {
    const told = auditLines(framehold.lines).filter(({ action }) => action === 'query.cancel');
    return told.find(({ tenant }) => tenant === 'acme') ?? null;
  });
  assert.deepEqual([line.caller, line.outcome, line.statement], ['ops', 'done', 'shared-id']);
});

const patch = (limits: unknown) => ({
  method: 'PATCH',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ limits }),
});
const append = {
  method: 'POST',
  headers: { 'content-type': 'text/csv' },
  body: 'secret_column\n3\n',
};

test('limits that it sets count at once, are in the audit log, and survive a restart', async () => {
  const set = await ask('ops', '/v1/tenants/acme', patch({ bytesMax: 1, requestsBurst: '200' }));
  assert.deepEqual([set.status, set.body.limitsSet], [200, { bytesMax: 1, requestsBurst: 200 }]);
  const full = await ask('acme', '/v1/frames/trades/rows', append);
  assert.deepEqual([full.status, full.body.code], [429, 'quota_exceeded']);
  assert.equal((await ask('beta', '/v1/frames/notes/rows', append)).status, 200);
  await framehold.stop();
  await framehold.start();
  assert.equal((await ask('acme', '/v1/frames/trades/rows', append)).status, 429);
  const own = await ask('acme', '/v1/tenant');
  assert.deepEqual(own.body.limitsSet, { bytesMax: 1, requestsBurst: 200 });
  const back = await ask('ops', '/v1/tenants/acme', patch({ bytesMax: null }));
  assert.deepEqual(
    [back.body.limitsSet, (back.body.limits as { bytesMax: null }).bytesMax],
    [{ requestsBurst: 200 }, null],
  );
  assert.equal((await ask('acme', '/v1/frames/trades/rows', append)).status, 200);
  const line = await framehold.until('audit line', () => lineOf('tenant.set', 'ops'));
  assert.deepEqual([line.tenant, line.outcome, line.detail], ['acme', 'done', 'bytesMax=default']);
});

test('limits that the command line sets count in the running server', async () => {
  const { limitsSet } = frameholdTenant(framehold.dataDirectory, 'set', 'beta', '--frames-max', '1');
  assert.deepEqual(limitsSet, { framesMax: 1 });
  const framesMax = async () =>
    ((await ask('beta', '/v1/tenant')).body.limitsSet as { framesMax?: number }).framesMax;
  await eventually('the server has noticed', async () => (await framesMax()) === 1);
  const init = { method: 'PUT', headers: { 'content-type': 'text/csv' }, body: 'n\n1\n' };
  assert.equal((await ask('beta', '/v1/frames/more', init)).status, 429);
  const line = await framehold.until('audit line', () => lineOf('tenant.set', 'command-line'));
  assert.deepEqual([line.tenant, line.detail, line.requestId], ['beta', 'framesMax=1', null]);
  const { tenants } = frameholdTenant(framehold.dataDirectory, 'list') as {
    tenants: { tenant: string; frames: number }[];
  };
  assert.deepEqual(
    tenants.map(({ tenant, frames }) => [tenant, frames]),
    [
      ['acme', 2],
      ['beta', 1],
    ],
  );
  frameholdTenant(framehold.dataDirectory, 'set', 'beta', '--frames-max', 'default');
  await eventually('it has noticed again', async () => (await framesMax()) === undefined);
  assert.equal((await ask('beta', '/v1/frames/more', init)).status, 201);
});

test('a limit that is not allowed changes nothing, and only an operator sets one', async () => {
  for (const limits of [
    { bytesMax: -1 },
    { queriesMax: 0 },
    { framesMax: 1, bytes: 1 },
    {},
    'x',
    { bytesMax: '1 bushel' },
  ])
    assert.equal((await ask('ops', '/v1/tenants/acme', patch(limits))).status, 400, JSON.stringify(limits));
  assert.deepEqual((await ask('ops', '/v1/tenants/acme')).body.limitsSet, { requestsBurst: 200 });
  const denied = await ask('admin', '/v1/tenants/acme', patch({ bytesMax: null }));
  assert.deepEqual([denied.status, denied.body.code], [403, 'access_denied']);
});

test('nothing else answers it, over HTTP and over Flight', async () => {
  for (const path of [
    '/v1/frames',
    '/v1/frames/acme:trades',
    '/exec?handle=acme:trades&fmt=json',
    '/v1/shared',
  ])
    assert.equal((await ask('ops', path)).status, 403, path);
  const sql = { method: 'POST', headers: { 'content-type': 'application/sql' }, body: 'select 1' };
  assert.equal((await ask('ops', '/v1/sql', sql)).status, 403);
  assert.equal(
    (await fetch(`${framehold.url}/metrics`, { headers: { authorization: `Bearer ${tokens.ops}` } })).status,
    200,
  );
  const code = `
options = flight.FlightCallOptions(headers=[(b'authorization', b'Bearer ' + given.encode())])
result = [fails(lambda: client.do_get(flight.Ticket(b'acme:trades'), options).read_all())['text'],
          fails(lambda: list(client.list_flights(b'', options)))['text']]`;
  const texts = (await flightPython(framehold.grpcUrl, code, tokens.ops)) as string[];
  for (const text of texts) assert.match(text, /needs the scope read/);
});

/** Of the one line of this event that the last request of the caller has left, the members that say who used what. */
async function used(event: string, caller: string, about: string): Promise<unknown[]> {
  const line = await framehold.until(`${event} of ${caller}`, () => {
    const found = framehold.lines.findLast(
      (each) =>
        each.includes(`"event":"${event}"`) && each.includes(`"caller":"${caller}"`) && each.includes(about),
    );
    return found === undefined ? null : (JSON.parse(found) as Record<string, unknown>);
  });
  return [line.tenant, line.caller, line.frames ?? line.frame, line.statement];
}

test('the log names tenant, caller, frame and statement for /exec, Flight and SQL', async () => {
  await ask('acme', '/exec?handle=trades@1&fmt=json');
  assert.deepEqual(await used('http-request', 'loader', '"/exec"'), [
    'acme',
    'loader',
    ['trades'],
    undefined,
  ]);
  await ask('beta', '/exec?handle=acme:trades&fmt=json');
  assert.deepEqual(await used('http-request', 'reader', '"/exec"'), [
    'beta',
    'reader',
    ['acme:trades'],
    undefined,
  ]);
  const sql = (text: string, id: string) =>
    ask('acme', '/v1/sql', {
      method: 'POST',
      headers: { 'content-type': 'application/sql', 'framehold-query-id': id },
      body: text,
    });
  assert.equal((await sql("select 'whispered value' from trades, orders", 'both')).status, 200);
  const both = ['acme', 'loader', ['trades', 'orders'], 'both'];
  assert.deepEqual(await used('http-request', 'loader', '"statement":"both"'), both);
  assert.deepEqual(await used('sql', 'loader', '"statement":"both"'), both);
  assert.equal((await sql('create table made as select * from orders', 'making')).status, 201);
  const [, , frame, statement] = await used('audit', 'loader', '"frame.put"');
  assert.deepEqual([frame, statement], ['made@1', 'making']);
  const command = packAny(CommandStatementQuerySchema, { query: "select 'whispered value' from made" });
  const code = `
import base64
token, command = given
options = flight.FlightCallOptions(headers=[(b'authorization', b'Bearer ' + token.encode())])
client.do_get(flight.Ticket(b'trades@1'), options).read_all()
info = client.get_flight_info(flight.FlightDescriptor.for_command(base64.b64decode(command)), options)
client.do_get(info.endpoints[0].ticket, options).read_all()
result = True`;
  await flightPython(framehold.grpcUrl, code, [tokens.acme, Buffer.from(command).toString('base64')]);
  assert.deepEqual(await used('flight-call', 'loader', '"frames":["trades"]'), [
    'acme',
    'loader',
    ['trades'],
    undefined,
  ]);
  const [tenant, , frames, id] = await used('flight-call', 'loader', '"statement":');
  assert.deepEqual([tenant, frames], ['acme', ['made']]);
  assert.deepEqual(await used('sql', 'loader', `"statement":"${id}"`), ['acme', 'loader', ['made'], id]);
  assert.ok(!(await framehold.linesUntilNow()).some((line) => line.includes('whispered')));
});

test('on an open server everybody may look, as everybody may do everything', async () => {
  const open = await Framehold.start();
  try {
    const answer = await fetch(`${open.url}/v1/tenants`);
    const { tenants } = (await answer.json()) as { tenants: { tenant: string; requests: number }[] };
    assert.deepEqual(
      tenants.map(({ tenant }) => tenant),
      ['default'],
    );
  } finally {
    await open.remove();
  }
});
