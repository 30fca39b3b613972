import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Harness } from './harness.ts';
import { bind, describe, execute, fieldsOf, int32, parse, query, startup, sync } from './raw-client.ts';

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

test('a message of very many commands leaves time for others, and its answers do not gather', async () => {
  await using harness = await Harness.start();
  const client = await harness.client();
  const other = await harness.client();
  client.send(query('set a.b = 1;'.repeat(10_000)));
  other.send(query('show timezone'));
  let isDone = false;
  const answers = client.answers().finally(() => {
    isDone = true;
  });
  assert.equal(await other.answers(), 'T D:UTC C:SHOW ZI');
  assert.equal(isDone, false);
  assert.match(await answers, /^(C:SET ){10000}ZI$/);
});

test('so does a segment of very many messages', async () => {
  await using harness = await Harness.start();
  const client = await harness.client();
  const other = await harness.client();
  const pairs = 1_000;
  client.send(...Array.from({ length: pairs }, () => [describe('S', 'x'), sync]).flat());
  other.send(query('show timezone'));
  let isDone = false;
  const answers = client.answers(pairs).finally(() => {
    isDone = true;
  });
  assert.equal(await other.answers(), 'T D:UTC C:SHOW ZI');
  assert.equal(isDone, false);
  assert.match(await answers, /^(E:26000 ZI ?){1000}$/);
});

test('a message in pieces of one byte is the same message', async () => {
  await using harness = await Harness.start();
  const client = harness.connect();
  client.socket.setNoDelay(true);
  const sent = Buffer.concat([
    startup(),
    query('show timezone'),
    parse('show timezone'),
    bind(),
    execute(),
    sync,
  ]);
  for (const byte of sent) {
    client.send(Buffer.of(byte));
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.match(await client.answers(3), /^R (S )+K ZI T D:UTC C:SHOW ZI 1 2 D:UTC C:SHOW ZI$/);
});

test('names that a session keeps are short, and so is what it keeps beside them', async () => {
  await using harness = await Harness.start();
  const client = await harness.client();
  const long = 'x'.repeat(300);
  client.send(
    query(`begin; savepoint ${long}`),
    query(`rollback; prepare ${long} as select 1`),
    query('begin'),
  );
  assert.equal(await client.answers(3), 'C:BEGIN E:42622 ZE C:ROLLBACK E:42622 ZI C:BEGIN ZT');
  client.send(
    parse('show timezone', 's'),
    bind(long, 's'),
    sync,
    query('rollback'),
    parse('begin', long),
    sync,
  );
  assert.equal(await client.answers(3), '1 E:42622 ZE C:ROLLBACK ZI E:42622 ZI');
  // Types that were stated count: eight of these lists are as much as a session may keep.
  const types = Buffer.concat([Buffer.of(0xff, 0xff), Buffer.alloc(65_535 * 4, 1)]);
  const many = (name: string) => Buffer.concat([Buffer.from(`${name}\0show timezone\0`), types]);
  const framed = (body: Buffer) => Buffer.concat([Buffer.from('P'), int32(body.length + 4), body]);
  client.send(...Array.from({ length: 9 }, (_, index) => framed(many(`t${index}`))), sync);
  assert.match(await client.answers(), /^(1 ){7}E:53400 ZI$/);
});
