import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { flightPython } from '../../server/test/support/flight-python.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';

const waitMs = 2_000;
let framehold: Framehold;
before(async () => {
  const flags = ['--frames-puts-max', '1', '--frames-reads-max', '1', '--frames-queue-max', '1'];
  framehold = await Framehold.start({ flags: [...flags, '--frames-queue-wait-ms', String(waitMs)] });
  await put('held', `n\n${'1\n'.repeat(1_000_000)}`);
});
after(async () => await framehold.remove());

function put(name: string, body = 'n\n1\n'): Promise<Response> {
  const headers = { 'content-type': 'text/csv' };
  return fetch(`${framehold.url}/v1/frames/${name}`, { method: 'PUT', headers, body });
}

/** A put that has begun and does not end. */
async function openPut(): Promise<Socket> {
  const { hostname, port } = new URL(framehold.url);
  const socket = connect(Number(port), hostname);
  socket.write(
    'PUT /v1/frames/open HTTP/1.1\r\nHost: x\r\nContent-Type: text/csv\r\nContent-Length: 100\r\n\r\nn\n1\n',
  );
  socket.on('error', () => {});
  await open('puts', 1);
  return socket;
}

async function open(what: 'puts' | 'reads', count: number, state = 'running'): Promise<void> {
  await framehold.until(`${count} ${what} ${state}`, async () => {
    const text = await (await fetch(`${framehold.url}/metrics`)).text();
    return text.includes(`framehold_${what}_open{state="${state}"} ${count}\n`) ? true : null;
  });
}

test('a put waits for its turn, and goes on when the one before has ended', async () => {
  const socket = await openPut();
  const waiting = put('waits');
  await open('puts', 1, 'waiting');
  socket.destroy();
  assert.equal((await waiting).status, 201);
});

test('a put that waited too long is 503 overloaded, with Retry-After; over Flight RESOURCE_EXHAUSTED', async () => {
  const socket = await openPut();
  const answer = await put('late');
  assert.equal(answer.status, 503);
  assert.equal(((await answer.json()) as { code: string }).code, 'overloaded');
  assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/);
  const failure = await flightPython(
    framehold.grpcUrl,
    `result = fails(lambda: put(by_path('late'), numbers(1)))`,
  );
  assert.match(JSON.stringify(failure), /puts are under way/);
  socket.destroy();
  await open('puts', 0);
  assert.equal((await put('late')).status, 201);
});

test('one more than may wait is refused at once', async () => {
  const socket = await openPut();
  const answers = await Promise.all(['first', 'second', 'third'].map((name) => put(name)));
  const details = await Promise.all(
    answers.map(async (each) => (await each.text()).includes('and 1 more wait')),
  );
  socket.destroy();
  assert.deepEqual(details.sort(), [false, true, true], 'one waited, two were not let wait');
  await open('puts', 0);
});

test('reads are bounded in the same way, and a reader that leaves makes room', async () => {
  const { hostname, port } = new URL(framehold.url);
  const reader = connect(Number(port), hostname);
  reader.on('error', () => {});
  reader.pause();
  reader.write('GET /v1/frames/held/rows?fmt=ndjson HTTP/1.1\r\nHost: x\r\n\r\n');
  await open('reads', 1);
  const rows = () => fetch(`${framehold.url}/v1/frames/held/rows?fmt=csv&limit=1`);
  assert.equal((await rows()).status, 503);
  reader.destroy();
  await open('reads', 0);
  assert.equal((await rows()).status, 200);
});
