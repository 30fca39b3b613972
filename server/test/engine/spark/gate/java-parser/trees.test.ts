/** The gate judges what it reads: it must read every statement as Spark does. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inWholeSparkRun } from '../../../../support/spark/spark-run.ts';
import { mutants } from './mutants.ts';
import { publishedStatements } from './published-statements.ts';
import { SparkParser } from './spark-parser.ts';
import { ourTree } from './tree-text.ts';

const { tests, tpch, tpcds } = publishedStatements();
const all = [...tests, ...tpch, ...tpcds];

async function differences(statements: Iterable<string>): Promise<{ accepted: number; differing: string[] }> {
  await using spark = new SparkParser();
  const differing: string[] = [];
  let accepted = 0;
  for await (const [statement, theirs] of spark.trees(statements)) {
    const ours = ourTree(statement);
    if (theirs === '!DEEP' || ours === '!DEEP') continue;
    if (!theirs.startsWith('!')) accepted++;
    const isSame = theirs.startsWith('!') ? ours.startsWith('!') : ours === theirs;
    if (!isSame) differing.push(`${JSON.stringify(statement)}\n  Spark: ${theirs}\n  here:  ${ours}`);
  }
  return { accepted, differing };
}

test('Spark’s own tests have the statements that we count on', () => {
  assert.ok(tests.length > 10_000, `${tests.length} statements`);
  assert.equal(tpch.length, 22);
  assert.ok(tpcds.length > 90, `${tpcds.length} statements of TPC-DS`);
});

test('the statements of Spark’s own tests have the same trees', async (context) => {
  const { accepted, differing } = await differences(all);
  context.diagnostic(`${all.length} statements, ${accepted} of them accepted`);
  assert.ok(accepted > all.length / 2, `Spark accepted only ${accepted}`);
  assert.deepEqual(differing.slice(0, 5), [], `${differing.length} of ${all.length} differ`);
});

test('changed statements have the same trees, or are refused by both', async (context) => {
  const count = inWholeSparkRun(50_000, 2_000);
  const { accepted, differing } = await differences(mutants(all, count, 42));
  context.diagnostic(`${count} mutants, ${accepted} of them accepted`);
  assert.ok(accepted > count / 20, `Spark accepted only ${accepted}`);
  assert.deepEqual(differing.slice(0, 5), [], `${differing.length} of ${count} differ`);
});
