import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Harness } from './harness.ts';
import { bind, describe, execute, fieldsOf, flush, frame, parse, query, sync } from './raw-client.ts';

test('simple queries: several statements, an empty one, an error that ends the rest', async () => {
  await using harness = await Harness.start();
  const client = await harness.client();
  const answer = async (text: string) => {
    client.send(query(text));
    return await client.answers();
  };
  assert.equal(
    await answer('show server_encoding; show integer_datetimes'),
    'T D:UTF8 C:SHOW T D:on C:SHOW ZI',
  );
  assert.equal(await answer(''), 'I ZI');
  assert.equal(await answer(' ; -- nothing\n;'), 'I ZI');
  assert.equal(await answer('show nope; show timezone'), 'E:42704 ZI');
  assert.equal(await answer('begin; show nope; commit'), 'C:BEGIN E:42704 ZE');
  assert.equal(await answer('show timezone'), 'E:25P02 ZE');
  assert.equal(await answer('commit'), 'C:ROLLBACK ZI');
  assert.equal(await answer('update x set a = 1'), 'E:25006 ZI');
  assert.equal(await answer('copy x from stdin'), 'E:25006 ZI');
  assert.equal(
    await answer('begin; begin; commit; commit'),
    'C:BEGIN N:25001 C:BEGIN C:COMMIT N:25P01 C:COMMIT ZI',
  );
});

test('extended queries: portals in parts, in and outside of a transaction', async () => {
  await using harness = await Harness.start();
  const client = await harness.client();
  client.send(parse('show timezone'), bind(), describe('P'), execute(), sync);
  assert.equal(await client.answers(), '1 2 T D:UTC C:SHOW ZI');
  client.send(parse('show timezone'), bind('p'), execute('p', 1), execute('p', 1), sync, execute('p'), sync);
  assert.equal(await client.answers(2), '1 2 D:UTC s C:SHOW ZI E:34000 ZI');
  client.send(query('begin'), parse('show timezone'), bind('p'), execute('p', 1), sync, execute('p'), sync);
  assert.equal(await client.answers(3), 'C:BEGIN ZT 1 2 D:UTC s ZT C:SHOW ZT');
  client.send(query('rollback'), parse(''), bind(), describe('P'), execute(), sync);
  assert.equal(await client.answers(2), 'C:ROLLBACK ZI 1 2 n I ZI');
  client.send(parse('begin'), bind(), execute(), sync, parse('rollback'), bind(), execute(), sync);
  assert.equal(await client.answers(2), '1 2 C:BEGIN ZT 1 2 C:ROLLBACK ZI');
});

test('after an error everything up to Sync is skipped, a query as well', async () => {
  await using harness = await Harness.start();
  const client = await harness.client();
  client.send(parse('show nope'), bind(), execute(), query('show timezone'), parse('show timezone'), sync);
  assert.equal(await client.answers(), '1 2 E:42704 ZI');
  client.send(bind('', 'absent'), sync, execute('absent'), sync, parse('select 1; select 2'), sync);
  assert.equal(await client.answers(3), 'E:26000 ZI E:34000 ZI E:42601 ZI');
  client.send(parse('show timezone', 'a'), parse('show timezone', 'a'), sync);
  assert.equal(await client.answers(), '1 E:42P05 ZI');
  client.send(frame('B', '', 'a', Buffer.from([0, 1, 0, 9])), sync);
  assert.equal(await client.answers(), 'E:08P01 ZI');
});

test('Flush sends what is there without ending the pipeline', async () => {
  await using harness = await Harness.start();
  const client = await harness.client();
  client.send(parse('show timezone'), describe('S'), flush);
  assert.deepEqual([(await client.next())?.letter, (await client.next())?.letter], ['1', 't']);
  assert.equal((await client.next())?.letter, 'T');
  client.send(bind(), execute(), sync);
  assert.equal(await client.answers(), '2 D:UTC C:SHOW ZI');
});

test('a byte that begins no message ends the connection, data of a COPY does not', async () => {
  await using harness = await Harness.start();
  const client = await harness.client();
  client.send(frame('d', Buffer.from('rows')), frame('c'), query('show timezone'));
  assert.equal(await client.answers(), 'T D:UTC C:SHOW ZI');
  client.send(Buffer.from('!!!!!!!!!!'));
  assert.equal(await client.answers(), 'E:08P01 end');
});

test('a message above the limit is refused before it is read', async () => {
  await using harness = await Harness.start({ limits: { messageBytesMax: 20_000 } });
  const client = await harness.client();
  client.send(query(`show ${'a'.repeat(19_000)}`));
  assert.equal(await client.answers(), 'E:42704 ZI');
  client.send(query('a'.repeat(30_000)).subarray(0, 10));
  assert.equal(await client.answers(), 'E:54000 end');
});

test('errors have their code, their hint and their place in characters', async () => {
  await using harness = await Harness.start();
  const client = await harness.client();
  client.send(query('show timezone; /* 😀 */ fetch backward'));
  let error = await client.next();
  while (error !== null && error.letter !== 'E') error = await client.next();
  const fields = fieldsOf(error?.body ?? Buffer.alloc(0));
  assert.equal(fields.get('R'), 'unimplemented');
  assert.match(fields.get('H') ?? '', /NO SCROLL/);
  await client.answers();
  client.send(query('show timezone; /* 😀 */ set x'));
  do error = await client.next();
  while (error !== null && error.letter !== 'E');
  assert.equal(fieldsOf(error?.body ?? Buffer.alloc(0)).get('P'), '29');
});
