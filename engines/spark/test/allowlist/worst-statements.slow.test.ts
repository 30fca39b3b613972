/** Whatever a statement does to the parser, its process keeps its limits and the next statement is read. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { FrameholdError } from '../../../../server/src/model/errors.ts';
import { AllowlistWorkers } from '../../src/allowlist/allowlist-workers.ts';
import { worstStatements } from './worst-statements.ts';

const workers = new AllowlistWorkers();
after(() => workers.close());
const signal = new AbortController().signal;

async function outcome(sql: string): Promise<string> {
  try {
    await workers.run('check', sql, signal);
    return 'accepted';
  } catch (thrown) {
    assert.ok(thrown instanceof FrameholdError, String(thrown));
    assert.ok(
      thrown.kind === 'sql_refused' || thrown.kind === 'sql_invalid',
      `${thrown.kind}: ${thrown.message}`,
    );
    return `${thrown.kind}: ${thrown.message}`;
  }
}

for (const [name, sql] of Object.entries(worstStatements))
  test(`${name}: an answer, and an answer for the next`, async (context) => {
    const began = performance.now();
    const answer = await outcome(sql);
    context.diagnostic(`${sql.length} characters, ${Math.round(performance.now() - began)} ms, ${answer}`);
    assert.equal(await outcome('SELECT 1'), 'accepted');
  });

test('statements that end their workers do not keep others from being read', async () => {
  const deep = `SELECT ${'- '.repeat(60_000)}1`;
  const answers = await Promise.all([deep, 'SELECT 1', deep, 'SELECT 2', deep, 'SELECT 3'].map(outcome));
  assert.deepEqual(
    answers.map((answer) => answer === 'accepted'),
    [false, true, false, true, false, true],
  );
});

test('a caller who leaves is not waited for', async () => {
  const leaving = AbortSignal.timeout(5);
  await assert.rejects(workers.run('check', worstStatements.casts, leaving));
  assert.equal(await outcome('SELECT 1'), 'accepted');
});
