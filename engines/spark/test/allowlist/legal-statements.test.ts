import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, before, suite, test } from 'node:test';
import { checkStatement, fillStatement } from '../../src/allowlist/check-statement.ts';
import type { ConnectSession } from '../../src/connect/connect-session.ts';
import { type SparkConnectServer, startSparkConnect } from '../support/spark-connect-server.ts';
import { sparkTestsJar } from '../support/spark-parts.ts';
import { inWholeSparkRun } from '../support/spark-run.ts';
import { planOf } from './attacks/bare-connect.ts';
import { publishedStatements } from './java-parser/published-statements.ts';
import { legalStatements } from './legal-statements.ts';
import { viewOf } from './sample-views.ts';
import { inSession } from './spark-rows.ts';

const patienceMs = 180_000;

/** Every n-th. Each is analysed in some tenths of a second. */
const step = inWholeSparkRun(1, 10);

/** Tables by the first part of the names of their columns. */
const tpcdsTables: Readonly<Record<string, string>> = {
  ss: 'store_sales',
  sr: 'store_returns',
  cs: 'catalog_sales',
  cr: 'catalog_returns',
  ws: 'web_sales',
  wr: 'web_returns',
  inv: 'inventory',
  s: 'store',
  cc: 'call_center',
  cp: 'catalog_page',
  web: 'web_site',
  wp: 'web_page',
  w: 'warehouse',
  c: 'customer',
  ca: 'customer_address',
  cd: 'customer_demographics',
  d: 'date_dim',
  hd: 'household_demographics',
  i: 'item',
  ib: 'income_band',
  p: 'promotion',
  r: 'reason',
  sm: 'ship_mode',
  t: 'time_dim',
};
const tpchTables: Readonly<Record<string, string>> = {
  o: 'orders',
  n: 'nation',
  r: 'region',
  p: 'part',
  ps: 'partsupp',
  c: 'customer',
  s: 'supplier',
  l: 'lineitem',
};

/** Empty tables, with the columns that are in a class of Spark's tests. */
function emptyTables(className: string, tables: Readonly<Record<string, string>>): Map<string, string> {
  const path = `org/apache/spark/sql/${className}.class`;
  const bytes = execFileSync('unzip', ['-p', sparkTestsJar, path], { maxBuffer: 1 << 24 }).toString('latin1');
  const columns = new Map<string, Set<string>>();
  for (const [, name = '', type] of bytes.matchAll(/`(\w+)` ([A-Z]+(?:\(\d+(?:, ?\d+)?\))?)/g)) {
    const table = tables[name.slice(0, name.indexOf('_'))];
    if (table === undefined) continue;
    const list = columns.get(table) ?? new Set();
    columns.set(table, list.add(`cast(null as ${type}) as ${name}`));
  }
  return new Map(
    [...columns].map(([table, list]) => [table, `select ${[...list].join(', ')} where false`] as const),
  );
}

suite('legal statements in the running Spark', () => {
  let connect: SparkConnectServer;

  before(async () => {
    connect = await startSparkConnect();
  });

  after(() => connect.stop());

  async function analyze(session: ConnectSession, text: string): Promise<void> {
    await session.analyzeSchema(planOf(text), AbortSignal.timeout(patienceMs));
  }

  test('those of our own are accepted as they are sent', async () => {
    const plain = legalStatements.filter(
      (sql, index) => index % step === 0 && checkStatement(sql).parameters.count === 0,
    );
    assert.ok(plain.length >= inWholeSparkRun(160, 15), `${plain.length}`);
    await inSession(connect.url, async (session) => {
      for (const sql of plain) {
        const { text, tables } = checkStatement(sql);
        for (const [index, table] of tables.entries())
          await session.run(planOf(viewOf(index, table)), AbortSignal.timeout(patienceMs));
        await assert.doesNotReject(analyze(session, text), sql);
      }
    });
  });

  const trials = [{ type: 'int', value: 1n }, { type: 'null' }, { type: 'boolean', value: true }] as const;

  test('those with parameters are accepted once they are filled', async () => {
    const withParameters = legalStatements.filter((sql) => checkStatement(sql).parameters.count > 0);
    assert.ok(withParameters.length >= 10);
    await inSession(connect.url, async (session) => {
      for (const sql of withParameters) {
        const statement = checkStatement(sql);
        for (const [index, table] of statement.tables.entries())
          await session.run(planOf(viewOf(index, table)), AbortSignal.timeout(patienceMs));
        // One of them fits: a LIMIT takes no null, a condition no number.
        const fits = trials.map(async (value) => {
          const { count, names } = statement.parameters;
          const values =
            names === null
              ? Array.from({ length: count }, () => value)
              : Object.fromEntries(names.map((name) => [name, value]));
          await analyze(session, fillStatement({ statement, values }).text);
        });
        await assert.doesNotReject(Promise.any(fits), sql);
      }
    });
  });

  for (const [name, className, tables, least] of [
    ['tpch', 'TPCHBase', tpchTables, 22],
    ['tpcds', 'TPCDSSchema', tpcdsTables, 99],
  ] as const)
    test(`every text of ${name} passes, and is accepted as it is sent`, async () => {
      const texts = publishedStatements()[name];
      assert.ok(texts.length >= least, `${texts.length}`);
      const allowed = texts.map((sql) => checkStatement(sql));
      const columns = emptyTables(className, tables);
      await inSession(connect.url, async (session) => {
        for (const [table, rows] of columns)
          await session.run(
            planOf(`create temporary view ${table} as ${rows}`),
            AbortSignal.timeout(patienceMs),
          );
        for (const { text, tables: used } of allowed.filter((_, index) => index % step === 0)) {
          for (const [index, table] of used.entries())
            await session.run(
              planOf(`create or replace temporary view fh_${index} as select * from \`${table}\``),
              AbortSignal.timeout(patienceMs),
            );
          await assert.doesNotReject(analyze(session, text), text);
        }
      });
    });
});
