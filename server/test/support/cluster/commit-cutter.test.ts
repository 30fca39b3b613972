import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Database } from '../../../src/postgres/database.ts';
import { PostgresServer } from '../postgres-server.ts';
import { CommitCutter } from './commit-cutter.ts';

let postgres: PostgresServer;
let cutter: CommitCutter;
let database: Database;

before(async () => {
  postgres = await PostgresServer.start();
  cutter = await CommitCutter.before(postgres.url);
  database = new Database({ url: cutter.through(postgres.url), connectionsMax: 2, timeoutMs: 5_000 });
  await postgres.query('CREATE TABLE a (n bigint)');
  await postgres.query('CREATE TABLE b (n bigint)');
});

after(async () => {
  await database?.close();
  await cutter?.stop();
  await postgres?.stop();
});

const add = (table: string, n: number) =>
  database.change(async (sql) => sql.send(`INSERT INTO ${table} VALUES ($1)`, [n]));

test('the reply to the chosen COMMIT is lost: the transaction was made, and the node does not know it', async () => {
  // The statement has a name on its connection by now, so its text is not sent again.
  await add('b', 0);
  cutter.cutNext((texts) => texts.some((text) => text.includes('INTO b')));
  await add('a', 1);
  assert.equal(cutter.cut, 0);
  await assert.rejects(add('b', 2), { kind: 'outcome_unknown' });
  assert.equal(cutter.cut, 1);
  await add('b', 3);
  assert.deepEqual(await postgres.query('SELECT n::int FROM b ORDER BY n'), [{ n: 0 }, { n: 2 }, { n: 3 }]);
});
