import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ConnectClient } from '../src/connect/connect-client.ts';
import { sessionSettings } from '../src/session/session-settings.ts';
import { SpareSession } from '../src/session/spare-session.ts';
import { queryPlan } from '../src/spark-plans.ts';
import { type SparkConnectServer, startSparkConnect } from './support/spark-connect-server.ts';

const settings = new Map(Object.entries(sessionSettings));
const { signal } = new AbortController();
let spark: SparkConnectServer;
let client: ConnectClient;

before(async () => {
  spark = await startSparkConnect();
  client = await ConnectClient.open({ url: spark.url });
});

after(async () => {
  client.close();
  await spark.stop();
});

test('a session that was opened ahead serves one statement, and the next one has another', async () => {
  const sessions = new SpareSession(client);
  sessions.prepare(settings);
  const first = await sessions.take(settings, signal);
  sessions.prepare(settings);
  const second = await sessions.take(settings, signal);
  assert.notEqual(first.id, second.id);
  for (const session of [first, second]) {
    await session.run(queryPlan('SELECT 1'), signal);
    await session.release();
  }
  await sessions.close();
});

test('one that Spark has forgotten meanwhile, or that has lost a setting, is replaced', async () => {
  for (const spoil of ['forgotten', 'changed'] as const) {
    const opened: ReturnType<ConnectClient['session']>[] = [];
    const watched = {
      session: () => {
        const session = client.session();
        opened.push(session);
        return session;
      },
    } as ConnectClient;
    const sessions = new SpareSession(watched);
    sessions.prepare(settings);
    // What was opened ahead is given to a statement of other settings only when it is closed: so it stays the spare.
    const other = new Map([...settings, ['spark.sql.session.timeZone', 'Europe/Vienna']]);
    await (await sessions.take(other, signal)).release();
    const [spare] = opened;
    assert.ok(spare);
    if (spoil === 'forgotten') await spare.release();
    else await spare.setConfig(new Map([['spark.sql.runSQLOnFiles', 'true']]), signal);
    const taken = await sessions.take(settings, signal);
    assert.notEqual(taken.id, spare.id, spoil);
    const found = await taken.getConfig(['spark.sql.runSQLOnFiles'], signal);
    assert.equal(found.get('spark.sql.runSQLOnFiles'), 'false', spoil);
    await taken.release();
    await sessions.close();
  }
});

test('a statement that ends while the session is still being opened does not wait for it', async () => {
  const sessions = new SpareSession(client);
  const ending = new AbortController();
  sessions.prepare(settings);
  const taking = sessions.take(settings, ending.signal);
  ending.abort(new Error('the caller has left'));
  await assert.rejects(taking, /the caller has left/);
  await sessions.close();
});
