/** Links: listed and revoked one by one, over HTTP and Flight, on a server with credentials and on an open one. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { auditLines } from '../../server/test/support/audit-lines.ts';
import { flightPython } from '../../server/test/support/flight-python.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { newToken } from '../../server/test/support/framehold-tokens.ts';

let framehold: Framehold;
let token: string;
let reader: string;

before(async () => {
  framehold = await Framehold.start();
  token = newToken(framehold.dataDirectory, 'a', 'write');
  reader = newToken(framehold.dataDirectory, 'a', 'read');
  const put = await ask('PUT', '/v1/frames/trades', 'n\n1\n');
  assert.equal(put.status, 201);
});
after(() => framehold.remove());

async function ask(method: string, path: string, body?: string, as = token): Promise<Response> {
  const headers = {
    authorization: `Bearer ${as}`,
    ...(body === undefined ? {} : { 'content-type': 'text/csv' }),
  };
  return fetch(`${framehold.url}${path}`, { method, headers, ...(body === undefined ? {} : { body }) });
}

interface Link {
  readonly id: string;
  readonly link: string;
  readonly url: string;
  readonly expiresAt: string;
}

async function makeLink(ttl = '1h'): Promise<Link> {
  const made = await ask('POST', `/v1/frames/trades/links?ttl=${ttl}`);
  assert.equal(made.status, 201);
  return (await made.json()) as Link;
}

async function listed(): Promise<readonly { readonly id: string }[]> {
  const answer = await ask('GET', '/v1/frames/trades/links', undefined, reader);
  return ((await answer.json()) as { links: { id: string }[] }).links;
}

const codeOf = async (answer: Response) => ((await answer.json()) as { code?: string }).code;

test('a link is listed without its secret, and revoked without touching others', async () => {
  const [first, second] = [await makeLink(), await makeLink('1m')];
  assert.match(first.url, /^http:\/\/127\.0\.0\.1:\d+\/v1\/frames\/trades@1\/rows\?link=fhl_/);
  const links = await listed();
  assert.deepEqual(
    links.map(({ id }) => id),
    [second.id, first.id],
  );
  assert.deepEqual(Object.keys(links[0] ?? {}), ['id', 'handle', 'createdAt', 'createdBy', 'expiresAt']);
  assert.partialDeepStrictEqual(links[1], { handle: 'trades@1', expiresAt: first.expiresAt });
  assert.ok(!JSON.stringify(links).includes('fhl_'));
  for (const { url } of [first, second]) assert.equal((await fetch(`${url}&fmt=csv`)).status, 200);

  const path = `/v1/frames/trades/links/${first.id}`;
  assert.equal((await ask('DELETE', path, undefined, reader)).status, 403);
  assert.equal((await fetch(first.url)).status, 200);
  assert.equal((await ask('DELETE', path)).status, 204);
  const refused = await fetch(first.url);
  assert.deepEqual([refused.status, await codeOf(refused)], [410, 'link_revoked']);
  for (const other of [
    '/exec?handle=trades@1&fmt=json',
    '/exp?handle=trades@1',
    '/v1/frames/trades@1',
    '/v1/frames',
  ])
    assert.equal(
      (await fetch(`${framehold.url}${other}${other.includes('?') ? '&' : '?'}link=${first.link}`)).status,
      410,
      other,
    );
  assert.equal((await fetch(second.url)).status, 200);
  assert.deepEqual(
    (await listed()).map(({ id }) => id),
    [second.id],
  );
  assert.equal((await ask('DELETE', path)).status, 204, 'repeating it is safe');
  assert.equal(await codeOf(await ask('DELETE', '/v1/frames/trades/links/none')), 'link_not_found');
});

test('Flight lists and revokes, and a revoked link reads nothing over Flight', async () => {
  const { link, id } = await makeLink();
  const script = `
def call(token, type, **fields):
    options = flight.FlightCallOptions(headers=[(b'authorization', b'Bearer ' + token.encode())])
    return json.loads(next(client.do_action(flight.Action(type, json.dumps(fields).encode()), options)).body.to_pybytes())
reading = flight.FlightCallOptions(headers=[(b'authorization', b'Bearer ' + given['link'].encode())])
read = lambda: client.do_get(flight.Ticket(b'trades@1'), reading).read_all().to_pydict()
before = read()
listed = [each['id'] for each in call(given['token'], 'links', name='trades')['links']]
made = sorted(call(given['token'], 'link', handle='trades'))
revoked = call(given['token'], 'unlink', name='trades', id=given['id'])
result = [before, given['id'] in listed, made, revoked, fails(read)]`;
  const [rows, isListed, made, revoked, failure] = (await flightPython(framehold.grpcUrl, script, {
    link,
    id,
    token,
  })) as [unknown, boolean, string[], unknown, { kind: string; text: string }];
  assert.deepEqual([rows, isListed, revoked], [{ n: [1] }, true, { revoked: id }]);
  assert.deepEqual(made, ['expiresAt', 'handle', 'id', 'link']);
  assert.equal(failure.kind, 'FlightUnauthenticatedError');
  assert.match(failure.text, /link was revoked/);
});

test('a link opens no rows since a version, also if they end with the version that it opens', async () => {
  assert.equal((await ask('PUT', '/v1/frames/grown', 'n\n1\n')).status, 201);
  for (const n of [2, 3]) assert.equal((await ask('POST', '/v1/frames/grown/rows', `n\n${n}\n`)).status, 200);
  const { link } = (await (await ask('POST', '/v1/frames/grown@2/links?ttl=1h')).json()) as Link;
  const asked = async (path: string) => {
    const answer = await fetch(`${framehold.url}${path}${path.includes('?') ? '&' : '?'}link=${link}`);
    return answer.status === 200 ? 200 : await codeOf(answer);
  };
  assert.equal(await asked('/v1/frames/grown@2/rows'), 200);
  for (const handle of ['grown@0..2', 'grown@1..2', 'grown@2..2', 'grown@1..', 'grown@2..3', 'a:grown@1..2'])
    for (const path of [
      `/v1/frames/${handle}/rows`,
      `/exec?handle=${handle}&fmt=json`,
      `/exp?handle=${handle}`,
    ])
      assert.equal(await asked(path), 'access_denied', path);
  const script = `
reading = flight.FlightCallOptions(headers=[(b'authorization', b'Bearer ' + given['link'].encode())])
result = fails(lambda: client.do_get(flight.Ticket(b'grown@1..2'), reading).read_all())`;
  const failure = (await flightPython(framehold.grpcUrl, script, { link })) as { kind: string };
  assert.equal(failure.kind, 'FlightUnauthorizedError');
  // The version that the link opened is gone, though newer ones have its rows.
  assert.equal((await ask('DELETE', '/v1/frames/grown@2')).status, 204);
  assert.equal(await asked('/v1/frames/grown@2/rows'), 'frame_gone');
  assert.equal(await asked('/v1/frames/grown@0..2/rows'), 'access_denied');
});

test('a revocation outlives a crash and a restart', async () => {
  const { id, url, link } = await makeLink();
  const kept = await makeLink();
  assert.equal((await ask('DELETE', `/v1/frames/trades/links/${id}`)).status, 204);
  await framehold.kill();
  await framehold.start();
  const at = (text: string) => text.replace(/^http:\/\/[^/]+/, framehold.url);
  assert.equal((await fetch(at(url))).status, 410, link);
  assert.equal((await fetch(at(kept.url))).status, 200);
});

test('creating and revoking are in the audit log with the id, and the use of a revoked link is a refusal', async () => {
  const { id, url } = await makeLink();
  await ask('DELETE', `/v1/frames/trades/links/${id}`);
  await fetch(url);
  const find = (action: string) =>
    auditLines(framehold.lines).find((line) => line.action === action && line.detail === id);
  await framehold.until('audit lines', () => find('frame.unlink') ?? null);
  assert.partialDeepStrictEqual(find('frame.link'), { outcome: 'done', tenant: 'a' });
  assert.partialDeepStrictEqual(find('frame.unlink'), { outcome: 'done', tenant: 'a', frame: 'trades@1' });
  await framehold.until('the refusal', () =>
    auditLines(framehold.lines).some(({ reason }) => reason === 'link_revoked') ? true : null,
  );
  assert.ok(!(await framehold.linesUntilNow()).join('\n').includes('fhl_'));
});

test('a link with a format is a download in every format', async () => {
  const { url } = await makeLink('1m');
  for (const [format, extension] of [
    ['json', 'json'],
    ['csv', 'csv'],
    ['arrow', 'arrows'],
    ['parquet', 'parquet'],
  ] as const) {
    const answer = await fetch(`${url}&fmt=${format}`, { headers: { accept: 'text/html,*/*;q=0.8' } });
    assert.equal(answer.status, 200);
    const disposition = answer.headers.get('content-disposition');
    assert.equal(disposition, `attachment; filename="trades@1.${extension}"`);
    assert.equal(answer.headers.get('cache-control'), 'private, no-cache');
    await answer.arrayBuffer();
  }
});

test('an open server refuses links that have ended, too', async () => {
  const open = await Framehold.start();
  try {
    const headers = { 'content-type': 'text/csv' };
    await fetch(`${open.url}/v1/frames/t`, { method: 'PUT', headers, body: 'n\n1\n' });
    const made = await fetch(`${open.url}/v1/frames/t/links`, { method: 'POST' });
    const { url, id } = (await made.json()) as Link;
    const read = await fetch(url);
    assert.equal(read.status, 200);
    assert.equal(read.headers.get('cache-control'), 'private, no-cache', 'a revocation must be noticed');
    assert.equal((await fetch(`${open.url}/v1/frames/t/links/${id}`, { method: 'DELETE' })).status, 204);
    assert.equal((await fetch(url)).status, 410);
    assert.equal((await fetch(`${url}x`)).status, 200, 'what is no link is ignored, as any credential is');
  } finally {
    await open.remove();
  }
});
