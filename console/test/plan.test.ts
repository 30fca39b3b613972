import assert from 'node:assert/strict';
import test from 'node:test';
import { DuckDBInstance } from '@duckdb/node-api';
import { type PlanStep, parsePlan } from '../src/screens/query/plan.ts';

function names(steps: readonly PlanStep[]): string[] {
  return steps.flatMap((step) => [step.name, ...names(step.steps)]);
}

test('the plans of the engine itself become trees', async () => {
  const engine = await DuckDBInstance.create(':memory:');
  const connection = await engine.connect();
  const explain = async (how: string) => {
    const result = await connection.runAndReadAll(
      `explain (${how}) select k, sum(i) from (select i, i % 7 as k from range(100000) t(i)) where i > 5 group by k order by 2`,
    );
    return parsePlan(String(result.getRows()[0]?.[1]));
  };
  const plan = await explain('format json');
  assert.equal(plan.totalMs, null);
  assert.ok(names(plan.steps).includes('Order by'), names(plan.steps).join());
  assert.ok(plan.steps.every((step) => step.timeMs === null));
  const measured = await explain('analyze, format json');
  assert.ok(measured.totalMs !== null && measured.totalMs > 0);
  assert.equal(measured.steps.length, 1);
  assert.ok(!names(measured.steps).includes('Explain analyze'));
  const [top] = measured.steps;
  assert.equal(top?.rows, 7);
  assert.ok(top?.timeMs !== null);
  connection.closeSync();
  engine.closeSync();
});

test('a plan that is text stays text', () => {
  assert.deepEqual(parsePlan('┌───┐'), { steps: [], totalMs: null, text: '┌───┐' });
});
