import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FailedQueries } from '../../src/cluster/failed-queries.ts';
import { FrameholdError } from '../../src/model/errors.ts';

const failure = (text: string) => new FrameholdError('sql_failed', text, { hint: 'mend it' });
const query = (tenant: string, id: string) => ({ tenant, id, startedAt: 0, rows: 7 });

test('a statement that failed is known by its tenant and id for ten minutes, the newest of an id', () => {
  let now = 1_000;
  const failed = new FailedQueries(() => now);
  failed.add(query('acme', 'a'), failure('first'));
  failed.add(query('acme', 'a'), failure('second'));
  failed.add(query('beta', 'a'), failure('of another'));
  const [found, ...others] = failed.find('acme', 'a');
  assert.deepEqual(others, []);
  assert.deepEqual(found, {
    ...query('acme', 'a'),
    endedAt: 1_000,
    error: { kind: 'sql_failed', detail: 'second', hint: 'mend it', place: undefined },
  });
  assert.equal(failed.find(null, 'a').length, 2);
  now += 10 * 60_000;
  assert.deepEqual(failed.find(null, 'a'), []);
});

test('a tenant that fails in a loop pushes out its own only, and all of them are a thousand at most', () => {
  const failed = new FailedQueries(() => 1);
  failed.add(query('quiet', 'mine'), failure('x'));
  for (let n = 0; n < 500; n++) failed.add(query('loud', `q${n}`), failure('x'));
  assert.equal(failed.find('quiet', 'mine').length, 1);
  assert.deepEqual([failed.find('loud', 'q399').length, failed.find('loud', 'q400').length], [0, 1]);
  for (let n = 0; n < 1_000; n++) failed.add(query(`tenant${n}`, 'q'), failure('x'));
  assert.equal(failed.find(null, 'q').length, 1_000);
  assert.deepEqual(failed.find('quiet', 'mine'), []);
});

test('of a very long reason the beginning is kept', () => {
  const failed = new FailedQueries(() => 1);
  failed.add(query('acme', 'a'), failure('x'.repeat(1_000_000)));
  assert.equal(failed.find('acme', 'a')[0]?.error.detail.length, 4_001);
});
