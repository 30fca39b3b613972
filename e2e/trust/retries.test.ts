import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { flightPython } from '../../server/test/support/flight-python.ts';
import { arrowStreamType, exec, send } from '../../server/test/support/frame-client.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { arrowBytes } from '../../server/test/support/python.ts';

let framehold: Framehold;
let frames: Record<'one' | 'two', Buffer<ArrayBuffer>>;

before(async () => {
  framehold = await Framehold.start();
  frames = await arrowBytes({
    one: `pa.table({'n': pa.array([1], pa.int64())})`,
    two: `pa.table({'n': pa.array([2], pa.int64())})`,
  });
});
after(async () => await framehold.remove());

const append = (name: string, key: string) =>
  send(framehold.url, `/v1/frames/${name}/rows`, frames.two, {
    method: 'POST',
    headers: { 'idempotency-key': key },
  });

async function cells(name: string): Promise<unknown> {
  const answer = await exec(framehold.url, { handle: name, fmt: 'json' });
  return (JSON.parse(answer.text) as { dataset: unknown[][] }).dataset.flat();
}

/** Sends a request whole and goes away without reading: the answer is lost. */
async function sendAndLeave(path: string, key: string): Promise<void> {
  const { hostname, port } = new URL(framehold.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  const head = [
    `POST ${path} HTTP/1.1`,
    `host: ${hostname}:${port}`,
    `content-type: ${arrowStreamType}`,
    `content-length: ${frames.two.length}`,
    `idempotency-key: ${key}`,
    '\r\n',
  ].join('\r\n');
  const sent = Promise.withResolvers<void>();
  socket.write(Buffer.concat([Buffer.from(head), frames.two]), () => sent.resolve());
  await sent.promise;
  socket.destroy();
}

test('HTTP: an append whose answer was lost is repeated with its key and appends once', async () => {
  await send(framehold.url, '/v1/frames/lost', frames.one, { status: 201 });
  for (let round = 0; round < 5; round++) {
    const key = `lost-${round}`;
    await sendAndLeave('/v1/frames/lost/rows', key);
    // At once, perhaps while the first is still under way; and again later.
    const answers = [await append('lost', key), await append('lost', key)];
    assert.deepEqual(
      answers.map(({ status, json }) => [status, json.handle]),
      [
        [200, `lost@${round + 2}`],
        [200, `lost@${round + 2}`],
      ],
    );
    assert.deepEqual(await cells('lost'), [1, ...Array(round + 1).fill(2)]);
  }
});

test('the same key many times at once: one append, one answer', async () => {
  await send(framehold.url, '/v1/frames/race', frames.one, { status: 201 });
  const answers = await Promise.all(Array.from({ length: 8 }, () => append('race', 'race-key')));
  assert.deepEqual(
    new Set(answers.map(({ status, json }) => `${status} ${json.handle}`)),
    new Set(['200 race@2']),
  );
  assert.deepEqual(await cells('race'), [1, 2]);
});

test('Flight: the same key twice at once, and once more later', async () => {
  const results = (await flightPython(
    framehold.grpcUrl,
    `
from concurrent.futures import ThreadPoolExecutor
put(by_path('flown'), numbers(1))
command = {'name': 'flown', 'mode': 'append', 'idempotencyKey': 'flown-key'}
with ThreadPoolExecutor(4) as pool:
    result = [one[0]['handle'] for one in pool.map(lambda _: put(by_command(command), numbers(2)), range(4))]
result.append(put(by_command(command), numbers(2))[0]['handle'])
`,
  )) as string[];
  assert.deepEqual(new Set(results), new Set(['flown@2']));
  assert.deepEqual(await cells('flown'), [1, 2]);
});

test('a key means the same request over both listeners', async () => {
  await send(framehold.url, '/v1/frames/mixed', frames.one, { status: 201 });
  const first = await append('mixed', 'mixed-key');
  const [again] = (await flightPython(
    framehold.grpcUrl,
    `result = [put(by_command({'name': 'mixed', 'mode': 'append', 'idempotencyKey': 'mixed-key'}), numbers(2))[0]['handle']]`,
  )) as string[];
  assert.equal(again, first.json.handle);
  assert.deepEqual(await cells('mixed'), [1, 2]);
});

test('a key is remembered over kill -9, and forgotten after a day', async () => {
  await send(framehold.url, '/v1/frames/kept', frames.one, { status: 201 });
  const first = await append('kept', 'kept-key');
  await framehold.kill();
  await framehold.start();
  assert.equal((await append('kept', 'kept-key')).json.handle, first.json.handle);
  assert.deepEqual(await cells('kept'), [1, 2]);

  await framehold.stop();
  const database = new DatabaseSync(join(framehold.dataDirectory, 'catalog.sqlite'));
  database.exec('update idempotency set used_at = used_at - 86400001');
  database.close();
  await framehold.start();
  assert.equal((await append('kept', 'kept-key')).json.handle, 'kept@3', 'a day later it is a new request');
  assert.deepEqual(await cells('kept'), [1, 2, 2]);
});

test('a put that failed leaves its key free', async () => {
  const headers = { 'idempotency-key': 'free-key' };
  const broken = frames.one.subarray(0, frames.one.length - 20);
  await send(framehold.url, '/v1/frames/free', broken, { headers, status: 400 });
  await send(framehold.url, '/v1/frames/free', frames.one, { headers, status: 201 });
  assert.deepEqual(await cells('free'), [1]);
});
