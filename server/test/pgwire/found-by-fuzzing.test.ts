import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Harness } from './harness.ts';
import { describe, execute, fieldsOf, parse, query, sync } from './raw-client.ts';

test('a parameter with a number that no message can have is refused: a list of so many types is never made', async () => {
  await using harness = await Harness.start();
  const client = await harness.client();
  for (const number of ['65536', '4000000000', '9'.repeat(300)]) {
    client.send(parse(`select $${number}`), describe('S'), sync);
    const error = await client.next();
    const fields = fieldsOf(error?.body ?? Buffer.alloc(0));
    assert.deepEqual([fields.get('C'), fields.get('P')], ['42P02', '8']);
    assert.equal(await client.answers(), 'ZI');
  }
});

test('EXECUTE cannot make a text that is longer than a text may be', async () => {
  await using harness = await Harness.start();
  const client = await harness.client();
  const values = `'${'x'.repeat(100_000)}'`;
  client.send(query(`prepare p as select ${'$1,'.repeat(10_000)} 1; execute p(${values})`));
  assert.equal(await client.answers(), 'C:PREPARE E:54000 ZI');
});
