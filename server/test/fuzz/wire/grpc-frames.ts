import type { SeededRandom } from './wire-random.ts';

/** HTTP/2 by hand: frames, and header blocks without a table, for what no library sends. */

export const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
export const frameType = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  push: 5,
  ping: 6,
  goaway: 7,
  window: 8,
  continuation: 9,
} as const;
const endStream = 1;
export const endHeaders = 4;

export function frame(
  type: number,
  flags: number,
  stream: number,
  payload: Uint8Array = Buffer.alloc(0),
  length = payload.length,
): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(length & 0xffffff, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream >>> 0, 5);
  return Buffer.concat([head, payload]);
}

/** Each header as a literal that is not kept: short names and values only, or many bytes of length. */
export function headerBlock(headers: readonly (readonly [string, string])[]): Buffer {
  return Buffer.concat(headers.flatMap(([name, value]) => [Buffer.of(0), literal(name), literal(value)]));
}

function literal(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1');
  return Buffer.concat([hpackInteger(bytes.length, 7), bytes]);
}

function hpackInteger(value: number, prefixBits: number): Buffer {
  const max = 2 ** prefixBits - 1;
  if (value < max) return Buffer.of(value);
  const bytes = [max];
  let rest = value - max;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  bytes.push(rest);
  return Buffer.from(bytes);
}

export function callHeaders(path: string): readonly (readonly [string, string])[] {
  return [
    [':method', 'POST'],
    [':scheme', 'http'],
    [':path', path],
    [':authority', 'localhost'],
    ['content-type', 'application/grpc'],
    ['te', 'trailers'],
  ];
}

export function setting(id: number, value: number): Buffer {
  const bytes = Buffer.alloc(6);
  bytes.writeUInt16BE(id, 0);
  bytes.writeUInt32BE(value >>> 0, 2);
  return bytes;
}

export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
}

const streams = [0, 1, 1, 1, 3, 5, 2, 4, 99, 2 ** 31 - 1, 2 ** 32 - 1];
const doGet = '/arrow.flight.protocol.FlightService/DoGet';
const ticket = Buffer.of(0, 0, 0, 0, 6, 0x0a, 4, 0x73, 0x65, 0x65, 0x64);

/** The bytes of one connection: a greeting most of the time, a call perhaps, then what nobody should send. */
export function makeFrames(random: SeededRandom): Buffer {
  const parts: Buffer[] = [];
  if (random.percent(94)) parts.push(preface);
  else
    parts.push(
      random.pick([
        Buffer.from('GET / HTTP/1.1\r\nhost: a\r\n\r\n'),
        random.mutate(preface),
        random.bytes(30),
        Buffer.of(0x16, 3, 1, 2, 0, 1, 0),
      ]),
    );
  if (random.percent(90)) parts.push(frame(frameType.settings, 0, 0));
  if (random.percent(60)) parts.push(call(random, 1));
  for (let count = random.below(6); count > 0; count--) parts.push(oddFrames(random));
  const bytes = Buffer.concat(parts);
  if (random.percent(20)) return random.mutate(bytes);
  return random.percent(10) ? bytes.subarray(0, random.below(bytes.length)) : bytes;
}

function call(random: SeededRandom, stream: number): Buffer {
  const block = headerBlock(callHeaders(doGet));
  const data = random.percent(80) ? ticket : random.bytes(random.size());
  return Buffer.concat([
    frame(frameType.headers, endHeaders, stream, block),
    frame(frameType.data, random.percent(80) ? endStream : 0, stream, data),
  ]);
}

function oddFrames(random: SeededRandom): Buffer {
  const stream = random.pick(streams);
  const many = (count: number, one: Buffer): Buffer =>
    Buffer.concat(Array.from({ length: random.below(count) }, () => one));
  switch (random.below(20)) {
    case 0:
      return frame(random.below(14), random.below(256), stream, random.bytes(random.size()));
    case 1:
      return frame(
        random.below(10),
        random.below(256),
        stream,
        random.bytes(random.below(40)),
        random.below(2 ** 24),
      );
    case 2:
      return frame(
        frameType.settings,
        0,
        0,
        Buffer.concat([
          setting(random.below(10), random.pick([0, 1, 2, 2 ** 14 - 1, 2 ** 24, 2 ** 31, 2 ** 32 - 1])),
        ]),
      );
    case 3:
      return frame(frameType.settings, random.below(2), random.pick([0, 1]), random.bytes(random.below(20)));
    case 4:
      return many(300, frame(frameType.settings, 0, 0, setting(4, random.below(70_000))));
    case 5:
      return many(300, frame(frameType.ping, 0, 0, Buffer.alloc(8)));
    case 6:
      return frame(frameType.ping, random.below(2), random.pick([0, 1]), random.bytes(random.below(12)));
    case 7:
      return frame(frameType.window, 0, stream, uint32(random.pick([0, 1, 2 ** 31 - 1, 2 ** 31])));
    case 8:
      return many(50, frame(frameType.window, 0, random.pick([0, 1]), uint32(2 ** 31 - 1)));
    case 9:
      return Buffer.concat([
        frame(frameType.headers, 0, stream, headerBlock(callHeaders(doGet))),
        many(
          60,
          frame(frameType.continuation, 0, stream, headerBlock([['a', 'b'.repeat(random.below(200))]])),
        ),
        frame(frameType.continuation, endHeaders, stream),
      ]);
    case 10:
      return many(30, frame(frameType.continuation, random.below(8), stream, random.bytes(random.below(60))));
    case 11:
      // Opened and given up at once.
      return Buffer.concat(
        Array.from({ length: random.below(100) }, (_, index) =>
          Buffer.concat([
            frame(frameType.headers, endHeaders, 2 * index + 1, headerBlock(callHeaders(doGet))),
            frame(frameType.reset, 0, 2 * index + 1, uint32(8)),
          ]),
        ),
      );
    case 12:
      return frame(frameType.headers, endHeaders, stream, random.mutate(headerBlock(callHeaders(doGet))));
    case 13:
      return frame(frameType.headers, endHeaders | endStream, stream, hpackTrick(random));
    case 14:
      return many(200, frame(frameType.data, 0, stream));
    case 15:
      return frame(
        random.pick([frameType.data, frameType.headers]),
        8 | endHeaders,
        stream,
        Buffer.concat([Buffer.of(random.below(256)), random.bytes(random.below(80))]),
      );
    case 16:
      return frame(
        frameType.priority,
        0,
        stream,
        Buffer.concat([uint32(random.pick(streams)), Buffer.of(1)]),
      );
    case 17:
      return frame(
        frameType.push,
        endHeaders,
        stream,
        Buffer.concat([uint32(2), headerBlock(callHeaders('/'))]),
      );
    case 18:
      return frame(
        frameType.goaway,
        0,
        0,
        Buffer.concat([uint32(0), uint32(random.below(16)), random.bytes(random.below(50))]),
      );
    default:
      return frame(frameType.headers, endHeaders, stream, headerBlock(oddHeaders(random)));
  }
}

function oddHeaders(random: SeededRandom): [string, string][] {
  const headers = callHeaders(doGet).map(([name, value]) => [name, value] as [string, string]);
  const odd = random.pick<[string, string]>([
    ['A', 'b'],
    ['', ''],
    [':path', '/'],
    [':status', '200'],
    [':x', 'y'],
    ['connection', 'close'],
    ['transfer-encoding', 'chunked'],
    ['upgrade', 'x'],
    ['te', 'gzip'],
    ['a', 'b\r\nc: d'],
    ['a', '\0'],
    ['a\0', 'b'],
    ['a b', 'c'],
    ['content-length', '5'],
    ['content-length', '-1'],
    ['host', 'other'],
    ['x', 'y'.repeat(20_000)],
    ['\x80\xff', 'x'],
    ['authorization', '\x80\xff'],
  ]);
  if (random.percent(20)) headers.splice(random.below(headers.length), 1);
  headers.splice(random.below(headers.length + 1), 0, odd);
  return headers;
}

/** Header blocks that are small on the wire and large, or never whole, once taken apart. */
function hpackTrick(random: SeededRandom): Buffer {
  const call = headerBlock(callHeaders(doGet));
  const kept = Buffer.concat([Buffer.of(0x40), literal('b'), literal('v'.repeat(4_000))]);
  return random.pick([
    // One large header is kept, then named again and again by a byte each.
    Buffer.concat([call, kept, Buffer.alloc(8_000, 0x80 | 62)]),
    Buffer.concat([call, Buffer.of(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f)]),
    Buffer.concat([call, Buffer.of(0x80)]),
    Buffer.concat([call, Buffer.of(0x80 | 70)]),
    Buffer.concat([Buffer.of(0x3f, 0xe1, 0xff, 0xff, 0x0f), call]),
    Buffer.concat([call, Buffer.of(0x20)]),
    Buffer.concat([call, Buffer.of(0x00, 0x7f, 0xff, 0xff, 0xff, 0x0f)]),
    Buffer.concat([call, Buffer.of(0x00, 0x84, 0xff, 0xff, 0xff, 0xff, 0x01, 0x61)]),
    call.subarray(0, random.below(call.length)),
    Buffer.concat([call, headerBlock(Array.from({ length: random.below(2_000) }, () => ['a', ''] as const))]),
  ]);
}
