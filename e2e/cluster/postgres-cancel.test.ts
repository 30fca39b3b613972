/** Sessions over PostgreSQL's protocol on three nodes: what one of them runs is stopped through another, with its key or by its tenant only. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { frame, int32, packet, query, RawClient, startup } from '../../server/test/pgwire/raw-client.ts';
import { Cluster } from '../../server/test/support/cluster/cluster.ts';

const slow = 'select sum(a.range * b.range) from range(1000000) a, range(1000000) b';

let cluster: Cluster;
let ada: string;
let bob: string;
const clients: RawClient[] = [];

before(async () => {
  cluster = await Cluster.start({
    settings: { 'postgres-bind-address': '127.0.0.1:0', 'postgres-allow-plaintext': 'true' },
  });
  [ada, bob] = await Promise.all([cluster.newToken('ada', 'read'), cluster.newToken('bob', 'read')]);
});

after(async () => {
  for (const client of clients) client[Symbol.dispose]();
  await cluster?.remove();
});

function connect(node: number): RawClient {
  const client = new RawClient(Number(cluster.node(node).framehold.postgresUrl.port));
  clients.push(client);
  return client;
}

/** Logged in on a node, with what a cancel request needs: the number and the key. */
async function logIn(node: number, token: string): Promise<{ client: RawClient; key: Buffer }> {
  const client = connect(node);
  client.send(startup(), frame('p', token));
  let key = Buffer.alloc(0);
  for (let message = await client.next(); message?.letter !== 'Z'; message = await client.next()) {
    assert.ok(message !== null && message.letter !== 'E', message?.body.toString());
    if (message.letter === 'K') key = Buffer.from(message.body);
  }
  return { client, key };
}

/** Until so many are among the running queries, which is when other nodes can find it. */
async function runs(token: string, count = 1): Promise<void> {
  await cluster.node(0).framehold.until(`${count} statements that run`, async () => {
    const answer = await fetch(`${cluster.node(1).url}/v1/queries`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const { queries } = (await answer.json()) as { readonly queries: readonly unknown[] };
    return queries.length === count ? true : null;
  });
}

async function ask(client: RawClient, text: string): Promise<string> {
  client.send(query(text));
  return await client.answers();
}

test('a cancel request works through a node that has not got the session, and only with its key', async () => {
  const { client, key } = await logIn(0, ada);
  client.send(query(slow));
  await runs(ada);
  const wrong = Buffer.concat([key.subarray(0, 4), int32(key.readInt32BE(4) ^ 1)]);
  for (const body of [wrong, key]) {
    const other = connect(1);
    other.send(packet(80_877_102, body));
    assert.equal(await other.answers(), 'end');
    if (body === wrong)
      assert.equal(await ask((await logIn(2, ada)).client, 'show timezone'), 'T D:UTC C:SHOW ZI');
  }
  assert.equal(await client.answers(), 'T E:57014 ZI');
  assert.equal(await ask(client, 'show timezone'), 'T D:UTC C:SHOW ZI');
});

test('pg_cancel_backend reaches sessions of other nodes, but of the same tenant only', async () => {
  const { client, key } = await logIn(0, ada);
  const id = key.readInt32BE(0);
  client.send(query(slow));
  await runs(ada);
  for (const node of [0, 2]) {
    const { client: foreign } = await logIn(node, bob);
    assert.equal(await ask(foreign, `select pg_cancel_backend(${id})`), 'T D:f C:SELECT 1 ZI');
  }
  const { client: own } = await logIn(2, ada);
  assert.equal(await ask(own, `select pg_cancel_backend(${id})`), 'T D:t C:SELECT 1 ZI');
  assert.equal(await client.answers(), 'T E:57014 ZI');
  // Of another node the statement ends, not the session, and that is said.
  await runs(ada, 0);
  client.send(query(slow));
  await runs(ada);
  assert.equal(await ask(own, `select pg_terminate_backend(${id})`), 'N:01000 T D:t C:SELECT 1 ZI');
  assert.equal(await client.answers(), 'T E:57014 ZI');
  assert.equal(await ask(client, 'show timezone'), 'T D:UTC C:SHOW ZI');
});

test('a token that was revoked ends its sessions on every node', async () => {
  const leaver = await cluster.newToken('ada', 'read');
  const sessions = await Promise.all([0, 1, 2].map((node) => logIn(node, leaver)));
  for (const { client } of sessions) assert.equal(await ask(client, 'show timezone'), 'T D:UTC C:SHOW ZI');
  await cluster.command('token', 'revoke', leaver);
  for (const [node, { client }] of sessions.entries()) {
    await cluster.node(node).framehold.until(`the end of the session on node ${node}`, async () => {
      const told = await ask(client, 'select 1');
      return told.startsWith('E:28000') ? true : null;
    });
    const again = connect(node);
    again.send(startup(), frame('p', leaver));
    assert.equal(await again.answers(), 'R E:28P01 end', `node ${node}`);
  }
  assert.equal(await ask((await logIn(0, ada)).client, 'show timezone'), 'T D:UTC C:SHOW ZI');
});
