/** Saved queries, the caller's history and the words of SQL, through the client. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Framehold as Client } from '../../client/src/index.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { eventually } from '../../server/test/support/patience.ts';

let framehold: Framehold;
let client: Client;

before(async () => {
  framehold = await Framehold.start();
  client = new Client({ url: framehold.url });
});
after(() => framehold.remove());

test('a query is saved under any name, replaced and removed', async () => {
  const name = 'Preise über 5 € / Tag?';
  assert.equal((await client.saved.save(name, 'select 1')).sql, 'select 1');
  await client.saved.save(name, 'select 2');
  assert.deepEqual(
    (await client.saved.list()).map((query) => [query.name, query.sql]),
    [[name, 'select 2']],
  );
  await client.saved.remove(name);
  assert.deepEqual(await client.saved.list(), []);
  await assert.rejects(client.saved.remove(name), { code: 'query_not_found', status: 404 });
});

test('statements that were run are listed, searched and forgotten', async () => {
  await (await client.sql('select 42 as answer', { id: 'good' })).table();
  await assert.rejects(client.sql('select wrong', { id: 'bad' }));
  // They are written in the background.
  await eventually('both are in the history', async () => (await client.history.list()).history.length === 2);
  const { history, next } = await client.history.list({ limit: 1 });
  assert.ok(next !== null);
  assert.deepEqual(
    [history[0]?.queryId, history[0]?.state, history[0]?.error?.code],
    ['bad', 'failed', 'sql_invalid'],
  );
  const [older] = (await client.history.list({ cursor: next })).history;
  assert.deepEqual([older?.queryId, older?.state, older?.rows, older?.error], ['good', 'done', 1, null]);
  const found = await client.history.list({ search: 'ANSWER' });
  assert.deepEqual(
    found.history.map(({ sql }) => sql),
    ['select 42 as answer'],
  );
  await client.history.clear();
  assert.deepEqual((await client.history.list()).history, []);
});

test('functions and keywords are listed', async () => {
  const functions = await client.functions();
  assert.equal(functions.find(({ name }) => name === 'sum')?.kind, 'aggregate');
  assert.ok(functions.every(({ parameters }) => Array.isArray(parameters)));
  assert.ok((await client.keywords()).includes('SELECT'));
});
