/** What is known about frames, tenants and the server, through the client. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Framehold as Client } from '../../client/src/index.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { frameholdToken, newToken } from '../../server/test/support/framehold-tokens.ts';

let framehold: Framehold;
let client: Client;
let operator: Client;

before(async () => {
  framehold = await Framehold.start();
  const { url, dataDirectory } = framehold;
  client = new Client({ url, token: newToken(dataDirectory, 'acme', 'write') });
  const { token } = frameholdToken(dataDirectory, 'create', '--scope', 'operator', '--ttl', '1h');
  operator = new Client({ url, token: String(token) });
  await client.frames.put('numbers', 'n,s\n1,a\n9007199254740993,a\n,b\n', { format: 'csv' });
  await client.frames.append('numbers', 'n,s\n5,c\n', { format: 'csv' });
});
after(() => framehold.remove());

test('the expiry of a name is set and cleared', async () => {
  const { expiresAt } = await client.frames.setExpiry('numbers', { ttl: '12h' });
  const hours = (Date.parse(expiresAt ?? '') - Date.now()) / 3_600_000;
  assert.ok(hours > 11.9 && hours <= 12, expiresAt ?? 'none');
  const at = '2099-01-02T03:04:05.000Z';
  assert.equal((await client.frames.setExpiry('numbers', { expiresAt: at })).expiresAt, at);
  assert.equal((await client.frames.setExpiry('numbers', { ttl: null })).expiresAt, null);
});

test('how many versions are kept is set and cleared, and what pins a version is listed', async () => {
  assert.equal((await client.frames.keepVersions('numbers', 100)).versionsKeep, 100);
  assert.equal((await client.frames.get('numbers')).versionsKeep, 100);
  assert.equal((await client.frames.keepVersions('numbers', null)).versionsKeep, undefined);
  const { id, expiresAt } = await client.frames.link('numbers@1', { ttl: '1h' });
  const { versions } = await client.frames.versions('numbers');
  assert.deepEqual(
    versions.map(({ version, pins }) => [version, pins]),
    [
      [2, undefined],
      [1, [{ by: 'link', count: 1, until: expiresAt }]],
    ],
  );
  await client.frames.unlink('numbers', id);
});

test('statistics have exact texts', async () => {
  const { handle, rows, columns } = await client.frames.statistics('numbers@1');
  assert.deepEqual([handle, rows], ['numbers@1', 3]);
  const [n, s] = columns;
  assert.deepEqual([n?.name, n?.nulls, n?.min, n?.max], ['n', 1, '1', '9007199254740993']);
  assert.ok(s?.histogram?.kind === 'values');
  assert.deepEqual(s.histogram.values[0], { value: 'a', count: 2 });
  const chosen = await client.frames.statistics('numbers@1', { columns: ['s'] });
  assert.deepEqual(
    chosen.columns.map(({ name }) => name),
    ['s'],
  );
});

test('two versions are compared', async () => {
  const { schema, rows } = await client.frames.diff('numbers', 1, 2);
  assert.deepEqual([schema.added, schema.removed, schema.changed], [[], [], []]);
  assert.deepEqual(rows, { kind: 'appended', count: 1, offset: 3 });
});

test('links are listed and revoked one by one', async () => {
  const first = await client.frames.link('numbers@1', { ttl: '5m' });
  const second = await client.frames.link('numbers@2');
  assert.ok(second.url.startsWith(`${framehold.url}/v1/frames/numbers@2/rows?link=`), second.url);
  assert.deepEqual((await client.frames.links('numbers')).map(({ handle }) => handle).sort(), [
    'numbers@1',
    'numbers@2',
  ]);
  await client.frames.unlink('numbers', first.id);
  assert.deepEqual(
    (await client.frames.links('numbers')).map(({ id }) => id),
    [second.id],
  );
  const anyone = new Client({ url: framehold.url });
  await assert.rejects(anyone.rows('numbers@1', { link: first.link }), { code: 'link_revoked', status: 410 });
  assert.equal((await (await anyone.rows('numbers@2', { link: second.link })).table()).numRows, 4);
});

test('the server says what it is, and who is calling', async () => {
  const status = await client.status();
  assert.deepEqual([status.ready, status.open, status.caller.tenant], [true, false, 'acme']);
  assert.equal(status.storage?.frames, 1);
  assert.ok(!('closeCommand' in status));
  assert.equal((await operator.status()).storage, undefined);
});

test('an operator sees tenants and sets their limits', async () => {
  const { tenants } = await operator.tenants.list();
  assert.ok(tenants.some(({ tenant, frames }) => tenant === 'acme' && frames === 1));
  assert.equal(
    (await operator.tenants.setLimits('acme', { bytesMax: '10GB', queriesMax: 4 })).limits.queriesMax,
    4,
  );
  assert.equal((await operator.tenants.get('acme')).limitsSet.queriesMax, 4);
  assert.equal((await client.tenant()).limits.queriesMax, 4);
  await assert.rejects(client.tenants.list(), { code: 'access_denied', status: 403 });
});
