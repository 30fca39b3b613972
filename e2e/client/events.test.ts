import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Framehold as Client, type FrameholdEvent } from '../../client/src/index.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';

let framehold: Framehold;
let client: Client;

before(async () => {
  framehold = await Framehold.start();
  client = new Client({ url: framehold.url });
});
after(() => framehold.remove());

async function put(name: string): Promise<void> {
  await client.frames.put(name, 'n\n1\n', { format: 'csv' });
}

test('a program that follows a server misses nothing while the server is killed and started again', async () => {
  const address = new URL(framehold.url);
  const created: string[] = [];
  const kinds: FrameholdEvent['kind'][] = [];
  const ended = new AbortController();
  const hello = Promise.withResolvers<void>();
  const whole = Promise.withResolvers<void>();
  const follow = async () => {
    for await (const event of client.events({ signal: ended.signal })) {
      kinds.push(event.kind);
      if (event.kind === 'hello') hello.resolve();
      if (event.kind === 'frame.created') created.push(event.name);
      if (created.length === 4) whole.resolve();
    }
  };
  const following = assert.rejects(follow(), { message: 'enough' });
  await hello.promise;
  await put('one');
  await put('two');
  await framehold.kill();
  // The same address, which the client knows.
  await framehold.start({ SERVICE_HTTP_BIND_ADDRESS: address.host });
  await put('three');
  await put('four');
  await whole.promise;
  ended.abort(new Error('enough'));
  await following;
  assert.deepEqual(created, ['one', 'two', 'three', 'four']);
  assert.equal(kinds.filter((kind) => kind === 'hello').length, 1);
  assert.ok(kinds.includes('disconnected') && !kinds.includes('reset'), kinds.join());
});

test('a statement is reported while it runs', async () => {
  for await (const event of client.events()) {
    if (event.kind === 'hello') void client.sql('select 42', { id: 'watched' }).then((rows) => rows.table());
    if (event.kind !== 'statement.ended') continue;
    assert.deepEqual([event.id, event.state, event.query], ['watched', 'done', 'select 42']);
    break;
  }
});
