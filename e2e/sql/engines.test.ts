/** The engine of a statement as callers name it, on servers without Spark and with a Spark that does not answer. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { getText } from '../../server/test/support/frame-client.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { freePort } from '../../server/test/support/free-port.ts';
import { assertTook } from '../../server/test/support/machine-pace.ts';
import { askAdbc, askJdbc } from '../../server/test/support/named-engine.ts';
import { postSql, sqlTable } from './sql-client.ts';

const clients = { ADBC: askAdbc, JDBC: askJdbc };

describe('a server without Spark', () => {
  let framehold: Framehold;
  before(async () => {
    framehold = await Framehold.start();
  });
  after(() => framehold?.remove());

  test('says that it has one engine, and what an operator sets for another', async () => {
    const { engines } = JSON.parse((await getText(`${framehold.url}/v1/status`)).text);
    assert.deepEqual(engines, ['duckdb']);
    const answer = await postSql(framehold.url, 'select 1', { engine: 'spark' });
    assert.equal(answer.status, 400, answer.text);
    const { code, hint } = JSON.parse(answer.text);
    assert.equal(code, 'bad_request');
    assert.match(hint, /duckdb runs the statement.*spark\.url/);
    assert.equal((await getText(`${framehold.url}/v1/functions?engine=spark`)).status, 400);
    assert.deepEqual((await sqlTable(framehold.url, 'select 1 as n', { engine: 'duckdb' })).dataset, [[1]]);
    assert.doesNotMatch((await getText(`${framehold.url}/metrics`)).text, /engine="spark"/);
  });

  for (const [name, ask] of Object.entries(clients))
    test(`tells ${name} which engines there are`, async () => {
      assert.deepEqual(await ask(framehold.grpcUrl, 'duckdb', 'select 41 + cast(? as bigint)', 1), {
        rows: ['42'],
      });
      const unknown = await ask(framehold.grpcUrl, 'trino', 'select 1');
      assert.match('failure' in unknown ? unknown.failure : '', /no engine "trino".*duckdb, spark/s);
      const absent = await ask(framehold.grpcUrl, 'spark', 'select 1');
      assert.match('failure' in absent ? absent.failure : '', /no engine spark for the tenant default/);
    });
});

describe('a server whose Spark does not answer', () => {
  let framehold: Framehold;
  before(async () => {
    const env = { FRAMEHOLD_SPARK_URL: `sc://127.0.0.1:${await freePort()}` };
    framehold = await Framehold.start({ env });
  });
  after(() => framehold?.remove());

  test('starts, is ready, and runs everything else', async () => {
    assert.equal((await getText(`${framehold.url}/readyz`)).status, 200);
    const { engines } = JSON.parse((await getText(`${framehold.url}/v1/status`)).text);
    assert.deepEqual(engines, ['duckdb', 'spark']);
    assert.deepEqual((await sqlTable(framehold.url, 'select 1 as n')).dataset, [[1]]);
    const { functions } = JSON.parse((await getText(`${framehold.url}/v1/functions?engine=spark`)).text);
    assert.ok(functions.length > 100);
    assert.ok(!functions.some(({ name }: { name: string }) => name === 'reflect'));
  });

  test('answers 503 to statements for Spark, and says that Spark is meant', async () => {
    const answer = await postSql(framehold.url, 'select 1', { engine: 'spark' });
    assert.equal(answer.status, 503, answer.text);
    const { code, detail } = JSON.parse(answer.text);
    assert.equal(code, 'unavailable');
    assert.match(detail, /Spark/);
    assert.doesNotMatch(answer.text, /ECONNREFUSED|127\.0\.0\.1/);
    const { text } = await getText(`${framehold.url}/metrics`);
    assert.match(
      text,
      /framehold_sql_statements_total\{engine="spark",kind="query",outcome="unavailable"\} 1/,
    );
    assert.equal((await getText(`${framehold.url}/readyz`)).status, 200);
  });

  for (const [name, ask] of Object.entries(clients))
    test(`tells ${name} that Spark does not answer`, async () => {
      const answer = await ask(framehold.grpcUrl, 'spark', 'select 1');
      assert.match('failure' in answer ? answer.failure : '', /Spark/);
      assert.deepEqual(await ask(framehold.grpcUrl, 'duckdb', 'select 1'), { rows: ['1'] });
    });

  test('stops soon', async () => {
    const began = performance.now();
    await framehold.stop();
    assertTook(performance.now() - began, 4_000);
  });
});
