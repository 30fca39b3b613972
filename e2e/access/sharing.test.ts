import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { flightPython } from '../../server/test/support/flight-python.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { newToken } from '../../server/test/support/framehold-tokens.ts';

let framehold: Framehold;
let tokens: Record<'a' | 'b' | 'c', string>;

before(async () => {
  framehold = await Framehold.start();
  const make = (tenant: string) => newToken(framehold.dataDirectory, tenant, 'write');
  tokens = { a: make('a'), b: make('b'), c: make('c') };
  for (const tenant of ['a', 'b'] as const) await put(tenant, 'trades', `n\n${tenant === 'a' ? 1 : 2}\n`);
});
after(() => framehold.remove());

type Tenant = keyof typeof tokens | null;

async function ask(tenant: Tenant, method: string, path: string, body?: string): Promise<Response> {
  const headers: Record<string, string> =
    tenant === null ? {} : { authorization: `Bearer ${tokens[tenant]}` };
  if (body !== undefined) headers['content-type'] = 'text/csv';
  return fetch(`${framehold.url}${path}`, { method, headers, ...(body === undefined ? {} : { body }) });
}

async function put(tenant: Tenant, name: string, csv: string): Promise<void> {
  const answer = await ask(tenant, 'PUT', `/v1/frames/${name}`, csv);
  assert.ok(answer.ok, await answer.text());
}

async function rows(tenant: Tenant, handle: string, query = ''): Promise<unknown> {
  const answer = await ask(tenant, 'GET', `/exec?handle=${handle}&fmt=json${query}`);
  const body = (await answer.json()) as { dataset?: unknown; code?: string };
  return body.dataset ?? body.code;
}

async function sql(tenant: Tenant, text: string): Promise<unknown> {
  const answer = await ask(tenant, 'GET', `/v1/sql?query=${encodeURIComponent(text)}`);
  const body = (await answer.json()) as { dataset?: unknown; code?: string };
  return body.dataset ?? body.code;
}

test('the same name in two tenants is two frames', async () => {
  assert.deepEqual(await rows('a', 'trades'), [[1]]);
  assert.deepEqual(await rows('b', 'trades'), [[2]]);
  assert.equal(await rows('c', 'trades'), 'frame_not_found');
  assert.deepEqual(await sql('a', 'select * from trades'), [[1]]);
});

test('a frame of another tenant is as one that does not exist, until it is shared', async () => {
  assert.equal(await rows('b', 'a:trades'), 'frame_not_found');
  assert.equal(await sql('b', 'select * from "a:trades"'), 'frame_not_found');
  const shared = await ask('a', 'PUT', '/v1/frames/trades/shares/b');
  assert.deepEqual(await shared.json(), { shares: ['b'] });
  assert.deepEqual(await rows('b', 'a:trades'), [[1]]);
  assert.deepEqual(await rows('b', 'a:trades@1'), [[1]]);
  assert.deepEqual(await sql('b', 'select mine.n, theirs.n from trades mine, "a:trades" theirs'), [[2, 1]]);
  assert.equal(await rows('c', 'a:trades'), 'frame_not_found');
  const manifest = (await (await ask('b', 'GET', '/v1/frames/a:trades')).json()) as { handle: string };
  assert.equal(manifest.handle, 'a:trades@1');
  const list = (await (await ask('b', 'GET', '/v1/shared')).json()) as { frames: { handle: string }[] };
  assert.deepEqual(
    list.frames.map(({ handle }) => handle),
    ['a:trades@1'],
  );
  assert.equal((await ask('b', 'DELETE', '/v1/frames/a:trades')).status, 403);
  assert.equal((await ask('b', 'PUT', '/v1/frames/a:trades', 'n\n3\n')).status, 400);
});

test('Flight reads what is shared, with the tickets that it was given', async () => {
  const read = `
options = flight.FlightCallOptions(headers=[(b'authorization', b'Bearer ' + given.encode())])
info = client.get_flight_info(by_path('a:trades'), options)
result = [client.do_get(info.endpoints[0].ticket, options).read_all().to_pydict(),
          [one.descriptor.path[0].decode() for one in client.list_flights(options=options)],
          fails(lambda: client.do_action(flight.Action('drop', b'{"handle": "a:trades"}'), options).__next__())['kind']]`;
  assert.deepEqual(await flightPython(framehold.grpcUrl, read, tokens.b), [
    { n: [1] },
    ['trades'],
    'FlightUnauthorizedError',
  ]);
});

test('ending a share ends it', async () => {
  await ask('a', 'DELETE', '/v1/frames/trades/shares/b');
  assert.equal(await rows('b', 'a:trades'), 'frame_not_found');
  assert.equal(await sql('b', 'select * from "a:trades"'), 'frame_not_found');
});

test('a link reads one version, without any other credential, and nothing else', async () => {
  const made = await ask('a', 'POST', '/v1/frames/trades/links?ttl=1h');
  assert.equal(made.status, 201);
  const { link, url, handle } = (await made.json()) as Record<string, string>;
  assert.equal(handle, 'trades@1');
  assert.deepEqual(await rows(null, 'trades@1', `&link=${link}`), [[1]]);
  assert.ok(url?.startsWith(`${framehold.url}/v1/frames/trades@1/rows?link=`), url);
  const opened = await fetch(`${url}&fmt=csv`);
  assert.equal(await opened.text(), 'n\r\n1\r\n');
  await put('a', 'trades', 'n\n10\n');
  assert.deepEqual(await rows(null, 'trades@1', `&link=${link}`), [[1]]);
  for (const other of ['trades', 'trades@2', 'a:trades@2'])
    assert.equal(await rows(null, other, `&link=${link}`), 'access_denied', other);
  assert.equal((await ask(null, 'GET', `/v1/frames?link=${link}`)).status, 403);
  assert.equal((await ask(null, 'GET', `/v1/sql?query=select%201&link=${link}`)).status, 403);
  assert.equal((await ask(null, 'DELETE', `/v1/frames/trades@1?link=${link}`)).status, 403);
  const read = `
options = flight.FlightCallOptions(headers=[(b'authorization', b'Bearer ' + given.encode())])
result = [client.do_get(flight.Ticket(b'trades@1'), options).read_all().to_pydict(),
          fails(lambda: client.do_get(flight.Ticket(b'trades@2'), options).read_all())['kind']]`;
  assert.deepEqual(await flightPython(framehold.grpcUrl, read, link), [
    { n: [1] },
    'FlightUnauthorizedError',
  ]);
  await ask('a', 'DELETE', '/v1/frames/trades@1');
  assert.equal(await rows(null, 'trades@1', `&link=${link}`), 'frame_gone');
});

test('shares and links stay ended when a drop is undone', async () => {
  await put('a', 'undone', 'n\n1\n');
  assert.equal((await ask('a', 'PUT', '/v1/frames/undone/shares/b')).status, 200);
  const { link } = (await (await ask('a', 'POST', '/v1/frames/undone/links?ttl=1h')).json()) as {
    link: string;
  };
  assert.deepEqual(await rows(null, 'undone@1', `&link=${link}`), [[1]]);
  assert.deepEqual(await rows('b', 'a:undone'), [[1]]);
  assert.equal((await ask('a', 'DELETE', '/v1/frames/undone')).status, 204);
  assert.equal((await ask('b', 'POST', '/v1/frames/a:undone/undrop')).status, 400);
  assert.equal((await ask('a', 'POST', '/v1/frames/undone/undrop')).status, 200);
  assert.deepEqual(await rows('a', 'undone'), [[1]]);
  assert.equal(await rows('b', 'a:undone'), 'frame_not_found');
  assert.equal(await rows(null, 'undone@1', `&link=${link}`), 'frame_gone');
  const read = `
options = flight.FlightCallOptions(headers=[(b'authorization', b'Bearer ' + given.encode())])
result = fails(lambda: client.do_get(flight.Ticket(b'undone@1'), options).read_all())['text']`;
  assert.match(String(await flightPython(framehold.grpcUrl, read, link)), /link ended/);
  const fresh = (await (await ask('a', 'POST', '/v1/frames/undone/links?ttl=1h')).json()) as { link: string };
  assert.deepEqual(await rows(null, 'undone@1', `&link=${fresh.link}`), [[1]]);
});

test('the audit log has each change and each refusal, and no secret', async () => {
  await framehold.until('lines', () =>
    framehold.lines.some((line) => line.includes('"frame.link"')) ? true : null,
  );
  const audits = framehold.lines
    .filter((line) => line.includes('"event":"audit"'))
    .map((line) => JSON.parse(line));
  const has = (fields: object) =>
    assert.ok(
      audits.some((line) => Object.entries(fields).every(([key, value]) => line[key] === value)),
      JSON.stringify(fields),
    );
  has({ action: 'frame.put', outcome: 'done', tenant: 'a', frame: 'trades@1', remote: '127.0.0.1' });
  has({ action: 'frame.share', outcome: 'done', tenant: 'a', frame: 'trades with b' });
  has({ action: 'frame.drop', outcome: 'refused', tenant: 'b', frame: 'a:trades', reason: 'access_denied' });
  has({
    action: 'frame.describe',
    outcome: 'refused',
    tenant: 'c',
    frame: 'a:trades',
    reason: 'frame_not_found',
  });
  has({ action: 'frame.list', outcome: 'refused', caller: 'link', reason: 'access_denied' });
  const all = (await framehold.linesUntilNow()).join('\n');
  for (const token of Object.values(tokens)) assert.ok(!all.includes(token.slice(-43)));
  assert.ok(!all.includes('fhl_'));
});
