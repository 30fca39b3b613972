import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openCaller } from '../../src/model/caller.ts';
import { FrameholdError } from '../../src/model/errors.ts';
import type { Authenticator } from '../../src/ports/authenticator.ts';
import { eventually } from '../support/patience.ts';
import { Harness } from './harness.ts';
import { frame, int32, packet, query, startup } from './raw-client.ts';

/** A token for each of two tenants: its name. */
const twoTokens: Authenticator = {
  isOpen: false,
  authenticate: ({ authorization }) => ({
    ...openCaller,
    tenant: authorization?.slice('Bearer '.length) ?? '',
    name: 'reader',
  }),
  linked: () => Promise.resolve(null),
};

const sslRequest = packet(80_877_103);
const gssRequest = packet(80_877_104);

/** One token, of the tenant ada. */
const oneToken: Authenticator = {
  isOpen: false,
  authenticate: ({ authorization }) => {
    if (authorization !== 'Bearer secret')
      throw new FrameholdError('unauthenticated', 'Not one of this server.');
    return { ...openCaller, tenant: 'ada', name: 'reader' };
  },
  linked: () => Promise.resolve(null),
};

/** What the audit log has of callers that did not get in. */
function refusals({ observations }: Harness): readonly string[] {
  return observations.flatMap((each) =>
    each.event === 'audit' ? [`${each.action} ${each.tenant} ${each.reason}`] : [],
  );
}

test('encryption that is not there is refused with one byte, and the connection goes on', async () => {
  await using harness = await Harness.start();
  const client = harness.connect();
  client.send(gssRequest);
  assert.equal(await client.byte(), 'N');
  client.send(sslRequest);
  assert.equal(await client.byte(), 'N');
  client.send(startup());
  assert.match(await client.answers(), /^R (S )+K ZI$/);
});

test('bytes behind a request for encryption are refused', async () => {
  await using harness = await Harness.start();
  const client = harness.connect();
  client.send(sslRequest, startup());
  assert.equal(await client.answers(), 'E:08P01 end');
});

test('the same request for encryption twice, an older version and a broken packet are refused', async () => {
  await using harness = await Harness.start();
  for (const parts of [
    [packet(2 << 16)],
    [packet(4 << 16)],
    [packet(196_608, Buffer.from('user'))],
    [int32(100_000)],
    [int32(3)],
    [startup(undefined, { database: 'x' })],
    [startup(undefined, { user: 'x', replication: 'database' })],
    [startup(undefined, { user: 'x', client_encoding: 'LATIN1' })],
  ]) {
    const client = harness.connect();
    client.send(...parts);
    assert.match(await client.answers(), /^E:\w{5} end$/);
  }
});

test('newer versions and options of the protocol are negotiated', async () => {
  await using harness = await Harness.start();
  for (const [version, parameters, answer] of [
    [196_608, { user: 'x', '_pq_.foo': '1' }, 196_608],
    [(3 << 16) | 9999, { user: 'x' }, 196_610],
  ] as const) {
    const client = harness.connect();
    client.send(startup(version, parameters));
    const first = await client.next();
    assert.equal(first?.letter, 'v');
    assert.equal(first.body.readInt32BE(0), answer);
    assert.match(await client.answers(), /^R (S )+K ZI$/);
  }
});

test('a key has 4 bytes in 3.0 and 32 in 3.2', async () => {
  await using harness = await Harness.start();
  for (const [version, bytes] of [
    [196_608, 4],
    [196_610, 32],
  ] as const) {
    const client = harness.connect();
    client.send(startup(version));
    for (let message = await client.next(); ; message = await client.next()) {
      assert.notEqual(message, null);
      if (message?.letter !== 'K') continue;
      assert.equal(message.body.length, 4 + bytes);
      break;
    }
  }
});

test('the password is a token, whose tenant no other user name may contradict', async () => {
  await using harness = await Harness.start({ authenticator: oneToken, tenants: ['ada', 'bob'] });
  for (const [user, password, answer] of [
    ['ada', 'secret', /^R R (S )+K ZI$/],
    ['framehold', 'secret', /^R R (S )+K ZI$/],
    ['bob', 'secret', /^R E:28000 end$/],
    ['ada', 'guess', /^R E:28P01 end$/],
  ] as const) {
    const client = harness.connect();
    client.send(startup(undefined, { user }), frame('p', password));
    assert.match(await client.answers(), answer);
  }
  // What is not known is logged by the authenticator.
  assert.deepEqual(refusals(harness), ['enter ada unauthenticated']);
});

test('without TLS no password is asked for, unless the operator allows it', async () => {
  await using harness = await Harness.start({ authenticator: oneToken, allowPlaintext: false });
  const client = harness.connect();
  client.send(startup());
  assert.equal(await client.answers(), 'E:28000 end');
  assert.deepEqual(refusals(harness), ['enter null unauthenticated']);
});

test('a slow log-in, an idle connection and an idle transaction end', async () => {
  await using slow = await Harness.start({ times: { loginMs: 100 } });
  assert.equal(await slow.connect().answers(), 'end');
  await using idle = await Harness.start({ times: { idleMs: 100 } });
  assert.equal(await (await idle.client()).answers(), 'E:57P05 end');
  await using open = await Harness.start({ times: { idleTransactionMs: 100 } });
  const client = await open.client();
  client.send(query('begin'));
  assert.equal(await client.answers(2), 'C:BEGIN ZT E:25P03 end');
});

test('one tenant has its own limit of connections', async () => {
  await using harness = await Harness.start({ limits: { tenantConnectionsMax: 1 } });
  const first = await harness.client();
  const second = harness.connect();
  second.send(startup());
  assert.equal(await second.answers(), 'E:53300 end');
  const [refusal] = harness.observations.filter(({ event }) => event === 'connection-refused');
  const limit = { setting: 'postgres.tenant_connections_max', limit: 1 };
  assert.deepEqual(refusal, { event: 'connection-refused', listener: 'postgres', ...limit });
  assert.deepEqual(refusals(harness), ['enter default rate_limited']);
  first.send(frame('X'));
  assert.equal(await first.answers(), 'end');
  await eventually('both are gone', () => harness.listener.openConnections === 0);
});

test('connections are counted from their first byte on, and a log-in that fails is a failed request', async () => {
  await using harness = await Harness.start({ authenticator: oneToken });
  const client = harness.connect();
  await client.opened();
  await eventually('it is counted', () => harness.listener.openConnections === 1);
  client.send(startup(), frame('p', 'guess'));
  assert.equal(await client.answers(), 'R E:28P01 end');
  const failed = harness.observations.filter(({ event }) => event === 'request-failed');
  assert.deepEqual(
    failed.map((each) => 'kind' in each && each.kind),
    ['unauthenticated'],
  );
});

test('a cancel request with the right key stops the statement, and a wrong one does not', async () => {
  await using harness = await Harness.start();
  const client = harness.connect();
  client.send(startup());
  let key: Buffer = Buffer.alloc(0);
  for (let message = await client.next(); message?.letter !== 'Z'; message = await client.next())
    if (message?.letter === 'K') key = message.body;
  client.send(query('select 1'));
  const wrong = Buffer.from(key);
  wrong.writeInt8(wrong.readInt8(7) ^ 1, 7);
  for (const body of [wrong, key]) {
    const other = harness.connect();
    other.send(packet(80_877_102, body));
    assert.equal(await other.answers(), 'end');
  }
  assert.equal(await client.answers(), 'E:57014 ZI');
  const late = harness.connect();
  late.send(packet(80_877_102, key));
  assert.equal(await late.answers(), 'end');
  client.send(query('show timezone'));
  assert.equal(await client.answers(), 'T D:UTC C:SHOW ZI');
});

test('after ten wrong keys an address is not listened to for a while', async () => {
  await using harness = await Harness.start();
  const client = harness.connect();
  client.send(startup());
  let key: Buffer = Buffer.alloc(0);
  for (let message = await client.next(); message?.letter !== 'Z'; message = await client.next())
    if (message?.letter === 'K') key = message.body;
  for (let tries = 0; tries < 10; tries++) {
    const other = harness.connect();
    other.send(packet(80_877_102, Buffer.concat([key.subarray(0, 4), int32(tries)])));
    await other.answers();
  }
  client.send(query('set statement_timeout = 300'));
  await client.answers();
  client.send(query('select 1'));
  const right = harness.connect();
  right.send(packet(80_877_102, key));
  await right.answers();
  // Its own time limit ended it, as the message says.
  const error = await client.next();
  assert.match(error?.body.toString() ?? '', /statement_timeout/);
});

test('a stopping listener ends idle connections at once, and waits for statements', async () => {
  await using harness = await Harness.start();
  const idle = await harness.client();
  const busy = await harness.client();
  busy.send(query('select 1'));
  const closed = harness.listener.close(300);
  assert.equal(await idle.answers(), 'E:57P01 end');
  assert.equal(await busy.answers(), 'E:57P01 end');
  await closed;
});

test('sessions of another tenant are neither stopped nor known to exist', async () => {
  await using harness = await Harness.start({ authenticator: twoTokens });
  const logIn = async (tenant: string) => {
    const client = harness.connect();
    client.send(startup(undefined, { user: 'any' }), frame('p', tenant));
    let id = 0;
    for (let message = await client.next(); message?.letter !== 'Z'; message = await client.next())
      if (message?.letter === 'K') id = message.body.readInt32BE(0);
    return { client, id };
  };
  const ada = await logIn('ada');
  const bob = await logIn('bob');
  for (const name of ['pg_cancel_backend', 'pg_terminate_backend']) {
    bob.client.send(query(`select ${name}(${ada.id})`));
    assert.equal(await bob.client.answers(), 'T D:f C:SELECT 1 ZI', name);
  }
  ada.client.send(query('show timezone'));
  assert.equal(await ada.client.answers(), 'T D:UTC C:SHOW ZI');
});

test('connections are limited in all, and those that have not logged in make room', async () => {
  await using few = await Harness.start({ connections: { maxConnections: 1 } });
  const first = await few.client();
  assert.equal(await few.connect().answers(), 'end');
  first.send(query('show timezone'));
  assert.equal(await first.answers(), 'T D:UTC C:SHOW ZI');
  await using full = await Harness.start({ authenticator: oneToken, connections: { maxConnections: 1 } });
  const silent = full.connect();
  await silent.opened();
  const known = full.connect();
  known.send(startup(undefined, { user: 'ada' }), frame('p', 'secret'));
  assert.match(await known.answers(), /ZI$/);
  assert.equal(await silent.answers(), 'end');
  await using guarded = await Harness.start({
    authenticator: oneToken,
    connections: { unauthenticatedMax: 1 },
  });
  const [oldest, newest] = [guarded.connect(), guarded.connect()];
  await Promise.all([oldest.opened(), newest.opened()]);
  assert.equal(await oldest.answers(), 'end');
  newest.send(startup(undefined, { user: 'ada' }), frame('p', 'secret'));
  assert.match(await newest.answers(), /ZI$/);
});

test('a change is refused with 25006, and the refusal is in the audit log', async () => {
  await using harness = await Harness.start();
  const client = await harness.client();
  client.send(query('insert into t values (1)'));
  assert.equal(await client.answers(), 'E:25006 ZI');
  const audited = harness.observations.filter(({ event }) => event === 'audit');
  assert.deepEqual(
    audited.map((line) => (line as { readonly action?: string }).action),
    ['sql.insert'],
  );
});

test('pg_terminate_backend ends a session of the same tenant only, however tools write it', async () => {
  await using harness = await Harness.start();
  const other = await harness.client();
  for (const words of [
    '($id)',
    "(pid) FROM pg_stat_activity WHERE pid='$id'",
    '(pid) from pg_catalog.pg_stat_activity where pid = $id',
  ]) {
    const client = harness.connect();
    client.send(startup());
    let id = 0;
    for (let message = await client.next(); message?.letter !== 'Z'; message = await client.next())
      if (message?.letter === 'K') id = message.body.readInt32BE(0);
    other.send(query(`select pg_terminate_backend${words.replace('$id', String(id))}`));
    assert.equal(await other.answers(), 'T D:t C:SELECT 1 ZI', words);
    assert.equal(await client.answers(), 'E:57P01 end', words);
  }
  other.send(query('select pg_cancel_backend(1)'));
  assert.equal(await other.answers(), 'T D:t C:SELECT 1 ZI');
});
