import { file_Flight } from '../../../src/flight/gen/Flight_pb.js';
import { file_FlightSql } from '../../../src/flight/gen/FlightSql_pb.js';
import type { SeededRandom } from './wire-random.ts';

type DescMessage = (typeof file_Flight.messages)[number];
type DescField = DescMessage['fields'][number];

/** The kinds of values that are not whole numbers, as protobuf's own descriptors number them. */
const scalars = { double: 1, float: 2, text: 9, bytes: 12 } as const;

/** Every message of Flight and of Flight SQL. */
export const flightMessages: readonly DescMessage[] = file_Flight.messages;
export const sqlMessages: readonly DescMessage[] = file_FlightSql.messages;

/** Deep enough for every message of the protocol, and for one level too many. */
const depthMax = 4;

const texts = [
  ...[
    'seed',
    'seed@1',
    'wide',
    'g0',
    'g1',
    'select 1',
    'select * from seed',
    'select $1',
    'create table g2 as select 1',
  ],
  ...[
    'insert into g0 select 1',
    'drop table g3',
    '',
    '%',
    '_',
    'main',
    'framehold',
    'TABLE',
    '\u0000',
    'é',
    '😀',
    '\\',
  ],
  ...[
    'x'.repeat(200),
    '{"handle":"seed"}',
    '__proto__',
    'type.googleapis.com/arrow.flight.protocol.sql.CommandGetTables',
  ],
].map((text) => Buffer.from(text));

/** A message of this kind with some of its fields, as protobuf writes it; now and then as it should not be written. */
export function randomMessage(random: SeededRandom, kind: DescMessage, depth = 0): Buffer {
  const parts: Buffer[] = [];
  for (const field of kind.fields) {
    if (random.percent(35)) continue;
    const times = field.fieldKind === 'list' || random.percent(3) ? random.below(4) : 1;
    for (let count = 0; count < times; count++) parts.push(randomField(random, field, depth));
  }
  if (random.percent(4)) parts.push(field(1 + random.below(5_000), random.bytes(random.below(20))));
  return Buffer.concat(parts);
}

function randomField(random: SeededRandom, { number, ...kind }: DescField, depth: number): Buffer {
  if (random.percent(3)) return Buffer.concat([tag(number, random.below(8)), random.bytes(random.below(12))]);
  const message = 'message' in kind ? kind.message : undefined;
  if (kind.fieldKind === 'map')
    return field(number, Buffer.concat([field(1, random.pick(texts)), field(2, random.pick(texts))]));
  if (message !== undefined && message !== null)
    return field(number, depth < depthMax ? randomMessage(random, message, depth + 1) : Buffer.alloc(0));
  if ('enum' in kind && kind.enum != null)
    return Buffer.concat([tag(number, 0), varint(random.pick([0, 1, 2, 3, 4, 99, 2 ** 31]))]);
  const scalar = 'scalar' in kind ? kind.scalar : undefined;
  if (scalar === scalars.text || scalar === scalars.bytes)
    return field(number, random.percent(85) ? random.pick(texts) : random.bytes(random.size()));
  if (scalar === scalars.double) return Buffer.concat([tag(number, 1), random.bytes(8)]);
  if (scalar === scalars.float) return Buffer.concat([tag(number, 5), random.bytes(4)]);
  return Buffer.concat([
    tag(number, 0),
    varint(random.pick([0, 1, 2, 7, 127, 2 ** 31, 2 ** 32 + 1, 2 ** 52])),
  ]);
}

/** A field that has a length. */
export function field(number: number, content: Uint8Array): Buffer {
  return Buffer.concat([tag(number, 2), varint(content.length), content]);
}

/** Flight SQL puts each of its messages into one of these. */
export function anyOf(kind: DescMessage, content: Uint8Array): Buffer {
  return Buffer.concat([field(1, Buffer.from(`type.googleapis.com/${kind.typeName}`)), field(2, content)]);
}

function tag(number: number, wireType: number): Buffer {
  return varint(number * 8 + wireType);
}

export function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  bytes.push(rest);
  return Buffer.from(bytes);
}
