/** The allowlist judges what it reads: it must read every statement as Spark does. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { SqlBaseLexer } from '../../../src/allowlist/gen/SqlBaseLexer.js';
import { SqlBaseParser } from '../../../src/allowlist/gen/SqlBaseParser.js';
import { inWholeSparkRun } from '../../support/spark-run.ts';
import { mutants } from './mutants.ts';
import { publishedStatements } from './published-statements.ts';
import { SparkParser } from './spark-parser.ts';
import { ourTree } from './tree-text.ts';

const { tests, tpch, tpcds } = publishedStatements();
const all = [...tests, ...tpch, ...tpcds];
const spark = new SparkParser();
after(() => spark[Symbol.asyncDispose]());

async function compare(statements: Iterable<string>): Promise<{ accepted: number; differing: string[] }> {
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

test('the parser’s state machine is Spark’s, number by number', async () => {
  const { parser } = await spark.machines();
  assert.ok(parser.length > 40_000, `${parser.length} numbers`);
  assert.deepEqual(withoutPadding(parser), withoutPadding(SqlBaseParser._serializedATN));
});

test('the lexer’s state machine is Spark’s but for letters of newer versions of Unicode', async () => {
  const { lexer } = await spark.machines();
  const ours = SqlBaseLexer._serializedATN;
  const at = ours.findIndex((each, index) => each !== lexer[index]);
  // There is the set of letters: how many intervals, whether the end is in it, and the intervals.
  const letters = (numbers: readonly number[]) => numbers.slice(at + 2, at + 2 + 2 * (numbers[at] ?? 0));
  const rest = (numbers: readonly number[]) =>
    withoutPadding(numbers.slice(at + 2 + letters(numbers).length));
  const ascii = (intervals: readonly number[]) => intervals.filter((each) => each < 0x80);
  assert.deepEqual(rest(ours), rest(lexer));
  assert.deepEqual(ascii(letters(ours)), [65, 90, 97, 122]);
  assert.deepEqual(ascii(letters(lexer)), [65, 90, 97, 122]);
});

/** Java keeps two words for a number that needs them, and zeros at the end for those that did not. */
function withoutPadding(numbers: readonly number[]): readonly number[] {
  return numbers.slice(0, numbers.findLastIndex((each) => each !== 0) + 1);
}

test('Spark’s own tests have the statements that we count on', () => {
  assert.ok(tests.length > 10_000, `${tests.length} statements`);
  assert.equal(tpch.length, 22);
  assert.ok(tpcds.length > 90, `${tpcds.length} statements of TPC-DS`);
});

test('the statements of Spark’s own tests have the same trees', async (context) => {
  const every = inWholeSparkRun(1, 5);
  const statements = all.filter((_, index) => index % every === 0);
  const { accepted, differing } = await compare(statements);
  context.diagnostic(`${statements.length} statements, ${accepted} of them accepted`);
  assert.ok(accepted > statements.length / 2, `Spark accepted only ${accepted}`);
  assert.deepEqual(differing.slice(0, 5), [], `${differing.length} of ${statements.length} differ`);
});

test('changed statements have the same trees, or are refused by both', async (context) => {
  const count = inWholeSparkRun(50_000, 2_000);
  const { accepted, differing } = await compare(mutants(all, count, 42));
  context.diagnostic(`${count} mutants, ${accepted} of them accepted`);
  assert.ok(accepted > count / 20, `Spark accepted only ${accepted}`);
  assert.deepEqual(differing.slice(0, 5), [], `${differing.length} of ${count} differ`);
});
