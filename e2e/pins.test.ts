/** What a link names stays as long as the link, within the quota, unless it is dropped; and a frame may keep more versions than others. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Framehold } from '../server/test/support/framehold-process.ts';
import { newToken } from '../server/test/support/framehold-tokens.ts';

const bytesMax = 400_000;
let framehold: Framehold;
let tokens: Record<'a' | 'b', string>;
before(async () => {
  framehold = await Framehold.start({
    flags: [
      '--jobs-sweep-interval-ms',
      '200',
      '--transcode-threads',
      '0',
      '--frames-versions-keep-max',
      '20',
    ],
    env: { FRAMEHOLD_TENANT_BYTES_MAX: String(bytesMax) },
  });
  const make = (tenant: string) => newToken(framehold.dataDirectory, tenant, 'write');
  tokens = { a: make('a'), b: make('b') };
});
after(() => framehold.remove());

type Tenant = keyof typeof tokens;

interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: what a test expects of JSON is what it compares.
  readonly json: any;
}

async function ask(
  method: string,
  path: string,
  { body, type = 'text/csv', as = 'a' as Tenant }: { body?: string; type?: string; as?: Tenant } = {},
): Promise<Answer> {
  const headers = { authorization: `Bearer ${tokens[as]}`, 'content-type': type };
  const answer = await fetch(`${framehold.url}${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body }),
  });
  const text = await answer.text();
  return { status: answer.status, json: text === '' ? null : JSON.parse(text) };
}

const put = (name: string, body = 'n\n1\n', as: Tenant = 'a') =>
  ask('PUT', `/v1/frames/${name}`, { body, as });
const append = (name: string, as: Tenant = 'a') =>
  ask('POST', `/v1/frames/${name}/rows`, { body: 'n\n2\n', as });
const statusOf = async (handle: string, as: Tenant = 'a') =>
  (await ask('GET', `/v1/frames/${handle}`, { as })).status;

async function makeLink(handle: string, ttl = '7d') {
  const { status, json } = await ask('POST', `/v1/frames/${handle}/links?ttl=${ttl}`);
  assert.equal(status, 201, JSON.stringify(json));
  return json as { readonly id: string; readonly url: string; readonly expiresAt: string };
}

/** Resolves when the sweep has ended this version. */
const gone = (handle: string, as: Tenant = 'a') =>
  framehold.until(`the end of ${handle}`, async () => ((await statusOf(handle, as)) === 410 ? true : null));

async function versionsOf(name: string) {
  const { json } = await ask('GET', `/v1/frames/${name}/versions`);
  return json.versions as readonly { readonly version: number; readonly pins?: readonly object[] }[];
}

test('a link of seven days answers after ten appends, until it is revoked', async () => {
  await put('trades');
  const link = await makeLink('trades@1');
  await put('trades', 'n\n1\n', 'b');
  for (let made = 0; made < 11; made++)
    for (const tenant of ['a', 'b'] as const) assert.equal((await append('trades', tenant)).status, 200);
  await gone('trades@2');
  const answer = await fetch(`${link.url}&fmt=csv`);
  assert.deepEqual([answer.status, (await answer.text()).trim()], [200, 'n\r\n1']);
  const versions = await versionsOf('trades');
  assert.deepEqual(
    versions.map(({ version }) => version),
    [12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 1],
  );
  assert.deepEqual(versions.at(-1)?.pins, [{ by: 'link', count: 1, until: link.expiresAt }]);
  assert.ok(versions.slice(0, -1).every(({ pins }) => pins === undefined));
  await gone('trades@1', 'b');

  assert.equal((await ask('DELETE', `/v1/frames/trades/links/${link.id}`)).status, 204);
  await gone('trades@1');
});

test('dropping beats a link, of a version and of the frame', async () => {
  await put('dropped');
  const link = await makeLink('dropped@1');
  await append('dropped');
  const other = await makeLink('dropped@2');
  assert.equal((await ask('DELETE', '/v1/frames/dropped@1')).status, 204);
  assert.equal((await fetch(link.url)).status, 410);
  assert.equal((await fetch(other.url)).status, 200);
  assert.equal((await ask('DELETE', '/v1/frames/dropped?purge=true')).status, 204);
  assert.equal((await fetch(other.url)).status, 410);
});

test('the expiry of the frame beats a link', async () => {
  await put('brief');
  const link = await makeLink('brief@1');
  const expiresAt = new Date(Date.now() + 300).toISOString();
  await ask('PATCH', '/v1/frames/brief', { body: JSON.stringify({ expiresAt }), type: 'application/json' });
  await framehold.until('its end', async () => ((await fetch(link.url)).status === 410 ? true : null));
});

test('pinned bytes are shown, and count in the quota until the links are revoked', async () => {
  const rows = `n\n${Array.from({ length: 15_000 }, (_, row) => row).join('\n')}\n`;
  await keep('large', 1);
  const links = [];
  const { json: first } = await put('large', rows);
  links.push(await makeLink('large'));
  await put('large', rows);
  links.push(await makeLink('large'));
  assert.equal((await put('large')).status, 200);
  await gone('large@1');
  const { pinned, frame } = await framehold.until('two pinned versions', async () => {
    const { storage } = (await ask('GET', '/v1/status')).json;
    const found = storage.pinned.frames.find((each: { name: string }) => each.name === 'large');
    return found?.versions === 2 ? { pinned: storage.pinned, frame: found } : null;
  });
  assert.deepEqual(frame, {
    name: 'large',
    versions: 2,
    bytes: 2 * first.bytes,
    until: links[0]?.expiresAt,
  });
  assert.deepEqual([pinned.versions, pinned.bytes], [2, 2 * first.bytes]);
  assert.deepEqual((await ask('GET', '/v1/status', { as: 'b' })).json.storage.pinned, {
    versions: 0,
    bytes: 0,
    frames: [],
  });
  const own = await ask('GET', '/v1/tenant');
  assert.deepEqual(own.json.pinned, { versions: 2, bytes: 2 * first.bytes });
  assert.equal((await put('more', rows)).status, 201);
  assert.equal((await put('large', rows)).json.code, 'quota_exceeded');
  assert.equal((await put('large', rows, 'b')).status, 201);
  for (const { id } of links) await ask('DELETE', `/v1/frames/large/links/${id}`);
  await gone('large@2');
  await gone('large@3');
  assert.equal((await put('large', rows)).status, 200);
});

async function keep(name: string, versionsKeep: unknown, as: Tenant = 'a'): Promise<Answer> {
  if ((await statusOf(name, as)) === 404) await put(name, 'n\n1\n', as);
  const body = JSON.stringify({ versionsKeep });
  return ask('PATCH', `/v1/frames/${name}`, { body, type: 'application/json', as });
}

test('a frame keeps as many versions as its owner says, within the limit', async () => {
  const set = await keep('own', 12);
  assert.deepEqual([set.status, set.json.versionsKeep], [200, 12]);
  for (let made = 0; made < 13; made++) await append('own');
  await gone('own@2');
  assert.equal((await versionsOf('own')).length, 12);
  assert.equal((await ask('GET', '/v1/frames/own')).json.versionsKeep, 12);
  await keep('own', 2);
  await gone('own@12');
  assert.equal((await versionsOf('own')).length, 2);
  const cleared = await keep('own', null);
  assert.deepEqual([cleared.status, 'versionsKeep' in cleared.json], [200, false]);
  for (const wrong of [0, 21, -1, 1.5, '3', true]) {
    const { status, json } = await keep('own', wrong);
    assert.deepEqual([status, json.code], [400, 'bad_request'], `${wrong}`);
  }
  const both = await ask('PATCH', '/v1/frames/own', {
    body: JSON.stringify({ versionsKeep: 3, ttl: '1d' }),
    type: 'application/json',
  });
  assert.equal(both.status, 400);
  const foreign = await ask('PATCH', '/v1/frames/own', {
    body: JSON.stringify({ versionsKeep: 3 }),
    type: 'application/json',
    as: 'b',
  });
  assert.equal(foreign.status, 404);
});
