import { deflateSync, gzipSync } from 'node:zlib';
import { CommandGetTablesSchema } from '../../../src/flight/gen/FlightSql_pb.js';
import { anyOf, field, flightMessages, randomMessage, sqlMessages, varint } from './grpc-messages.ts';
import type { SeededRandom } from './wire-random.ts';

/** One call over a well-formed HTTP/2 connection. */
export interface GrpcCase {
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly pieces: readonly Buffer[];
  /** How the client is done: it ends its side, resets the stream, or stops in the middle of it (and resets a little later). */
  readonly ending: 'end' | 'reset' | 'leave';
  readonly resetCode: number;
}

export interface GrpcCorpus {
  /** A put that would be taken: its FlightData messages without their prefixes, the descriptor left out of the first. */
  readonly puts: readonly (readonly Buffer[])[];
}

const service = '/arrow.flight.protocol.FlightService/';
const methods = [
  ...[
    'Handshake',
    'ListFlights',
    'GetFlightInfo',
    'PollFlightInfo',
    'GetSchema',
    'DoGet',
    'DoPut',
    'DoExchange',
  ],
  ...['DoAction', 'ListActions', 'GetFlightInfo', 'DoGet', 'DoAction', 'DoPut'],
] as const;
const oddPaths = [
  ...[
    '',
    '/',
    '*',
    '//',
    `${service}`,
    `${service}Nothing`,
    `${service}DoGet/`,
    `${service}doget`,
    `${service}DoGet%00`,
  ],
  ...[
    '/arrow.flight.protocol.FlightService',
    '/grpc.health.v1.Health/Nothing',
    `/${'x'.repeat(8_000)}`,
    '/é',
    '/%ff',
  ],
  ...[
    '/__proto__',
    '/constructor',
    `${service}DoGet?a=b`,
    '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo',
  ],
];
const actionTypes = [
  ...[
    'drop',
    'expire',
    'keep',
    'versions',
    'CreatePreparedStatement',
    'ClosePreparedStatement',
    'CancelFlightInfo',
    'CancelQuery',
  ],
  ...[
    'BeginTransaction',
    'EndTransaction',
    'BeginSavepoint',
    'EndSavepoint',
    'SetSessionOptions',
    'GetSessionOptions',
  ],
  ...[
    'CloseSession',
    'RenewFlightEndpoint',
    'CreatePreparedSubstraitPlan',
    '',
    '__proto__',
    'toString',
    'x'.repeat(300),
  ],
];
const jsonTexts = [
  ...[
    '{}',
    '{"handle":"seed"}',
    '{"name":"g0"}',
    '{"name":"g1","ttl":"1h"}',
    '{"name":"seed","limit":1}',
    '{',
    '[]',
    'null',
  ],
  ...[
    '{"name":"g0","mode":"append"}',
    '{"handle":"seed","columns":["a"],"limit":2}',
    '{"handle":"\\ud800"}',
    '{"name":1}',
  ],
  ...[
    '{"name":"seed","__proto__":{}}',
    '{"name":"seed","limit":1e99}',
    `${'{"a":'.repeat(2_000)}`,
    '{"handle":"seed","offset":-1}',
  ],
].map((text) => Buffer.from(text));
const handles = [
  'seed',
  'seed@1',
  'wide',
  'g0',
  'g1@1',
  'nothing',
  '',
  '@',
  'a@',
  '\u0000',
  '__proto__',
  'é',
  'x'.repeat(200),
  // Around the limits of a handle, and of a message that is no statement.
  ...[1_024, 1_025, 65_530, 65_537].map((length) => 'x'.repeat(length)),
];
/** Around the limits of a pattern. */
const patterns = [1_024, 1_025, 65_530, 65_537].map((length) => Buffer.alloc(length, '%a_\\'));
const headerValues: Readonly<Record<string, readonly string[]>> = {
  'content-type': [
    'application/grpc',
    'application/grpc+proto',
    'application/grpc+json',
    'application/grpcx',
    'text/plain',
    '',
    'x',
  ],
  te: ['trailers', 'gzip', ''],
  'grpc-timeout': [
    '1S',
    '5S',
    '1m',
    '0n',
    '99999999H',
    '1',
    'S',
    '-1S',
    '1e3S',
    '',
    '999999999999S',
    '1 S',
    'x'.repeat(500),
    '10u',
  ],
  'grpc-encoding': ['identity', 'gzip', 'deflate', 'br', 'snappy', '', 'x', 'gzip,gzip', '__proto__'],
  'grpc-accept-encoding': ['gzip', 'x', '', ','],
  'user-agent': ['grpc-c++/1', '', 'x'.repeat(2_000)],
  authorization: ['Bearer x', 'Basic YTpi', 'Basic', '', 'Basic \x80\xff', 'x'.repeat(4_000)],
  'x-request-id': ['abc', '', '\x80', 'x'.repeat(500)],
  'a-bin': ['AAAA', '%%%', '', ',,,,', 'x'.repeat(3_000)],
  'grpc-status': ['0', 'x'],
  'content-length': ['0', '5', '99999999', '-1', 'x'],
  'accept-encoding': ['gzip'],
  'framehold-x': ['\x80\xff', 'é', ' x ', '"'],
  'grpc-trace-bin': ['AAAA', '!'],
  cookie: ['a=b'],
  host: ['x'],
};

export function makeGrpcCase(random: SeededRandom, corpus: GrpcCorpus): GrpcCase {
  const method = random.pick(methods);
  const isHealth = random.percent(4);
  const path = random.percent(6)
    ? random.pick(oddPaths)
    : isHealth
      ? `/grpc.health.v1.Health/${random.pick(['Check', 'Watch'])}`
      : service + method;
  const headers: Record<string, string | readonly string[]> = {
    ':method': random.percent(97) ? 'POST' : random.pick(['GET', 'PUT', 'OPTIONS', 'X']),
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
  };
  for (let count = random.percent(55) ? 0 : random.below(4); count > 0; count--) {
    const name = random.pick(Object.keys(headerValues));
    const value = random.pick(headerValues[name] ?? ['']);
    // The client would refuse to send some of them twice.
    headers[name] = name.startsWith('x-') && random.percent(20) ? [value, value] : value;
  }
  if (random.percent(1)) for (let count = 0; count < 120; count++) headers[`h${count}`] = 'v';
  const ending = random.percent(80) ? 'end' : random.percent(50) ? 'reset' : 'leave';
  const messages = isHealth ? [randomText(random)] : messagesOf(random, method, corpus);
  const resetCode = random.pick([0, 1, 2, 3, 5, 7, 8, 11]);
  return { headers, pieces: framed(random, messages, headers), ending, resetCode };
}

/** The messages that a client of this method would send, or something like them. */
function messagesOf(random: SeededRandom, method: (typeof methods)[number], corpus: GrpcCorpus): Buffer[] {
  const times = random.percent(92) ? 1 : random.below(5);
  const each = Array.from({ length: times }, () => messageOf(random, method));
  if (method === 'DoPut' && random.percent(60)) {
    const [first = Buffer.alloc(0), ...rest] = random.pick(corpus.puts);
    const messages = [Buffer.concat([field(1, descriptor(random)), first]), ...rest];
    return messages.map((message) => (random.percent(12) ? random.mutate(message) : message));
  }
  return each.map((message) => (random.percent(25) ? random.mutate(message) : message));
}

function messageOf(random: SeededRandom, method: (typeof methods)[number]): Buffer {
  // Any message where another is expected.
  if (random.percent(10)) return randomMessage(random, random.pick([...flightMessages, ...sqlMessages]));
  switch (method) {
    case 'GetFlightInfo':
    case 'GetSchema':
    case 'PollFlightInfo':
      return descriptor(random);
    case 'DoGet':
      return field(1, random.percent(50) ? Buffer.from(random.pick(handles)) : command(random));
    case 'DoAction':
      return Buffer.concat([
        field(1, Buffer.from(random.pick(actionTypes))),
        field(2, random.percent(40) ? random.pick(jsonTexts) : command(random)),
      ]);
    case 'DoPut':
    case 'DoExchange':
      return Buffer.concat([field(1, descriptor(random)), field(2, random.bytes(random.size()))]);
    case 'ListFlights':
      return field(1, random.percent(50) ? random.pick(jsonTexts) : random.bytes(random.size()));
    case 'Handshake':
      return Buffer.concat([
        Buffer.of(0x08),
        varint(random.below(300)),
        field(2, random.bytes(random.size())),
      ]);
    default:
      return random.bytes(random.below(8));
  }
}

/** A path to a frame, one of our own commands, or one of Flight SQL. */
function descriptor(random: SeededRandom): Buffer {
  if (random.percent(8))
    return randomMessage(
      random,
      flightMessages.find(({ name }) => name === 'FlightDescriptor') ?? random.pick(flightMessages),
    );
  if (random.percent(45))
    return Buffer.concat([Buffer.of(0x08, 1), field(3, Buffer.from(random.pick(handles)))]);
  return Buffer.concat([
    Buffer.of(0x08, 2),
    field(2, random.percent(30) ? random.pick(jsonTexts) : command(random)),
  ]);
}

function command(random: SeededRandom): Buffer {
  if (random.percent(3)) return anyOf(CommandGetTablesSchema, field(3, random.pick(patterns)));
  const kind = random.pick(random.percent(90) ? sqlMessages : flightMessages);
  const content = randomMessage(random, kind);
  const any = anyOf(kind, random.percent(15) ? random.mutate(content) : content);
  return random.percent(10) ? random.mutate(any) : any;
}

function randomText(random: SeededRandom): Buffer {
  return field(1, Buffer.from(random.pick(['', 'arrow.flight.protocol.FlightService', 'x', '\u0000'])));
}

/** The messages with their prefixes, which now and then say something else; then cut into pieces anywhere. */
function framed(
  random: SeededRandom,
  messages: readonly Buffer[],
  headers: Record<string, string | readonly string[]>,
): Buffer[] {
  const frames = messages.map((message) => {
    const compresses = random.percent(6);
    if (compresses && random.percent(80)) headers['grpc-encoding'] = random.pick(['gzip', 'deflate', 'gzip']);
    const packed = !compresses
      ? message
      : random.percent(80)
        ? headers['grpc-encoding'] === 'deflate'
          ? deflateSync(message)
          : gzipSync(message)
        : random.mutate(gzipSync(message));
    const prefix = Buffer.alloc(5);
    prefix[0] = compresses ? 1 : random.percent(98) ? 0 : random.below(256);
    const length = random.percent(96)
      ? packed.length
      : random.pick([0, packed.length + 1, Math.max(0, packed.length - 1), 2 ** 30, 2 ** 31, 2 ** 32 - 1]);
    prefix.writeUInt32BE(length, 1);
    return Buffer.concat([prefix, packed]);
  });
  let bytes: Buffer = Buffer.concat(frames);
  if (random.percent(4)) bytes = random.mutate(bytes);
  if (random.percent(6)) bytes = bytes.subarray(0, random.below(bytes.length + 1));
  const count = random.percent(75) ? 1 : 1 + random.below(5);
  const step = Math.max(1, Math.ceil(bytes.length / count));
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += step) pieces.push(bytes.subarray(at, at + step));
  return pieces;
}
