import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { FrameholdError } from '../../../../server/src/model/errors.ts';
import { WorkerGate } from '../../src/gate/gate.ts';

suite('the gate in its processes', () => {
  const gate = new WorkerGate();
  const { signal } = new AbortController();

  // On a crowded machine a process may take longer to start than a statement may take.
  before(async () => {
    for (let attempt = 0; attempt < 5; attempt++)
      if (await gate.check('select 1', signal).catch(() => null)) return;
  });
  after(() => gate.close());

  test('a statement and its values go there and come back', async () => {
    const sql = 'select * from trades where id > :low and price < :high and symbol = :low';
    const statement = await gate.check(sql, signal);
    assert.deepEqual(statement.tables, ['trades']);
    assert.deepEqual(statement.parameters, {
      count: 2,
      names: ['low', 'high'],
      casts: [null, null],
    });
    const { text, places } = await gate.fill(
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
    const statement = await gate.check('select 1', signal);
    assert.equal((await gate.fill(statement, [], signal)).text, 'select 1');
  });

  test('a refusal keeps its kind, its place and its hint', async () => {
    await assert.rejects(gate.check('select\n  rand()', signal), (thrown) => {
      assert.ok(thrown instanceof FrameholdError);
      assert.equal(thrown.kind, 'sql_refused');
      assert.deepEqual(thrown.place, { position: 9, line: 2, column: 3 });
      assert.match(thrown.hint ?? '', /row_number/);
      return true;
    });
  });

  test('an aborted check ends', async () => {
    await assert.rejects(gate.check('select 1', AbortSignal.abort()));
    assert.equal((await gate.check('select 2', signal)).text, 'select 2');
  });
});
