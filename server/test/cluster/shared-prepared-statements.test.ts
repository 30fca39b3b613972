import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SharedPreparedStatements } from '../../src/cluster/shared-prepared-statements.ts';
import { connectTo, newCatalogDatabase } from '../postgres/open-database.ts';
import { eventually } from '../support/patience.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { preparedStatementsConformance } from './prepared-statements-conformance.ts';

let postgres: PostgresServer;
before(async () => {
  postgres = await PostgresServer.start();
});
after(() => postgres.stop());

preparedStatementsConformance('shared by three nodes', async (limits, now) => {
  const url = await newCatalogDatabase(postgres);
  const made = new AsyncDisposableStack();
  const view = () => {
    const database = made.adopt(connectTo(url), (open) => open.close());
    return new SharedPreparedStatements(database, limits, now);
  };
  return { views: [view(), view(), view()], [Symbol.asyncDispose]: () => made.disposeAsync() };
});

const description = { isQuery: true, schemaMessage: null, parameterSchemaMessage: new Uint8Array(0) };

test('a statement survives a restart and a crash of the database', async () => {
  await using made = new AsyncDisposableStack();
  const url = await newCatalogDatabase(postgres);
  const database = made.adopt(connectTo(url), (open) => open.close());
  const held = new SharedPreparedStatements(database, { countMax: 10 }, Date.now);
  const { handle } = await held.add('a', 'select 1', description);
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    // Not waited for when it was prepared: the database writes it within a second.
    const [log] = await postgres.query('SELECT pg_current_wal_insert_lsn() AS at', url);
    const isWritten = `SELECT pg_current_wal_flush_lsn() >= '${log?.at}' AS flushed`;
    await eventually(
      'it is on disk',
      async () => (await postgres.query(isWritten, url))[0]?.flushed === true,
    );
    await postgres.down(signal);
    await assert.rejects(held.get('a', handle), { kind: 'unavailable' });
    await postgres.up();
    assert.equal((await held.get('a', handle)).sql, 'select 1');
  }
});

test('statements far below the limits are not counted each time, and the limits hold all the same', async () => {
  await using made = new AsyncDisposableStack();
  const url = await newCatalogDatabase(postgres);
  const limits = { countMax: 200, bytesMax: 1e6 };
  const views = Array.from({ length: 3 }, () => {
    const database = made.adopt(connectTo(url), (open) => open.close());
    return new SharedPreparedStatements(database, limits, Date.now);
  });
  for (let n = 0; n < 300; n++) await views[n % 3]?.add('a', `select ${n}`, description);
  const [row] = await postgres.query('SELECT count(*)::int AS count FROM prepared_statements', url);
  assert.equal(row?.count, 200);
});
