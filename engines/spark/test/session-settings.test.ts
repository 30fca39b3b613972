import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ConnectClient } from '../src/connect/connect-client.ts';
import { ConnectError } from '../src/connect/connect-error.ts';
import { openSession } from '../src/session/open-session.ts';
import { sessionSettings } from '../src/session/session-settings.ts';
import { tableSettings, vectorizedKey } from '../src/tables/table-settings.ts';
import { type SparkConnectServer, startSparkConnect } from './support/spark-connect-server.ts';

const never = () => new AbortController().signal;
const all = new Map(Object.entries({ ...sessionSettings, ...tableSettings, [vectorizedKey]: 'true' }));
/** Of these, Spark takes any text. */
const ofAnyText = [
  'spark.sql.optimizer.excludedRules',
  'spark.sql.sources.useV1SourceList',
  'spark.sql.optimizer.nestedPredicatePushdown.supportedFileSources',
];

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

test('Spark takes every setting and gives it back', async () => {
  const session = await openSession(client, all, never());
  const found = await session.getConfig([...all.keys()], never());
  assert.deepEqual(new Map(found), all);
  await session.release();
});

test('each is a setting that this Spark knows: it refuses a value that makes no sense', async () => {
  // Spark keeps anything under a name that it does not know, and gives it back: reading back shows nothing then.
  const session = client.session();
  await session.setConfig(new Map([['spark.sql.no.such.setting', 'x']]), never());
  for (const key of all.keys()) {
    if (ofAnyText.includes(key)) continue;
    await assert.rejects(session.setConfig(new Map([[key, 'no such value']]), never()), ConnectError, key);
  }
  await session.release();
});

test('a session whose settings cannot be set is given up', async () => {
  const fixed = new Map([['spark.sql.warehouse.dir', '/tmp/elsewhere']]);
  await assert.rejects(openSession(client, fixed, never()), ConnectError);
});
