import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { RegisteredNodes } from '../../src/cluster/registered-nodes.ts';
import { SharedQueries } from '../../src/cluster/shared-queries.ts';
import { openCaller } from '../../src/model/caller.ts';
import { FrameholdError } from '../../src/model/errors.ts';
import { knownMigrations, newestOf } from '../../src/postgres/migrations.ts';
import { connectTo, newCatalogDatabase } from '../postgres/open-database.ts';
import { eventually } from '../support/patience.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { stoppedClock } from '../support/stopped-clock.ts';
import { runningQueriesConformance } from './running-queries-conformance.ts';

const known = newestOf(knownMigrations());
let postgres: PostgresServer;
before(async () => {
  postgres = await PostgresServer.start();
});
after(() => postgres.stop());

async function cluster() {
  const url = await newCatalogDatabase(postgres);
  const made = new AsyncDisposableStack();
  const open = async (id: string, now = () => Date.now()) => {
    const database = made.adopt(connectTo(url), (each) => each.close());
    const self = { id, advertisedUrl: null, httpUrl: null, release: '1.0.0', migration: known };
    const nodes = made.adopt(await RegisteredNodes.open(database, self, now), (each) => each.close());
    // Each would know of the others from its next heartbeat on.
    const live = () => [nodes.self, { id: 'another', advertisedUrl: null }];
    return made.adopt(
      await SharedQueries.open({ database, nodes: { self: nodes.self, live }, now }),
      (each) => each.close(),
    );
  };
  return { url, open, [Symbol.asyncDispose]: () => made.disposeAsync() };
}

runningQueriesConformance('shared by three nodes', async () => {
  const at = await cluster();
  const [one, two, three] = [await at.open('one'), await at.open('two'), await at.open('three')];
  return { views: [one, two, three], [Symbol.asyncDispose]: () => at[Symbol.asyncDispose]() };
});

const chosen = (text: string) => ({ text, isOptional: false });
const rowsIn = (url: string) => postgres.query('SELECT id FROM running_queries ORDER BY id', url);

test('short statements are never written, and those that are written go when they end', async (context) => {
  const clock = stoppedClock(context);
  await using at = await cluster();
  const one = await at.open('one');
  await postgres.query(
    `CREATE TABLE written (id text);
     CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN INSERT INTO written VALUES (NEW.id); RETURN NULL; END $$;
     CREATE TRIGGER noted AFTER INSERT ON running_queries FOR EACH ROW EXECUTE FUNCTION note()`,
    at.url,
  );
  for (let n = 0; n < 200; n++) {
    const query = one.begin(openCaller, 'select 1', null);
    // Less than the age at which they are written.
    clock.pass(25);
    await turn();
    one.end(query, 'ok');
  }
  const long = Array.from({ length: 30 }, (_, n) => one.begin(openCaller, 'select 1', chosen(`long-${n}`)));
  await eventually('the long ones are written', async () => {
    clock.pass(100);
    return (await rowsIn(at.url)).length === 30;
  });
  for (const query of long) one.end(query, 'ok');
  await eventually('they are removed', async () => {
    clock.pass(100);
    return (await rowsIn(at.url)).length === 0;
  });
  const written = await postgres.query('SELECT count(*)::int AS count FROM written', at.url);
  assert.deepEqual(written, [{ count: 30 }]);
});

test('statements of a node that was killed are not listed, and its next run begins without them', async () => {
  await using at = await cluster();
  let ahead = 0;
  const one = await at.open('one', () => Date.now() + ahead);
  await postgres.query(
    `INSERT INTO nodes VALUES ('lost', 'r', NULL, NULL, '1', 2, 0, ${Date.now()});
     INSERT INTO running_queries VALUES ('lost', 'default', 'x', 'select 1', 'running', 0, NULL, 1)`,
    at.url,
  );
  assert.deepEqual((await one.list(openCaller)).length, 1);
  ahead = 10_001;
  assert.deepEqual(await one.list(openCaller), []);
  ahead = 0;
  await at.open('lost');
  assert.deepEqual(await rowsIn(at.url), []);
});

test('after a crash of the database, which empties the table, statements are written again and can be cancelled', async () => {
  await using at = await cluster();
  const [one, two] = [await at.open('one'), await at.open('two')];
  const query = one.begin(openCaller, 'select 1', chosen('x'));
  await eventually('it is seen', async () => (await two.list(openCaller)).length === 1);
  await postgres.down('SIGQUIT');
  await assert.rejects(
    two.list(openCaller),
    (error) => error instanceof FrameholdError && error.kind === 'unavailable',
  );
  await postgres.up();
  await eventually('it is seen again', async () => (await two.list(openCaller)).length === 1);
  await two.cancel(openCaller, 'x', undefined);
  await eventually('it is stopped', () => query.cancelled.aborted);
});

test('what a tenant does wrong in a loop is kept as by one node alone', async () => {
  await using at = await cluster();
  const one = await at.open('one');
  const fail = (tenant: string, id: string) =>
    one.end(
      one.begin({ ...openCaller, tenant }, 'select', chosen(id)),
      new FrameholdError('sql_invalid', 'No.'),
    );
  fail('other', 'theirs');
  for (let n = 0; n < 700; n++) fail('loop', `n${n}`);
  const counts = () =>
    postgres.query(
      'SELECT tenant, count(*)::int AS count FROM failed_queries GROUP BY tenant ORDER BY tenant',
      at.url,
    );
  await eventually('all are written', async () => {
    const rows = await postgres.query("SELECT 1 FROM failed_queries WHERE id = 'n699'", at.url);
    return rows.length === 1;
  });
  assert.deepEqual(await counts(), [
    { tenant: 'loop', count: 100 },
    { tenant: 'other', count: 1 },
  ]);
});
