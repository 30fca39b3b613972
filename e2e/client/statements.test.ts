import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Framehold as Client } from '../../client/src/index.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { eventually } from '../../server/test/support/patience.ts';

let framehold: Framehold;
let client: Client;

before(async () => {
  framehold = await Framehold.start();
  client = new Client({ url: framehold.url });
});
after(() => framehold.remove());

const endless = 'select count(*) from range(1000000000000) a(i) where hash(i) = 1';

test('parameters keep all their digits', async () => {
  const rows = await client.sql(
    'select $n::hugeint as n, $t as t, $d::decimal(38,10) as d, $z::double as z',
    {
      parameters: { n: 9007199254740993n, t: "it's", d: '0.0000000001', z: -0 },
    },
  );
  for await (const batch of rows)
    assert.deepEqual(
      rows.columns.map((_, column) => batch.text(0, column)),
      ['9007199254740993', "it's", '0.0000000001', '-0.0'],
    );
});

test('rows come in batches, while the statement runs', async () => {
  const rows = await client.sql('select i, i::varchar as s from range(3000000) t(i)');
  let next = 0n;
  let batches = 0;
  for await (const batch of rows) {
    batches++;
    for (const value of batch.table.getChildAt(0)) assert.equal(value, next++);
  }
  assert.equal(next, 3_000_000n);
  assert.ok(batches > 1);
  assert.ok((rows.timings.prepare ?? -1) >= 0);
});

test('a limit cuts the rows off, and says so', async () => {
  const cut = await client.sql('select * from range(1000)', { limit: 10 });
  assert.equal((await cut.table()).numRows, 10);
  assert.equal(cut.cut, true);
  const whole = await client.sql('select * from range(10)', { limit: 10 });
  assert.equal((await whole.table()).numRows, 10);
  assert.equal(whole.cut, false);
  await client.execute('create table ten as select * from range(10) t(i)');
  assert.equal((await client.rows('ten', { limit: 9 })).cut, true);
  assert.equal((await client.rows('ten', { limit: 10 })).cut, false);
});

test('a change is told from rows', async () => {
  const made = await client.execute('select 1 as a', { into: { name: 'made', ttl: '1h' } });
  assert.ok(made.kind === 'change');
  assert.deepEqual([made.rows, made.frame?.handle], [1, 'made@1']);
  const dropped = await client.execute('drop table made');
  assert.ok(dropped.kind === 'change' && dropped.frame === null);
  const rows = await client.execute('select 1');
  assert.ok(rows.kind === 'rows');
  await rows.cancel();
  await assert.rejects(client.sql('create table other as select 1 as a'), { code: 'no_rows' });
});

test('a statement that fails after its first rows says why', async () => {
  const rows = await client.sql(
    "select case when i = 2800000 then error('row ' || i || ' is bad') else i::varchar end as v from range(3000000) t(i)",
  );
  const read = async () => {
    for await (const _ of rows);
  };
  await assert.rejects(
    read(),
    (error: Error) =>
      'code' in error && error.code === 'sql_failed' && /row 2800000 is bad/.test(error.message),
  );
});

test('a statement is stopped by its signal, and by its id', async () => {
  const controller = new AbortController();
  const stopped = client.sql(endless, { id: 'stopped', signal: controller.signal });
  await eventually('it runs', async () => (await client.queries.list()).some(({ id }) => id === 'stopped'));
  controller.abort(new Error('enough'));
  await assert.rejects(stopped, { message: 'enough' });
  await eventually('it has ended', async () =>
    (await client.queries.list()).every(({ id }) => id !== 'stopped'),
  );

  const cancelled = assert.rejects(client.sql(endless, { id: 'cancelled' }), {
    code: 'query_cancelled',
    queryId: 'cancelled',
  });
  await eventually(
    'it runs',
    async () => (await client.queries.get('cancelled').catch(() => null))?.state === 'running',
  );
  await client.queries.cancel('cancelled');
  await cancelled;
});

test('leaving the loop stops the statement', async () => {
  const rows = await client.sql('select i, repeat(i::varchar, 10) from range(1000000000) t(i)', {
    id: 'left',
  });
  for await (const _ of rows) break;
  await eventually('it has ended', async () =>
    (await client.queries.list()).every(({ id }) => id !== 'left'),
  );
});

test('rows are saved in a format of the server', async () => {
  const answer = await client.exportSql('select 1 as a, null as b', { format: 'csv' });
  assert.equal(await answer.text(), 'a,b\r\n1,\r\n');
});
