import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertProblem, exec } from '../../server/test/support/frame-client.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';

let framehold: Framehold;
before(async () => {
  framehold = await Framehold.start();
});
after(async () => await framehold.remove());

test('7. proxy mode while no external database address is configured: 412', async () => {
  assertProblem(await exec(framehold.url, { query: 'select 1', fmt: 'json' }), 412, 'tsdb_not_configured');
});

test('7. the 412 carries a hint to set SERVICE_TSDB_HTTP_URL', async () => {
  const problem = assertProblem(await exec(framehold.url, { query: 'select 1', fmt: 'json' }), 412);
  assert.match(problem.hint ?? '', /SERVICE_TSDB_HTTP_URL/);
  assert.match(problem.hint ?? '', /FRAMEHOLD_TSDB_HTTP_URL/);
});

test('decided: the 412 keeps query, as QuestDB-shaped clients expect', async () => {
  const problem = assertProblem(await exec(framehold.url, { query: 'select 1', fmt: 'json' }), 412);
  assert.equal(problem.query, 'select 1');
});
