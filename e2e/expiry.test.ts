/** `PATCH /v1/frames/{name}`: when a frame expires can be changed at any time. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Framehold } from '../server/test/support/framehold-process.ts';

let framehold: Framehold;
before(async () => {
  framehold = await Framehold.start();
});
after(() => framehold.remove());

interface Manifest {
  readonly handle: string;
  readonly expiresAt: string | null;
  readonly code?: string;
}

async function put(name: string, query = ''): Promise<string> {
  const answer = await fetch(`${framehold.url}/v1/frames/${name}${query}`, {
    method: 'PUT',
    headers: { 'content-type': 'text/csv' },
    body: 'n\n1\n',
  });
  assert.ok(answer.ok);
  return answer.headers.get('etag') ?? '';
}

async function patch(name: string, body: unknown, headers: Record<string, string> = {}) {
  const answer = await fetch(`${framehold.url}/v1/frames/${name}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const json = (await answer.json()) as Manifest;
  return { status: answer.status, etag: answer.headers.get('etag') ?? '', ...json };
}

const manifest = async (name: string, headers: Record<string, string> = {}) =>
  fetch(`${framehold.url}/v1/frames/${name}`, { headers });

test('a time to live, a time, and none', async () => {
  await put('f');
  const before = Date.now();
  for (const ttl of ['12h', 43_200, '43200s']) {
    const { status, handle, expiresAt } = await patch('f', { ttl });
    assert.deepEqual([status, handle], [200, 'f@1']);
    const wait = Date.parse(expiresAt ?? '') - before;
    assert.ok(wait >= 43_200_000 && wait < 43_200_000 + 60_000, `${ttl}: ${wait}`);
  }
  const at = await patch('f', { expiresAt: '2031-01-31T12:00:00.250+01:00' });
  assert.equal(at.expiresAt, '2031-01-31T11:00:00.250Z');
  assert.equal(((await (await manifest('f')).json()) as Manifest).expiresAt, at.expiresAt);
  for (const cleared of [{ ttl: null }, { expiresAt: null }]) {
    await patch('f', { ttl: '1h' });
    assert.equal((await patch('f', cleared)).expiresAt, null);
  }
  const merged = await patch('f', { ttl: '1h' }, { 'content-type': 'application/merge-patch+json' });
  assert.equal(merged.status, 200);
});

test('the frame ends when it says', async () => {
  await put('brief');
  const expiresAt = new Date(Date.now() + 300).toISOString();
  assert.equal((await patch('brief', { expiresAt })).expiresAt, expiresAt);
  await framehold.until('its end', async () => ((await manifest('brief')).status === 410 ? true : null));
  assert.equal((await patch('brief', { ttl: '1h' })).code, 'frame_gone');
});

test('what is not an expiry changes nothing', async () => {
  await put('g');
  const bodies = [
    {},
    [],
    'null',
    '{"ttl": ',
    { ttl: '1h', expiresAt: null },
    { ttl: '1h', more: 1 },
    { ttl: true },
    { ttl: 1.5 },
    { ttl: 0 },
    { ttl: '1 week' },
    { ttl: '36501d' },
    { expiresAt: 1_900_000_000_000 },
    { expiresAt: '2031-01-31' },
    { expiresAt: '2031-01-31T12:00:00' },
    { expiresAt: '2031-02-30T12:00:00Z' },
    { expiresAt: '2031-01-31T25:00:00Z' },
    { expiresAt: '2020-01-31T12:00:00Z' },
    { name: 'h' },
  ];
  for (const body of bodies) {
    const { status, code } = await patch('g', body);
    assert.deepEqual([status, code], [400, 'bad_request'], JSON.stringify(body));
  }
  assert.equal((await patch('g', { ttl: '1h' }, { 'content-type': 'text/plain' })).status, 415);
  assert.equal((await patch('g', `{"ttl": "${' '.repeat(5_000)}"}`)).status, 413);
  assert.equal((await patch('g@1', { ttl: '1h' })).code, 'bad_handle');
  assert.equal((await patch('unknown', { ttl: '1h' })).code, 'frame_not_found');
  assert.equal(((await (await manifest('g')).json()) as Manifest).expiresAt, null);
});

test('If-Match guards the version, and a tag from before an expiry is still good for it', async () => {
  const first = await put('guarded');
  const set = await patch('guarded', { ttl: '1h' }, { 'if-match': first });
  assert.equal(set.status, 200);
  assert.notEqual(set.etag, first, 'what the manifest says has changed');
  assert.equal((await patch('guarded', { ttl: '2h' }, { 'if-match': first })).status, 200);
  assert.equal((await patch('guarded', { ttl: '2h' }, { 'if-match': set.etag })).status, 200);
  assert.equal((await patch('guarded', { ttl: null }, { 'if-match': `"other.1", ${set.etag}` })).status, 200);
  await put('guarded');
  for (const tag of [first, set.etag, '"x.2"', `W/${first}`])
    assert.equal((await patch('guarded', { ttl: '1h' }, { 'if-match': tag })).code, 'version_mismatch', tag);
  assert.equal((await patch('guarded', { ttl: '1h' }, { 'if-match': '*' })).status, 200);
});

test('a client that has the manifest is told when the expiry has changed', async () => {
  await put('cached');
  const { etag } = await patch('cached', { ttl: '1h' });
  assert.equal((await manifest('cached', { 'if-none-match': etag })).status, 304);
  const changed = await patch('cached', { ttl: '2h' });
  assert.equal((await manifest('cached', { 'if-none-match': etag })).status, 200);
  assert.equal((await manifest('cached', { 'if-none-match': changed.etag })).status, 304);
});

test('PATCH is offered where it is', async () => {
  const answer = await fetch(`${framehold.url}/v1/frames/g`, { method: 'OPTIONS' });
  assert.equal(answer.headers.get('allow'), 'GET, HEAD, PUT, DELETE, PATCH');
});
