import { Buffer } from 'node:buffer';
import type { ArrowType } from '../../../arrow/field.ts';
import { type PostgresType, postgres } from '../../../model/types/postgres-types.ts';
import { ZoneOffsets } from '../zone-offsets.ts';
import { notBinary, notText, outOfRange } from './bad-value.ts';
import { type Decimal, decimalForm, decimalOfBinary, decimalOfText } from './decimal-values.ts';
import { intervalForm, intervalOfBinary, intervalOfText } from './interval-values.ts';
import { floatOfText, integerOfText, little, oidOfText } from './number-values.ts';
import { bitsOfBinary, bitsOfText, byteaOfText, shortText, textBytes } from './text-values.ts';
import {
  clockForm,
  dateForm,
  dateOfDays,
  dateOfText,
  timeOfText,
  timestampForm,
  timestampOfMicroseconds,
  timestampOfText,
} from './time-values.ts';

/** A value as Arrow has it in a buffer; a bool as one byte. */
export type ScalarValue = Uint8Array | Decimal;

export interface ScalarType {
  /** Arrow's; of decimals it depends on the values. */
  readonly type: ArrowType | 'decimal';
  readonly isUuid?: true;
  /** As elements of binary arrays. */
  readonly oids: readonly number[];
  fromText(bytes: Uint8Array): ScalarValue;
  fromBinary(bytes: Uint8Array): ScalarValue;
}

export interface ParameterType {
  readonly name: string;
  readonly scalar: ScalarType;
  readonly isArray: boolean;
}

const utf8: ArrowType = { kind: 'utf8', large: false };

/** Other names of texts: unspecified, unknown, varchar, bpchar, name, "char", cstring. */
const textOids = [0, 705, 1043, 1042, 19, 18, 2275] as const;

function wide(bytes: Uint8Array, count: number): DataView {
  if (bytes.length !== count) throw notBinary(`has ${bytes.length} bytes instead of ${count}`);
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** The same bytes in the other order. */
function reversed(bytes: Uint8Array, count: number): Uint8Array {
  wide(bytes, count);
  return Uint8Array.from(bytes).reverse();
}

function integer(bits: 16 | 32 | 64, oids: readonly number[]): ScalarType {
  return {
    type: { kind: 'int', bits, signed: true },
    oids,
    fromText: (bytes) => integerOfText(bytes, bits),
    fromBinary: (bytes) => reversed(bytes, bits / 8),
  };
}

const oid: ScalarType = {
  type: { kind: 'int', bits: 64, signed: true },
  oids: [26],
  fromText: oidOfText,
  fromBinary: (bytes) => little(BigInt(wide(bytes, 4).getUint32(0)), 8),
};

function float(bits: 32 | 64): ScalarType {
  return {
    type: { kind: 'float', bits },
    oids: [bits === 32 ? postgres.float4.oid : postgres.float8.oid],
    fromText: (bytes) => floatOfText(bytes, bits),
    fromBinary: (bytes) => reversed(bytes, bits / 8),
  };
}

const yes = Uint8Array.of(1);
const no = Uint8Array.of(0);

const bool: ScalarType = {
  type: { kind: 'bool' },
  oids: [postgres.bool.oid],
  fromText: (bytes) => {
    const text = shortText(bytes, 'true or false').trim().toLowerCase();
    const begins = (word: string, least = 1) => text.length >= least && word.startsWith(text);
    if (begins('true') || begins('yes') || begins('on', 2) || text === '1') return yes;
    if (begins('false') || begins('no') || begins('off', 2) || text === '0') return no;
    throw notText(text, 'true or false');
  },
  fromBinary: (bytes) => (wide(bytes, 1).getUint8(0) === 0 ? no : yes),
};

const numeric: ScalarType = {
  type: 'decimal',
  oids: [postgres.numeric.oid],
  fromText: (bytes) => decimalOfText(shortText(bytes, decimalForm)),
  fromBinary: decimalOfBinary,
};

const text: ScalarType = {
  type: utf8,
  oids: [postgres.text.oid, ...textOids.filter((each) => each !== 0)],
  fromText: textBytes,
  fromBinary: textBytes,
};

const json: ScalarType = {
  type: utf8,
  oids: [postgres.json.oid],
  fromText: textBytes,
  fromBinary: textBytes,
};

/** A version, then text. */
const jsonb: ScalarType = {
  type: utf8,
  oids: [3802],
  fromText: textBytes,
  fromBinary: (bytes) => {
    if (bytes[0] !== 1) throw notBinary(`has the version ${bytes[0]} of jsonb, and there is only 1`);
    return textBytes(bytes.subarray(1));
  },
};

const bytea: ScalarType = {
  type: { kind: 'binary', large: false },
  oids: [postgres.bytea.oid],
  fromText: byteaOfText,
  fromBinary: (bytes) => bytes,
};

const uuidForm = '11111111-2222-3333-4444-555555555555';

const uuid: ScalarType = {
  type: { kind: 'fixed-binary', width: 16 },
  isUuid: true,
  oids: [postgres.uuid.oid],
  fromText: (bytes) => {
    const text = shortText(bytes, uuidForm).trim();
    const inner = text.startsWith('{') && text.endsWith('}') ? text.slice(1, -1) : text;
    const digits = inner.replaceAll('-', '');
    if (!/^[0-9a-fA-F]{32}$/.test(digits)) throw notText(text, uuidForm);
    return Buffer.from(digits, 'hex');
  },
  fromBinary: (bytes) => {
    wide(bytes, 16);
    return bytes;
  },
};

const date: ScalarType = {
  type: { kind: 'date', unit: 'day' },
  oids: [postgres.date.oid],
  fromText: (bytes) => little(BigInt(dateOfText(shortText(bytes, dateForm))), 4),
  fromBinary: (bytes) => little(BigInt(dateOfDays(wide(bytes, 4).getInt32(0))), 4),
};

const microsecondsPerDay = 86_400_000_000n;

const time: ScalarType = {
  type: { kind: 'time', bits: 64, unit: 'us' },
  oids: [postgres.time.oid],
  fromText: (bytes) => little(timeOfText(shortText(bytes, clockForm)), 8),
  fromBinary: (bytes) => {
    const value = wide(bytes, 8).getBigInt64(0);
    if (value < 0n || value > microsecondsPerDay) throw outOfRange('22008', 'is not a time of a day');
    return little(value, 8);
  },
};

function timestamp(zone: ZoneOffsets | null): ScalarType {
  return {
    type: { kind: 'timestamp', unit: 'us', zone: zone === null ? null : 'UTC' },
    oids: [zone === null ? postgres.timestamp.oid : postgres.timestamptz.oid],
    fromText: (bytes) => little(timestampOfText(shortText(bytes, timestampForm), zone), 8),
    fromBinary: (bytes) => little(timestampOfMicroseconds(wide(bytes, 8).getBigInt64(0)), 8),
  };
}

const interval: ScalarType = {
  type: { kind: 'interval', unit: 'month-day-nano' },
  oids: [postgres.interval.oid],
  fromText: (bytes) => intervalOfText(shortText(bytes, intervalForm)),
  fromBinary: (bytes) => intervalOfBinary(wide(bytes, 16)),
};

/** The engine has it as text, which it casts: Arrow has no bits and no time with a zone. */
const bits: ScalarType = {
  type: utf8,
  oids: [1560, 1562],
  fromText: bitsOfText,
  fromBinary: bitsOfBinary,
};

const timetz: ScalarType = {
  type: utf8,
  oids: [1266],
  fromText: textBytes,
  fromBinary: (bytes) => {
    const view = wide(bytes, 12);
    const value = view.getBigInt64(0);
    if (value < 0n || value > microsecondsPerDay) throw outOfRange('22008', 'is not a time of a day');
    const two = (part: number) => `${part}`.padStart(2, '0');
    const seconds = Number(value / 1_000_000n);
    const fraction = `${value % 1_000_000n}`.padStart(6, '0');
    const clock = [seconds / 3_600, (seconds / 60) % 60, seconds % 60].map((part) => two(Math.floor(part)));
    const east = -view.getInt32(8);
    const zone = [Math.abs(east) / 3_600, (Math.abs(east) / 60) % 60, Math.abs(east) % 60];
    const offset = zone.map((part) => two(Math.floor(part))).join(':');
    return Buffer.from(`${clock.join(':')}.${fraction}${east < 0 ? '-' : '+'}${offset}`);
  },
};

interface Row {
  readonly name: string;
  readonly oid: number;
  readonly arrayOid: number | null;
  readonly scalar: ScalarType;
}

function announced({ name, oid, arrayOid }: PostgresType, scalar: ScalarType): Row {
  return { name, oid, arrayOid, scalar };
}

/** Array types whose elements are sent as text, or which no column has. */
const rows: readonly Row[] = [
  announced(postgres.bool, bool),
  announced(postgres.int2, integer(16, [postgres.int2.oid])),
  announced(postgres.int4, integer(32, [postgres.int4.oid])),
  announced(postgres.int8, integer(64, [postgres.int8.oid])),
  announced(postgres.float4, float(32)),
  announced(postgres.float8, float(64)),
  announced(postgres.numeric, numeric),
  announced(postgres.text, text),
  announced(postgres.bytea, bytea),
  announced(postgres.date, date),
  announced(postgres.time, time),
  announced(postgres.timestamp, timestamp(null)),
  announced(postgres.interval, interval),
  announced(postgres.uuid, uuid),
  { name: 'json', oid: postgres.json.oid, arrayOid: 199, scalar: json },
  { name: 'jsonb', oid: 3802, arrayOid: 3807, scalar: jsonb },
  { name: 'unknown', oid: 705, arrayOid: null, scalar: text },
  { name: 'text', oid: 0, arrayOid: null, scalar: text },
  { name: 'varchar', oid: 1043, arrayOid: 1015, scalar: text },
  { name: 'bpchar', oid: 1042, arrayOid: 1014, scalar: text },
  { name: 'name', oid: 19, arrayOid: 1003, scalar: text },
  { name: '"char"', oid: 18, arrayOid: 1002, scalar: text },
  { name: 'cstring', oid: 2275, arrayOid: 1263, scalar: text },
  { name: 'oid', oid: 26, arrayOid: 1028, scalar: oid },
  { name: 'bit', oid: 1560, arrayOid: 1561, scalar: bits },
  { name: 'varbit', oid: 1562, arrayOid: 1563, scalar: bits },
  { name: 'timetz', oid: 1266, arrayOid: 1270, scalar: timetz },
];

const types = new Map<number, ParameterType>();
for (const { name, oid, arrayOid, scalar } of rows) {
  types.set(oid, { name, scalar, isArray: false });
  if (arrayOid !== null) types.set(arrayOid, { name: `${name}[]`, scalar, isArray: true });
}

/** Every type whose values can be bound, with its arrays, for tests: `pg_type` has these numbers. */
export const boundTypes: readonly Omit<Row, 'scalar'>[] = [
  ...rows.filter((row) => row.oid !== 0),
  { name: 'timestamptz', oid: postgres.timestamptz.oid, arrayOid: postgres.timestamptz.arrayOid },
];

/** How values of the type with this OID are read; null if there is none. The zone counts for instants in text that name none. */
export function parameterTypeOf(oid: number, timeZone: string): ParameterType | null {
  const { timestamptz } = postgres;
  if (oid !== timestamptz.oid && oid !== timestamptz.arrayOid) return types.get(oid) ?? null;
  const isArray = oid === timestamptz.arrayOid;
  const scalar = timestamp(new ZoneOffsets(timeZone));
  return { name: isArray ? 'timestamptz[]' : 'timestamptz', scalar, isArray };
}
