import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { residentMegabytes } from '../../../bench/load/process-state.ts';
import { Framehold } from '../support/framehold-process.ts';
import { newToken } from '../support/framehold-tokens.ts';
import { assertTook } from '../support/machine-pace.ts';
import { timePasses } from '../support/passing-time.ts';
import { bind, execute, frame, int32, parse, query, RawClient, startup, sync } from './raw-client.ts';

const loginMs = 2_000;
const answerMs = 2_000;
const connectionsMax = 500;
const unauthenticatedMax = 125;
/** A good caller on a machine of its own, whatever the others do. */
const goodMs = 2_000;

let framehold: Framehold;
let port: number;
let token: string;
/** Once everything that is loaded when it is first used is there. */
let usualMegabytes: number;
const clients: RawClient[] = [];
const sockets: Socket[] = [];

before(async () => {
  framehold = await Framehold.start({
    flags: ['--postgres-bind-address', '127.0.0.1:0', '--postgres-allow-plaintext'],
    env: {
      FRAMEHOLD_LOG_LEVEL: 'warn',
      FRAMEHOLD_POSTGRES_LOGIN_TIMEOUT_MS: String(loginMs),
      FRAMEHOLD_POSTGRES_ANSWER_TIMEOUT_MS: String(answerMs),
    },
  });
  port = Number(framehold.postgresUrl.port);
  token = newToken(framehold.dataDirectory, 'ada', 'read');
  await good();
  usualMegabytes = residentMegabytes(framehold.pid);
});

after(async () => {
  for (const client of clients) client[Symbol.dispose]();
  for (const socket of sockets) socket.destroy();
  await framehold.remove();
});

async function logIn(): Promise<RawClient> {
  const client = new RawClient(port);
  clients.push(client);
  client.send(startup(undefined, { user: 'ada' }), frame('p', token));
  assert.match(await client.answers(), /^R R (S )+K ZI$/);
  return client;
}

/** Logs in and asks, within its time. */
async function good(): Promise<void> {
  const began = performance.now();
  const client = await logIn();
  client.send(query('select 42'));
  assert.equal(await client.answers(), 'T D:42 C:SELECT 1 ZI');
  client.send(frame('X'));
  assert.equal(await client.answers(), 'end');
  assertTook(performance.now() - began, goodMs, 'a good caller');
}

/** A connection whose end nobody minds. */
function opened(): Socket {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  sockets.push(socket);
  return socket;
}

/** The connections that the server holds, as the kernel lists them: open, or closed by the client only. */
function held(): number {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, address, , state]) => address?.endsWith(local) && (state === '01' || state === '08')).length;
}

/** All that the flood has opened is gone, and what it took has an end. */
async function assertFree(megabytesMax: number): Promise<void> {
  await framehold.until('end of all connections', () => (held() === 0 ? true : null));
  const more = residentMegabytes(framehold.pid) - usualMegabytes;
  assert.ok(more < megabytesMax, `the server has ${more.toFixed()} MB more than before`);
}

test('a thousand connections that open and close, some with a reset', async () => {
  for (let group = 0; group < 10; group++) {
    const group = Array.from({ length: 100 }, () => opened());
    await Promise.all(
      group.map((socket) => new Promise((resolve) => socket.once('connect', resolve).once('close', resolve))),
    );
    for (const [index, socket] of group.entries()) {
      if (index % 3 === 0) socket.write(startup());
      if (index % 2 === 0) socket.resetAndDestroy();
      else socket.destroy();
    }
  }
  await good();
  await assertFree(150);
});

test('a thousand half-open connections and slow log-ins keep nobody out, and end', async () => {
  const half = startup().subarray(0, 6);
  const waiting = Array.from({ length: 1_000 }, (_, index) => {
    const socket = opened();
    if (index % 2 === 0) socket.write(half);
    return socket;
  });
  await good();
  const open = held();
  assert.ok(open <= connectionsMax, `${open} connections are open`);
  // A second after they were opened only so many may wait without a credential, and after the limit none.
  const began = performance.now();
  await framehold.until('end of those above the limit', () => (held() <= unauthenticatedMax ? true : null));
  await framehold.until('end of all', () => (waiting.every(({ closed }) => closed) ? true : null));
  assertTook(performance.now() - began, loginMs + 2_000, 'the end of all that did not log in');
  await good();
  await assertFree(150);
});

test('an answer of ten million rows that nobody reads waits in little memory, and ends', async () => {
  const rows = "select i, i * 0.5::double as d, 'row ' || i as t, now() as n from range(10000000) r(i)";
  for (const statement of [rows, `copy (${rows}) to stdout (format binary)`]) {
    const client = await logIn();
    client.send(query(statement));
    await client.next();
    client.socket.pause();
    let most = 0;
    const began = performance.now();
    await framehold.until('end of the connection', () => {
      most = Math.max(most, residentMegabytes(framehold.pid));
      return held() === 0 ? true : null;
    });
    assertTook(performance.now() - began, answerMs + 4_000, 'the end of an answer that is not read');
    assert.ok(most - usualMegabytes < 200, `${(most - usualMegabytes).toFixed()} MB more than before`);
    client[Symbol.dispose]();
  }
  await good();
});

test('a thousand executions in one pipeline without Sync are answered in order', async () => {
  const client = await logIn();
  const statements = Array.from({ length: 1_000 }, (_, index) => {
    const text = index % 50 === 0 ? `select ${index}` : 'show timezone';
    return [parse(text), bind(), execute()];
  });
  client.send(...statements.flat());
  await good();
  client.send(sync);
  const answers = await client.answers();
  const wanted = Array.from({ length: 1_000 }, (_, index) =>
    index % 50 === 0 ? `1 2 D:${index} C:SELECT 1` : '1 2 D:UTC C:SHOW',
  );
  assert.equal(answers, [...wanted, 'ZI'].join(' '));
});

test('what is announced and not sent takes no memory, and keeps no other message out', async () => {
  const tooLong = await logIn();
  tooLong.send(Buffer.from('Q'), int32(100 * 1024 ** 2));
  assert.equal(await tooLong.answers(), 'E:54000 end');
  const before = residentMegabytes(framehold.pid);
  // Together these announce more than all connections may hold.
  for (let index = 0; index < 40; index++)
    (await logIn()).send(Buffer.from('Q'), int32(16 * 1024 ** 2), Buffer.from('select'));
  await timePasses(200, 'until all of it has arrived');
  const more = residentMegabytes(framehold.pid) - before;
  assert.ok(more < 60, `${more.toFixed()} MB more than before`);
  const client = await logIn();
  client.send(query(`show timezone /*${'x'.repeat(900_000)}*/`));
  assert.equal(await client.answers(), 'T D:UTC C:SHOW ZI');
});
