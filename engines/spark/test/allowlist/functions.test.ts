import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import {
  aggregateFunctions,
  scalarFunctions,
  tableFunctions,
} from '../../src/allowlist/lists/allowed-functions.ts';
import { refusedFunctions } from '../../src/allowlist/lists/refused-functions.ts';
import { type SparkConnectServer, startSparkConnect } from '../support/spark-connect-server.ts';
import { planOf } from './attacks/bare-connect.ts';
import { inSession, sparkRows } from './spark-rows.ts';

suite('the functions of the running Spark', () => {
  let connect: SparkConnectServer;
  let known: readonly string[];

  before(async () => {
    connect = await startSparkConnect();
    const rows = await inSession(connect.url, (session) => sparkRows(session, planOf('show functions')));
    known = rows.map(([name]) => String(name));
  });

  after(() => connect.stop());

  test('each is offered or refused with a reason', () => {
    const words = known.filter((name) => /^\w+$/.test(name));
    assert.ok(words.length > 500, `${words.length}`);
    const offered = new Set([...scalarFunctions, ...aggregateFunctions, ...tableFunctions]);
    assert.deepEqual(
      words.filter((name) => !offered.has(name) && !refusedFunctions.has(name)),
      [],
    );
    assert.deepEqual(
      words.filter((name) => offered.has(name) && refusedFunctions.has(name)),
      [],
    );
  });

  test('each that is offered is there', () => {
    const there = new Set(known);
    const offered = [...scalarFunctions, ...aggregateFunctions, ...tableFunctions];
    assert.deepEqual(
      offered.filter((name) => !there.has(name)),
      [],
    );
  });
});
