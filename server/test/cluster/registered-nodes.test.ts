import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { RegisteredNodes } from '../../src/cluster/registered-nodes.ts';
import { RateLimit } from '../../src/frames/limits/rate-limit.ts';
import { TenantSlots } from '../../src/model/limits/tenant-slots.ts';
import { knownMigrations, newestOf } from '../../src/postgres/migrations.ts';
import { connectTo, newCatalogDatabase } from '../postgres/open-database.ts';
import { faultyPort } from '../support/faulty-port.ts';
import { eventually } from '../support/patience.ts';
import { PostgresServer } from '../support/postgres-server.ts';

const known = newestOf(knownMigrations());

let postgres: PostgresServer;
before(async () => {
  postgres = await PostgresServer.start();
});
after(() => postgres.stop());

/** Nodes of one catalog, each with connections and a clock of its own. */
async function cluster() {
  const url = await newCatalogDatabase(postgres);
  const made = new AsyncDisposableStack();
  const open = async (id: string, now = () => Date.now()) => {
    const database = made.adopt(connectTo(url), (each) => each.close());
    let failures = 0;
    const noted = faultyPort(
      database,
      new Map([
        [
          'change',
          (work) =>
            work().catch((error) => {
              failures += 1;
              throw error;
            }),
        ],
      ]),
    );
    const self = { id, advertisedUrl: `grpc://${id}:1`, httpUrl: null, release: '1.0.0', migration: known };
    const nodes = await RegisteredNodes.open(noted, self, now);
    let isOpen = true;
    const close = async () => {
      if (isOpen) await nodes.close();
      isOpen = false;
    };
    made.defer(close);
    return { nodes, database, close, failures: () => failures };
  };
  return { url, open, [Symbol.asyncDispose]: () => made.disposeAsync() };
}

const idsOf = (nodes: RegisteredNodes) => nodes.live().map(({ id }) => id);

test('nodes see each other from their heartbeats on, and one that leaves is gone at the next', async () => {
  await using of = await cluster();
  const one = await of.open('one');
  assert.deepEqual(idsOf(one.nodes), ['one']);
  const two = await of.open('two');
  assert.deepEqual(two.nodes.live(), [
    { id: 'two', advertisedUrl: 'grpc://two:1' },
    { id: 'one', advertisedUrl: 'grpc://one:1' },
  ]);
  await eventually('the first sees the second', () => idsOf(one.nodes).length === 2);
  await two.close();
  await eventually('the first sees that it is alone', () => idsOf(one.nodes).length === 1);
});

test('a node that is about to stop is still alive, and no node gives its address to clients', async () => {
  await using of = await cluster();
  const [one, two] = [await of.open('one'), await of.open('two')];
  const addressOf = ({ nodes }: typeof one) => nodes.live().find(({ id }) => id === 'two');
  await eventually('the first sees the second', () => addressOf(one) !== undefined);
  two.nodes.withdraw();
  assert.deepEqual(addressOf(two), { id: 'two', advertisedUrl: null });
  await eventually('the first has heard of it', () => addressOf(one)?.advertisedUrl === null);
  await two.close();
  assert.deepEqual(await postgres.query("SELECT id FROM nodes WHERE id = 'two'", of.url), []);
});

test('a node that says nothing for ten seconds is not alive, and all of them are remembered while the database is away', async () => {
  await using of = await cluster();
  let ahead = 0;
  const one = await of.open('one', () => Date.now() + ahead);
  await (await of.open('two')).close();
  await postgres.query(
    `INSERT INTO nodes VALUES ('lost', 'r', NULL, NULL, '1', 2, 0, ${Date.now()})`,
    of.url,
  );
  await eventually('the third is seen', () => idsOf(one.nodes).join() === 'one,lost');
  await postgres.down();
  await eventually('a heartbeat has failed', () => one.failures() > 0);
  assert.deepEqual(idsOf(one.nodes), ['one', 'lost']);
  await postgres.up();
  ahead = 11_000;
  await eventually('the third is lost', () => idsOf(one.nodes).join() === 'one');
});

test('a crash of the database empties the table, and nodes write themselves into it again', async () => {
  await using of = await cluster();
  const one = await of.open('one');
  const two = await of.open('two');
  await postgres.down('SIGQUIT');
  await postgres.up();
  await eventually('both are back', async () => {
    const rows = await postgres.query('SELECT id FROM nodes', of.url);
    return rows.length === 2 && idsOf(one.nodes).length === 2 && idsOf(two.nodes).length === 2;
  });
});

test('two nodes with one id are not ready, and one that was started again is', async () => {
  await using of = await cluster();
  const one = await of.open('same');
  const again = await of.open('same');
  again.nodes.check();
  const isNamesake = ({ nodes }: typeof one) => {
    try {
      nodes.check();
      return false;
    } catch (error) {
      assert.match(String(error), /Another node has the id "same"/);
      return true;
    }
  };
  await eventually('both have noticed', () => isNamesake(one) && isNamesake(again));
  await one.close();
  await eventually('the other is alone again', () => !isNamesake(again));
});

test('a newer server adds to the tables: nodes go on; it takes something away: they refuse everything, once for all', async () => {
  await using of = await cluster();
  const one = await of.open('one');
  const reasons: string[] = [];
  one.nodes.onOutdated = ({ message }) => reasons.push(message);
  const made = (number: number, runsWith: number) =>
    postgres.query(`INSERT INTO migrations VALUES (${number}, 'later', ${runsWith})`, of.url);
  const seenAt = async () => (await postgres.query('SELECT seen_at FROM nodes', of.url))[0]?.seen_at;
  await made(known + 1, known);
  const before = await seenAt();
  await eventually('a heartbeat after the addition', async () => (await seenAt()) !== before);
  await one.database.read((sql) => sql.rows('SELECT 1'));
  assert.deepEqual(reasons, []);

  await made(known + 2, known + 1);
  await eventually('it has noticed', () => reasons.length > 0);
  const refused = { kind: 'unavailable', hint: /starts the newer server in its place/ };
  await assert.rejects(
    one.database.read((sql) => sql.rows('SELECT 1')),
    refused,
  );
  await assert.rejects(
    one.database.change((sql) => sql.run('DELETE FROM names')),
    refused,
  );
  // A node that starts now is refused with the same reason.
  await assert.rejects(of.open('two'), { message: reasons[0] });
  await one.close();
  assert.equal(reasons.length, 1);
});

test('nodes share the rate and the places of a tenant, and each has at least one', () => {
  let nodes = 1;
  const limit = new RateLimit(
    () => ({ requestsPerSecond: 30, requestsBurst: 30 }),
    () => 0,
    () => nodes,
  );
  const accepted = (tenant: string) => {
    let count = 0;
    for (let request = 0; request < 100; request++) {
      try {
        limit.count(tenant);
        count += 1;
      } catch {}
    }
    return count;
  };
  assert.equal(accepted('a'), 30);
  nodes = 3;
  assert.equal(accepted('b'), 10);
  nodes = 100;
  assert.equal(accepted('c'), 1);
  const places = new TenantSlots(
    'queries',
    () => 4,
    () => nodes,
  );
  nodes = 2;
  places.enter('a');
  const leave = places.enter('a');
  assert.throws(() => places.enter('a'), /2 queries open on this one of 2 nodes/);
  leave();
  places.enter('a');
});
