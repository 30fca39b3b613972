import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { FrameholdError } from '../../../../server/src/model/errors.ts';
import { WorkerAllowlist } from '../../src/allowlist/allowlist.ts';

suite('the allowlist in its processes', () => {
  const allowlist = new WorkerAllowlist();
  const { signal } = new AbortController();

  // On a crowded machine a process may take longer to start than a statement may take.
  before(async () => {
    for (let attempt = 0; attempt < 5; attempt++)
      if (await allowlist.check('select 1', signal).catch(() => null)) return;
  });
  after(() => allowlist.close());

  test('a statement and its values go there and come back', async () => {
    const sql = 'select * from trades where id > :low and price < :high and symbol = :low';
    const statement = await allowlist.check(sql, signal);
    assert.deepEqual(statement.tables, ['trades']);
    assert.deepEqual(statement.parameters, {
      count: 2,
      names: ['low', 'high'],
      casts: [null, null],
    });
    const { text, places } = await allowlist.fill(
      statement,
      { low: { type: 'bigint', value: 9007199254740993n }, high: { type: 'double', value: Number.NaN } },
      signal,
    );
    assert.equal(
      text,
      "select * from fh_0 AS `trades` where id > ( 9007199254740993L ) and price < ( CAST ( 'NaN' AS DOUBLE ) ) " +
        'and symbol = ( 9007199254740993L )',
    );
    assert.ok(places instanceof Uint32Array && places.length > 0);
  });

  test('a statement without parameters needs no second visit', async () => {
    const statement = await allowlist.check('select 1', signal);
    assert.equal((await allowlist.fill(statement, [], signal)).text, 'select 1');
  });

  test('a refusal keeps its kind, its place and its hint', async () => {
    await assert.rejects(allowlist.check('select\n  rand()', signal), (thrown) => {
      assert.ok(thrown instanceof FrameholdError);
      assert.equal(thrown.kind, 'sql_refused');
      assert.deepEqual(thrown.place, { position: 9, line: 2, column: 3 });
      assert.match(thrown.hint ?? '', /row_number/);
      return true;
    });
  });

  test('an aborted check ends', async () => {
    await assert.rejects(allowlist.check('select 1', AbortSignal.abort()));
    assert.equal((await allowlist.check('select 2', signal)).text, 'select 2');
  });
});
