/** What a caller does on one node counts on all others: credentials, links, statements, prepared statements. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Cluster } from '../../server/test/support/cluster/cluster.ts';
import { writeNumbers } from '../../server/test/support/cluster/numbers.ts';
import { getText, send } from '../../server/test/support/frame-client.ts';
import { timePasses } from '../../server/test/support/passing-time.ts';
import { eventually } from '../../server/test/support/patience.ts';
import { runPython } from '../../server/test/support/python.ts';

let cluster: Cluster;
before(async () => {
  cluster = await Cluster.start();
});
after(() => cluster?.remove());

const long = 'select sum(sin(a.range * b.range)) from range(1000000) a, range(1000000) b';

/** The node itself, which sees the credential that a test gives and no other. */
const bare = (index: number) => cluster.node(index).framehold.url;
const every = [0, 1, 2];

function begin(index: number, id: string): Promise<{ readonly status: number; readonly text: string }> {
  const parameters = new URLSearchParams({ query: long, id });
  return getText(`${cluster.node(index).url}/v1/sql?${parameters}`);
}

interface Listed {
  readonly id: string;
  readonly query: string;
  readonly state: string;
}

async function listed(index: number): Promise<readonly Listed[]> {
  const { status, text } = await getText(`${cluster.node(index).url}/v1/queries`);
  assert.equal(status, 200, text);
  return (JSON.parse(text) as { readonly queries: readonly Listed[] }).queries;
}

const isSame = (all: readonly unknown[]) => new Set(all.map((each) => JSON.stringify(each))).size === 1;

interface Usage {
  readonly bytes: number;
  readonly queries: number;
  readonly node: string;
  readonly stored: { readonly arrow: number; readonly parquet: number; readonly complete: boolean };
}

async function usage(index: number): Promise<Usage> {
  const { status, text } = await getText(`${cluster.node(index).url}/v1/tenant`);
  assert.equal(status, 200, text);
  return JSON.parse(text) as Usage;
}

test('a statement that runs on one node is listed on the others, and cancelled by a third', async () => {
  const asked = begin(0, 'long');
  for (const index of every)
    await eventually(`node ${index} lists it`, async () => {
      const [query] = await listed(index);
      return query?.id === 'long' && query.state === 'running' && query.query === long;
    });
  const counted = await Promise.all(every.map(usage));
  assert.deepEqual(
    counted.map(({ queries }) => queries),
    [1, 1, 1],
  );
  assert.equal(new Set(counted.map(({ node }) => node)).size, 3, 'each says whose requests it counts');
  const began = performance.now();
  const cancelled = await fetch(`${cluster.node(2).url}/v1/queries/long`, { method: 'DELETE' });
  assert.equal(cancelled.status, 204);
  const { status, text } = await asked;
  assert.deepEqual([status, JSON.parse(text).code], [409, 'query_cancelled']);
  assert.ok(performance.now() - began < 10_000);
  for (const index of every) {
    // Written a moment after the caller was answered.
    await eventually(`node ${index} knows how it ended`, async () => {
      const { text: why } = await getText(`${cluster.node(index).url}/v1/queries/long`);
      return JSON.parse(why).state === 'failed';
    });
    await eventually(`node ${index} lists nothing`, async () => (await listed(index)).length === 0);
  }
});

test('every node says the same of what a tenant has stored, Parquet included', async () => {
  await writeNumbers(cluster.node(0).url, 'stored', [1, 2, 3]);
  await eventually('its Parquet copy is counted by all nodes', async () => {
    const seen = (await Promise.all(every.map(usage))).map(({ bytes, stored }) => ({ bytes, stored }));
    return seen.every(({ stored }) => stored.parquet > 0 && stored.complete) && isSame(seen);
  });
});

test('a statement is cancelled through another node right after it was sent', async () => {
  const asked = begin(1, 'young');
  await eventually('another node has cancelled it', async () => {
    const { status } = await fetch(`${cluster.node(0).url}/v1/queries/young`, { method: 'DELETE' });
    return status === 204;
  });
  assert.equal((await asked).status, 409);
});

test('a statement of a node that was killed is soon listed nowhere', async () => {
  const asked = begin(2, 'lost').catch(() => null);
  await eventually('it is listed', async () => (await listed(0)).length === 1);
  await cluster.node(2).kill();
  await asked;
  await eventually('it is not listed', async () => (await listed(0)).length === 0);
  await cluster.node(2).start();
  assert.deepEqual(await listed(2), []);
});

test('why a statement failed on one node is known on the others', async () => {
  const parameters = new URLSearchParams({ query: 'select nothing_like_it', id: 'wrong' });
  const { status } = await getText(`${cluster.node(0).url}/v1/sql?${parameters}`);
  assert.equal(status, 400);
  for (const index of every) {
    let text = '';
    // Nodes write behind a statement how it failed: a busy one is late.
    await eventually(`node ${index} knows the statement`, async () => {
      const answer = await getText(`${cluster.node(index).url}/v1/queries/wrong`);
      text = answer.text;
      return answer.status === 200;
    });
    const { state, error } = JSON.parse(text);
    assert.deepEqual([state, error.code, error.line], ['failed', 'sql_invalid', 1], text);
  }
});

test('prepared statements work although every call reaches another node', async () => {
  const script = join(import.meta.dirname, 'prepared_round_robin.py');
  assert.deepEqual(await runPython([script], { grpc: cluster.grpcUrl, rounds: 20 }), []);
});

test('a token works on every node as soon as it was made, and on none a second after it was revoked', async () => {
  const token = await cluster.newToken('other', 'write');
  const headers = { authorization: `Bearer ${token}` };
  const statuses = () =>
    Promise.all(every.map(async (index) => (await getText(`${bare(index)}/v1/frames`, { headers })).status));
  assert.deepEqual(await statuses(), [200, 200, 200]);
  await cluster.command('token', 'revoke', token);
  await timePasses(1_000, 'the second that is promised');
  assert.deepEqual(await statuses(), [401, 401, 401]);
  const none = await Promise.all(
    every.map(async (index) => (await getText(`${bare(index)}/v1/frames`)).status),
  );
  assert.deepEqual(none, [401, 401, 401], 'nodes that share a catalog are never open');
});

test('a link that one node made opens on the others, until a third revokes it', async () => {
  await writeNumbers(cluster.node(0).url, 'linked', [1, 2, 3]);
  const { json } = await send(cluster.node(0).url, '/v1/frames/linked/links', '{}', {
    method: 'POST',
    type: 'application/json',
    status: 201,
  });
  const read = async (index: number) => {
    const { pathname, search } = new URL(String(json.url));
    return (await getText(`${bare(index)}${pathname}${search}&fmt=csv`)).status;
  };
  assert.deepEqual(await Promise.all(every.map(read)), [200, 200, 200]);
  const revoked = await fetch(`${cluster.node(2).url}/v1/frames/linked/links/${json.id}`, {
    method: 'DELETE',
  });
  assert.equal(revoked.status, 204);
  assert.deepEqual(await Promise.all(every.map(read)), [410, 410, 410]);
});

test('a limit that one node sets for a tenant applies on the others, each with its share', async () => {
  await cluster.command('tenant', 'set', 'small', '--requests-per-second', '1', '--requests-burst', '6');
  const token = await cluster.newToken('small', 'read');
  const headers = { authorization: `Bearer ${token}` };
  for (const index of every)
    await eventually(`node ${index} refuses`, async () => {
      const { status } = await getText(`${bare(index)}/v1/frames`, { headers });
      assert.ok(status === 200 || status === 429, `${status}`);
      return status === 429;
    });
});
