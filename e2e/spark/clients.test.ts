/** Statements that name Spark, from the clients that people have, through the started command to a real Spark Connect. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  type SparkConnectServer,
  startSparkConnect,
} from '../../engines/spark/test/support/spark-connect-server.ts';
import { getText, putFrame } from '../../server/test/support/frame-client.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { askAdbc, askJdbc } from '../../server/test/support/named-engine.ts';
import { arrowBytes } from '../../server/test/support/python.ts';
import { postSql, sqlTable } from '../sql/sql-client.ts';

let spark: SparkConnectServer;
let framehold: Framehold;
before(async () => {
  spark = await startSparkConnect();
  framehold = await Framehold.start({ env: { FRAMEHOLD_SPARK_URL: spark.url } });
  const { trades } = await arrowBytes({
    trades: `pa.table({
      'symbol': pa.array(['a', 'b', 'a', None] * 25),
      'price': pa.array([float(n) / 4 for n in range(100)]),
      'volume': pa.array(list(range(100)), pa.int64()),
    })`,
  });
  await putFrame(framehold.url, 'trades', trades);
});
after(async () => {
  await framehold?.remove();
  await spark?.stop();
});

/** Words that only Spark has, so that no other engine can have answered. */
const onlySpark =
  'select symbol, try_add(count_if(volume > 9), 0) as n, max_by(price, volume) as last from trades group by symbol order by symbol nulls last';

test('the same rows over HTTP, however the engine is named', async () => {
  const expected = [
    ['a', 45, 24.5],
    ['b', 22, 24.25],
    [null, 23, 24.75],
  ];
  const { columns, dataset } = await sqlTable(framehold.url, onlySpark, { engine: 'spark' });
  assert.deepEqual(dataset, expected);
  assert.deepEqual(
    columns.map(({ type }) => type),
    ['STRING', 'LONG', 'DOUBLE'],
  );
  const query = encodeURIComponent(onlySpark);
  const answers = [
    await getText(`${framehold.url}/v1/sql?engine=spark&query=${query}`),
    await getText(`${framehold.url}/v1/sql?query=${query}`, { headers: { 'framehold-engine': 'spark' } }),
    await getText(`${framehold.url}/v1/sql?engine=spark`, {
      method: 'POST',
      body: onlySpark,
      headers: { 'content-type': 'application/sql' },
    }),
  ];
  for (const { status, text, headers } of answers) {
    assert.equal(status, 200, text);
    assert.deepEqual(JSON.parse(text).dataset, expected);
    assert.equal(headers.get('framehold-sources'), 'trades@1');
  }
});

test('the same rows to ADBC and JDBC', async () => {
  for (const ask of [askAdbc, askJdbc]) {
    const plain = await ask(
      framehold.grpcUrl,
      'spark',
      'select try_add(count_if(volume > 9), 0) from trades',
    );
    assert.deepEqual(plain, { rows: ['90'] });
  }
  // JDBC's driver binds only what has a known type, and Spark does not tell the types of parameters: a cast does.
  const cast = await askJdbc(
    framehold.grpcUrl,
    'spark',
    'select try_add(count_if(volume > cast(? as bigint)), 0) from trades',
    49,
  );
  assert.deepEqual(cast, { rows: ['50'] });
  const bound = await askAdbc(
    framehold.grpcUrl,
    'spark',
    'select try_add(count_if(volume > ?), 0) from trades',
    49,
  );
  assert.deepEqual(bound, { rows: ['50'] });
});

test('what is refused or wrong is said to every client, with nothing of the machines behind', async () => {
  const failures = await Promise.all([
    postSql(framehold.url, "select reflect('java.lang.System', 'getenv')", { engine: 'spark' }).then(
      ({ text }) => text,
    ),
    postSql(framehold.url, 'select nothing_of_this from trades', { engine: 'spark' }).then(
      ({ text }) => text,
    ),
    ...[askAdbc, askJdbc].map(async (ask) => {
      const answer = await ask(framehold.grpcUrl, 'spark', 'select nothing_of_this from trades');
      return 'failure' in answer ? answer.failure : assert.fail(`rows: ${answer.rows.join()}`);
    }),
  ]);
  assert.match(failures[0] ?? '', /sql_refused.*reflect/s);
  for (const failure of failures.slice(1)) assert.match(failure, /nothing_of_this/);
  for (const failure of failures)
    assert.doesNotMatch(failure, /fh_\d|file:\/|org\.apache|at scala|\.parquet/);
});

test('a result becomes a frame, which the other engine reads; lists and the log say what ran it', async () => {
  const into = { engine: 'spark', into: 'by_symbol' };
  const made = await postSql(framehold.url, onlySpark, into);
  assert.equal(made.status, 201, made.text);
  const held = await sqlTable(framehold.url, 'select sum(n) as n, count(*) as rows from by_symbol');
  assert.deepEqual(held.dataset, [[90, 3]]);
  const { history } = JSON.parse((await getText(`${framehold.url}/v1/history`)).text) as {
    history: { sql: string; engine: string }[];
  };
  assert.deepEqual(
    history.slice(0, 2).map(({ engine }) => engine),
    ['duckdb', 'spark'],
  );
  const { text } = await getText(`${framehold.url}/metrics`);
  assert.match(text, /framehold_sql_statements_total\{engine="spark",kind="query",outcome="ok"\} \d+/);
  assert.match(text, /framehold_sql_open\{engine="spark",state="running"\} 0/);
  const all = await framehold.linesUntilNow();
  const lines = all.filter((line) => line.includes('"event":"sql"') && line.includes('"engine":"spark"'));
  assert.ok(lines.length >= 5, `${lines.length} lines of the log name Spark`);
  const audited = all.find((line) => line.includes('"event":"audit"') && line.includes('by_symbol'));
  assert.match(audited ?? '', /"engine":"spark"/);
});
