import assert from 'node:assert/strict';
import { type ClientHttp2Session, connect } from 'node:http2';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { grpcMessageOf } from '../../../server/src/flight/grpc-message.ts';
import { flightService, RawCall, schemaFrame } from '../../../server/test/flight/raw-call.ts';
import {
  callHeaders,
  endHeaders,
  frame,
  frameType,
  headerBlock,
  preface,
  setting,
  uint32,
} from '../../../server/test/fuzz/wire/grpc-frames.ts';
import { putFrame } from '../../../server/test/support/frame-client.ts';
import { Framehold } from '../../../server/test/support/framehold-process.ts';
import { assertTook } from '../../../server/test/support/machine-pace.ts';
import { timePasses } from '../../../server/test/support/passing-time.ts';
import { eventually } from '../../../server/test/support/patience.ts';
import { arrowBytes } from '../../../server/test/support/python.ts';
import { allEndedWithin, Held, holdMany, portOf, underAttack } from './under-attack.ts';

const callMs = 2_500;
const connectionsMax = 40;
const messageBytesMax = 32 * 1024 * 1024;
const memoryMax = 96 * 1024 * 1024;
/** The listener's own: who speaks HTTP/2 greets at once. */
const greetingMs = 10_000;
/** As the listener has it: calls that a connection may give up at once. */
const resetBurst = 200;
const slackMs = 4_000;
const greeting = Buffer.concat([preface, frame(frameType.settings, 0, 0)]);
const doGet = flightService('DoGet');
/** `seed`, in a Ticket. */
const ticket = Buffer.of(0, 0, 0, 0, 6, 0x0a, 4, 0x73, 0x65, 0x65, 0x64);

let framehold: Framehold;
let port: number;
let address: string;
let schema: Buffer;
before(async () => {
  framehold = await Framehold.start({
    ownConfigFile: [
      '[server]',
      `max_connections = ${connectionsMax}`,
      `call_timeout_ms = ${callMs}`,
      `message_bytes_max = ${messageBytesMax}`,
      `message_memory_max = ${memoryMax}`,
      // What the background does with the memory is another matter.
      '[transcode]',
      'threads = 0',
    ].join('\n'),
    env: { FRAMEHOLD_LOG_LEVEL: 'warn' },
  });
  port = portOf(framehold.grpcUrl);
  address = `127.0.0.1:${port}`;
  const tables = await arrowBytes({
    seed: `pa.table({'a': pa.array(range(10), pa.int64())})`,
    big: `pa.table({'a': pa.array(np.random.default_rng(1).integers(0, 2**62, 2_000_000))})`,
  });
  for (const [name, bytes] of Object.entries(tables)) await putFrame(framehold.url, name, bytes);
  schema = tables.seed.subarray(8, 8 + tables.seed.readInt32LE(4));
});
after(async () => await framehold.remove());

test('connections that never greet, or say goodbye and then talk nonsense, are closed after ten seconds', async (t) => {
  await underAttack(t, framehold, { growthMegabytes: 100 }, async () => {
    const silent = holdMany(connectionsMax - 15, port);
    const half = holdMany(10, port);
    for (const each of half) each.socket.write(preface.subarray(0, 10));
    // Found by fuzzing: Node left such a connection and its call open, even after the client had gone.
    const leaving = holdMany(5, port);
    const goodbye = frame(frameType.goaway, 0, 0, Buffer.concat([uint32(0), uint32(0)]));
    const nonsense = frame(frameType.continuation, 0, 1, Buffer.from('x'));
    const call = frame(frameType.headers, endHeaders, 1, headerBlock(callHeaders(doGet)));
    for (const each of leaving) {
      each.socket.write(
        Buffer.concat([greeting, call, frame(frameType.data, 1, 1, ticket), goodbye, nonsense]),
      );
    }
    await allEndedWithin([...silent, ...half, ...leaving], greetingMs + slackMs);
  });
  await nothingIsLeft();
  assert.equal(await read('seed'), '0');
});

test('connections above the limit are closed at once', async (t) => {
  const closed = await underAttack(t, framehold, { growthMegabytes: 100 }, async () => {
    const held = holdMany(connectionsMax * 5, port);
    for (const each of held) each.socket.write(greeting);
    const closed = () => held.filter((each) => each.endedAfterMs !== null).length;
    const began = performance.now();
    await eventually('those above the limit are closed', () => closed() >= connectionsMax * 4 - 1);
    assertTook(performance.now() - began, slackMs);
    const early = closed();
    for (const each of held) each.socket.destroy();
    await Promise.all(held.map((each) => each.ended));
    return early;
  });
  assert.ok(closed >= connectionsMax * 4 - 1, `${closed} were closed`);
  assert.equal(await read('seed'), '0');
});

test('rapid reset: a connection that begins calls and gives them up is closed, however often it comes back', async (t) => {
  const calls = 20_000;
  const rounds = 6;
  // With a request in each, so that the calls begin; and without.
  const bytes = [resets(calls, true), resets(calls, false)];
  const begunBefore = await callsSoFar();
  await underAttack(t, framehold, { growthMegabytes: 150 }, async () => {
    for (let round = 0; round < rounds; round++) {
      const held = new Held(port);
      held.socket.write(bytes[round % 2] ?? greeting);
      await held.endedWithin(slackMs * 2);
    }
  });
  const begun = (await callsSoFar()) - begunBefore;
  t.diagnostic(`${begun} of ${calls * rounds} calls began`);
  // What had come before the connection was closed is taken, too.
  assert.ok(begun <= rounds * resetBurst * 4, `${begun} began`);
  await nothingIsLeft();
});

test('floods of CONTINUATION, PING, SETTINGS, empty DATA and WINDOW_UPDATE end the connection, read or not', async (t) => {
  const block = headerBlock(callHeaders(doGet));
  const open = frame(frameType.headers, endHeaders, 1, block);
  const floods: Record<string, Buffer[]> = {
    continuation: [
      frame(frameType.headers, 0, 1, block),
      ...repeat(2_000, frame(frameType.continuation, 0, 1, headerBlock([['a', 'b'.repeat(8_000)]]))),
    ],
    'small continuations': [
      frame(frameType.headers, 0, 1, block),
      ...repeat(100_000, frame(frameType.continuation, 0, 1, headerBlock([['a', 'b']]))),
    ],
    ping: repeat(200_000, frame(frameType.ping, 0, 0, Buffer.alloc(8))),
    settings: repeat(200_000, frame(frameType.settings, 0, 0, setting(4, 65_535))),
    'window overflow': [open, ...repeat(5, frame(frameType.window, 0, 1, uint32(2 ** 31 - 1)))],
  };
  for (const [name, frames] of Object.entries(floods)) {
    const bytes = Buffer.concat([greeting, ...frames]);
    const took = await underAttack(t, framehold, { growthMegabytes: 120 }, async () => {
      // Who does not read does not take the answers to each frame either.
      const unread = new Held(port, { reads: false });
      unread.socket.pause().write(bytes);
      const flooding = new Held(port);
      flooding.socket.write(bytes);
      const after = await Promise.race([
        flooding.ended.then(() => flooding.endedAfterMs),
        timePasses(4_000, 'a flood that goes on').then(() => null),
      ]);
      for (const each of [flooding, unread]) each.socket.destroy();
      return after;
    });
    t.diagnostic(`${name}: ${took === null ? 'served to its end' : `closed after ${took.toFixed(0)} ms`}`);
    // PING and SETTINGS are answered as fast as they are taken; they may go on as long as nothing grows.
    if (name !== 'ping' && name !== 'settings') assert.notEqual(took, null, `${name} is not stopped`);
  }
  await nothingIsLeft();
});

test('headers that are small on the wire and large once taken apart are refused', async (t) => {
  const kept = Buffer.concat([Buffer.of(0x40, 1, 0x62, 0x7f, 0xa1, 0x1e), Buffer.alloc(4_000, 0x76)]);
  const block = Buffer.concat([headerBlock(callHeaders(doGet)), kept, Buffer.alloc(12_000, 0x80 | 62)]);
  const calls = Array.from({ length: 90 }, (_, index) =>
    frame(
      frameType.headers,
      endHeaders,
      2 * index + 1,
      index === 0 ? block : block.subarray(0, block.length),
    ),
  );
  const many = headerBlock([
    ...callHeaders(doGet),
    ...Array.from({ length: 3_000 }, (_, index) => [`h${index % 10}`, ''] as const),
  ]);
  const answers = await underAttack(t, framehold, { growthMegabytes: 80 }, async () => {
    const bomb = new Held(port);
    bomb.socket.write(Buffer.concat([greeting, ...calls]));
    const heads = new Held(port);
    heads.socket.write(Buffer.concat([greeting, frame(frameType.headers, endHeaders, 1, many)]));
    const isRefused = (held: Held, count: number) => {
      const types = frameTypes(Buffer.from(held.text, 'latin1'));
      return (
        types.includes(frameType.goaway) || types.filter((type) => type === frameType.reset).length === count
      );
    };
    await eventually('every call is refused', () => isRefused(bomb, calls.length) && isRefused(heads, 1));
    bomb.socket.destroy();
    heads.socket.destroy();
    return [bomb.text, heads.text].map((text) => frameTypes(Buffer.from(text, 'latin1')));
  });
  // Either the stream is reset or the connection ends; no call is served.
  for (const types of answers) {
    assert.ok(types.includes(frameType.reset) || types.includes(frameType.goaway), String(types));
    assert.ok(!types.includes(frameType.data));
  }
});

test('a message that announces 4 GB is refused by its prefix, and what calls hold together has a limit', async (t) => {
  await underAttack(t, framehold, { growthMegabytes: 100 }, async () => {
    const calls = Array.from({ length: 30 }, () => new RawCall(address, flightService('DoPut')));
    for (const call of calls) call.stream.write(Buffer.of(0, 0xff, 0xff, 0xff, 0xff));
    for (const call of calls) assert.equal(await codeOf(call), 'body_too_large');
  });
  const statuses = await underAttack(t, framehold, { growthMegabytes: 300 }, async () => {
    // Sixteen calls that each hold 24 MB of a message which never becomes whole; there is room for four.
    const prefix = Buffer.of(0, 0x01, 0xe0, 0, 0);
    const calls = Array.from({ length: 16 }, () => new RawCall(address, flightService('DoPut')));
    for (const call of calls) call.stream.write(Buffer.concat([prefix, Buffer.alloc(24 * 1024 * 1024)]));
    return await Promise.all(calls.map(codeOf));
  });
  t.diagnostic(`sixteen calls of 24 MB, room for 96: ${tally(statuses)}`);
  assert.ok(statuses.includes('overloaded'));
  // Those that had room were given up when nothing more came.
  assert.ok(statuses.every((code) => code === 'overloaded' || code === 'request_timeout'));
  await nothingIsLeft();
});

test('messages that would become millions of things are refused, by health checks and by Flight', async (t) => {
  const health = (method: string) => `/grpc.health.v1.Health/${method}`;
  const ofFields = (field: Buffer, bytes: number) => grpcMessageOf(Buffer.alloc(bytes, field));
  const unknown = Buffer.of(0x78, 0);
  const twoMegabytes = 2 * 1024 * 1024;
  const packed = (bytes: Buffer) => Buffer.concat([Buffer.of(1), uint32(bytes.length), bytes]);
  await underAttack(t, framehold, { growthMegabytes: 150 }, async () => {
    const asked = [
      // Health is for everybody: some kilobytes are all that a message of it takes.
      { path: health('Check'), message: ofFields(unknown, messageBytesMax), status: '8' },
      { path: health('Watch'), message: ofFields(unknown, 5_000), status: '8' },
      { path: health('Check'), message: packed(gzipSync(Buffer.alloc(twoMegabytes, unknown))), status: '8' },
      {
        path: flightService('GetFlightInfo'),
        message: ofFields(Buffer.of(0x1a, 0), messageBytesMax),
        status: '8',
      },
      {
        path: flightService('GetFlightInfo'),
        message: ofFields(Buffer.of(0x1a, 0), twoMegabytes / 2),
        status: '3',
      },
      { path: flightService('DoAction'), message: ofFields(unknown, twoMegabytes), status: '3' },
      { path: doGet, message: ofFields(unknown, twoMegabytes), status: '3' },
      { path: flightService('ListFlights'), message: ofFields(unknown, 60_000), status: '3' },
      { path: flightService('ListFlights'), message: ofFields(unknown, twoMegabytes), status: '8' },
    ];
    for (const { path, message, status } of asked) {
      const compression: Record<string, string> = message[0] === 1 ? { 'grpc-encoding': 'gzip' } : {};
      const call = new RawCall(address, path, compression);
      // Of what is too large the beginning is enough.
      if (message.length > twoMegabytes * 2) call.stream.write(message.subarray(0, 65_536));
      else call.stream.end(message);
      const began = performance.now();
      assert.equal((await call.status())['grpc-status'], status, path);
      assertTook(performance.now() - began, slackMs);
    }
  });
});

test('compressed messages that blow up are refused, and do not fill the memory together', async (t) => {
  const gzipped = { 'grpc-encoding': 'gzip' };
  const zeros = (megabytes: number): Buffer => {
    const packed = gzipSync(Buffer.alloc(megabytes * 1024 * 1024));
    const prefix = Buffer.alloc(5);
    prefix[0] = 1;
    prefix.writeUInt32BE(packed.length, 1);
    return Buffer.concat([prefix, packed]);
  };
  const large = zeros(512);
  const codes = await underAttack(t, framehold, { growthMegabytes: 250 }, async () => {
    const calls = Array.from({ length: 20 }, () => new RawCall(address, flightService('DoPut'), gzipped));
    for (const call of calls) call.stream.end(large);
    return await Promise.all(calls.map(codeOf));
  });
  t.diagnostic(`twenty messages of ${large.length} bytes, 512 MB each: ${tally(codes)}`);
  // Two are taken apart at a time: on a busy machine the others wait for longer than a call may.
  assert.ok(codes.every((code) => code === 'body_too_large' || code === 'request_timeout'));
  assert.ok(codes.includes('body_too_large'));
  // Each within its own limit, but many: 60 times 20 MB out of 20 kB, in calls that are held open.
  const small = zeros(20);
  const many = await underAttack(t, framehold, { growthMegabytes: 350 }, async () => {
    const calls = Array.from({ length: 30 }, () => new RawCall(address, flightService('DoPut'), gzipped));
    for (const call of calls) call.stream.write(Buffer.concat([small, small]));
    return await Promise.all(calls.map(codeOf));
  });
  t.diagnostic(`sixty messages of ${small.length} bytes, 20 MB each: ${tally(many)}`);
  assert.ok(many.every((code) => ['overloaded', 'bad_body', 'request_timeout'].includes(code)));
  await nothingIsLeft();
});

test('calls that never end, and readers that take nothing, lose their calls within twice the time', async (t) => {
  const outcome = await underAttack(t, framehold, { growthMegabytes: 300 }, async () => {
    const began = performance.now();
    const puts = Array.from({ length: 40 }, (_, index) => {
      const call = index % 10 === 0 ? new RawCall(address, flightService('DoPut')) : null;
      call?.stream.write(schemaFrame(`never${index}`, schema));
      return call;
    }).filter((call) => call !== null);
    const session = connect(`http://${address}`, { settings: { initialWindowSize: 0 } });
    session.on('error', () => {});
    // Each holds a batch, of 16 MB here.
    const readers = Array.from({ length: 8 }, () => zeroWindowRead(session));
    const codes = await Promise.all(puts.map(codeOf));
    const resets = await Promise.all(readers);
    session.destroy();
    return { codes, resets, tookMs: performance.now() - began };
  });
  assert.deepEqual(new Set(outcome.codes), new Set(['request_timeout']));
  assert.deepEqual(new Set(outcome.resets), new Set([8]));
  assertTook(outcome.tookMs, callMs * 2 + slackMs);
  await nothingIsLeft();
});

/** A connection that begins so many calls and gives each up at once. */
function resets(count: number, withRequest: boolean): Buffer {
  const block = headerBlock(callHeaders(doGet));
  const frames: Buffer[] = [greeting];
  for (let stream = 1; stream < 2 * count; stream += 2) {
    frames.push(frame(frameType.headers, endHeaders, stream, block));
    if (withRequest) frames.push(frame(frameType.data, 1, stream, ticket));
    frames.push(frame(frameType.reset, 0, stream, uint32(8)));
  }
  return Buffer.concat(frames);
}

async function callsSoFar(): Promise<number> {
  const text = await (await fetch(`${framehold.url}/metrics`)).text();
  const counts = [...text.matchAll(/^framehold_flight_calls_total\{[^}]*\} (\d+)$/gm)];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}

function zeroWindowRead(session: ClientHttp2Session): Promise<number> {
  const stream = session.request({
    ':method': 'POST',
    ':path': doGet,
    'content-type': 'application/grpc',
    te: 'trailers',
  });
  stream.on('error', () => {});
  stream.end(Buffer.of(0, 0, 0, 0, 5, 0x0a, 3, 0x62, 0x69, 0x67));
  return new Promise((resolve) => stream.on('close', () => resolve(stream.rstCode)));
}

/** How a call ended. Its connection goes: the client's side of the call is still open, and would keep it. */
async function codeOf(call: RawCall): Promise<string> {
  const code = String((await call.status())['framehold-code']);
  call.session.destroy();
  return code;
}

/** The status of a plain read. */
async function read(name: string): Promise<string> {
  const call = new RawCall(address, doGet);
  call.stream.end(
    Buffer.concat([Buffer.of(0, 0, 0, 0, name.length + 2, 0x0a, name.length), Buffer.from(name)]),
  );
  return String((await call.status())['grpc-status']);
}

/** No call, no put and no read is held for those who have gone. */
async function nothingIsLeft(): Promise<void> {
  await framehold.until('an end of all reads and puts', async () => {
    const text = await (await fetch(`${framehold.url}/metrics`)).text();
    const active = [...text.matchAll(/^framehold_(?:reads|puts)_open(?:\{[^}]*\})? (\d+)$/gm)];
    return active.every(([, count]) => count === '0') ? true : null;
  });
  assert.equal(await read('seed'), '0');
}

function frameTypes(bytes: Buffer): number[] {
  const types: number[] = [];
  for (let at = 0; at + 9 <= bytes.length; at += 9 + bytes.readUIntBE(at, 3)) types.push(bytes[at + 3] ?? -1);
  return types;
}

function repeat(count: number, bytes: Buffer): Buffer[] {
  return Array.from({ length: count }, () => bytes);
}

function tally(words: readonly string[]): string {
  const counts = Map.groupBy(words, (word) => word);
  return [...counts].map(([word, all]) => `${all.length} ${word}`).join(', ');
}
