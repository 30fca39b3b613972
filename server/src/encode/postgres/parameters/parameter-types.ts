import { Buffer, isUtf8 } from 'node:buffer';
import type { ArrowType } from '../../../arrow/field.ts';
import { type PostgresType, postgres } from '../../../model/types/postgres-types.ts';
import { ZoneOffsets } from '../zone-offsets.ts';
import { BadValue, notBinary, notText, outOfRange } from './bad-value.ts';
import { type Decimal, decimalOfBinary, decimalOfText } from './decimal-values.ts';
import { intervalOfBinary, intervalOfText } from './interval-values.ts';
import {
  dateOfDays,
  dateOfText,
  timeOfText,
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

function textOf(bytes: Uint8Array): string {
  return Buffer.from(textBytes(bytes)).toString();
}

function textBytes(bytes: Uint8Array): Uint8Array {
  if (!isUtf8(bytes)) throw new BadValue('22021', 'is not UTF-8', 'Send texts as UTF-8.');
  if (bytes.includes(0))
    throw new BadValue('22021', 'has a zero byte, which a text cannot have', 'Send it as bytea.');
  return bytes;
}

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
    fromText: (bytes) => {
      const text = textOf(bytes).trim();
      // Longer ones cannot be in range, and a BigInt of them would take long to make.
      if (!/^[+-]?\d+$/.test(text)) throw notText(text, 'digits');
      const digits = text.replace(/^([+-]?)0+(?=\d)/, '$1');
      if (
        digits.length > 20 ||
        BigInt.asIntN(bits, BigInt(digits.replace('+', ''))) !== BigInt(digits.replace('+', ''))
      )
        throw outOfRange('22003', `is outside its range of ${bits} bits`);
      return little(BigInt(digits.replace('+', '')), bits / 8);
    },
    fromBinary: (bytes) => reversed(bytes, bits / 8),
  };
}

function little(value: bigint, count: number): Uint8Array {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64LE(value);
  return bytes.subarray(0, count);
}

/** A number without a sign; the engine has no such type, and 64 bits hold it. */
const oid: ScalarType = {
  type: { kind: 'int', bits: 64, signed: true },
  oids: [26],
  fromText: (bytes) => {
    const text = textOf(bytes).trim();
    if (!/^\d{1,10}$/.test(text) || Number(text) > 0xffff_ffff) throw notText(text, 'digits');
    return little(BigInt(text), 8);
  },
  fromBinary: (bytes) => little(BigInt(wide(bytes, 4).getUint32(0)), 8),
};

const floatForm = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const floatWord = /^([+-]?)(nan|inf|infinity)$/i;

function float(bits: 32 | 64): ScalarType {
  return {
    type: { kind: 'float', bits },
    oids: [bits === 32 ? postgres.float4.oid : postgres.float8.oid],
    fromText: (bytes) => {
      const text = textOf(bytes).trim();
      const out = Buffer.alloc(bits / 8);
      const value = floatOf(text);
      const kept = bits === 32 ? Math.fround(value) : value;
      const isLost = (!Number.isFinite(kept) || kept === 0) && !floatWord.test(text);
      if (isLost && (kept !== 0 || /[1-9]/.test(text.split(/[eE]/)[0] as string)))
        throw outOfRange('22003', `is outside the range of float${bits / 8}`);
      if (bits === 32) out.writeFloatLE(kept);
      else out.writeDoubleLE(kept);
      return out;
    },
    fromBinary: (bytes) => reversed(bytes, bits / 8),
  };
}

function floatOf(text: string): number {
  const word = text.length < 12 ? floatWord.exec(text) : null;
  if (word !== null) {
    const size = word[2]?.toLowerCase() === 'nan' ? Number.NaN : Number.POSITIVE_INFINITY;
    return word[1] === '-' ? -size : size;
  }
  if (!floatForm.test(text)) throw notText(text, 'a number, as -1.5e10, NaN or Infinity');
  return Number(text);
}

const yes = Uint8Array.of(1);
const no = Uint8Array.of(0);

const bool: ScalarType = {
  type: { kind: 'bool' },
  oids: [postgres.bool.oid],
  fromText: (bytes) => {
    const text = textOf(bytes).trim().toLowerCase();
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
  fromText: (bytes) => decimalOfText(textOf(bytes)),
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
  fromText: (bytes) => byteaOf(Buffer.from(bytes).toString('latin1')),
  fromBinary: (bytes) => bytes,
};

/** `\xdead`, or bytes of ASCII with `\\` and `\ooo` between them. */
function byteaOf(text: string): Uint8Array {
  if (text.startsWith('\\x')) {
    const digits = text.slice(2).replace(/\s/g, '');
    const bytes = Buffer.from(digits, 'hex');
    if (bytes.length * 2 !== digits.length)
      throw notText(text, '\\x and two hexadecimal digits for each byte');
    return bytes;
  }
  const out = Buffer.alloc(text.length);
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] !== '\\') out[length++] = text.charCodeAt(at);
    else if (text[at + 1] === '\\') {
      out[length++] = 92;
      at++;
    } else {
      const octal = text.slice(at + 1, at + 4);
      if (!/^[0-3][0-7]{2}$/.test(octal)) throw notText(text, '\\x and hexadecimal digits');
      out[length++] = Number.parseInt(octal, 8);
      at += 3;
    }
  }
  return out.subarray(0, length);
}

const uuid: ScalarType = {
  type: { kind: 'fixed-binary', width: 16 },
  isUuid: true,
  oids: [postgres.uuid.oid],
  fromText: (bytes) => {
    const text = textOf(bytes);
    const digits =
      text.length > 64
        ? ''
        : text
            .trim()
            .replace(/^\{(.*)\}$/, '$1')
            .replaceAll('-', '');
    if (!/^[0-9a-fA-F]{32}$/.test(digits)) throw notText(text, '11111111-2222-3333-4444-555555555555');
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
  fromText: (bytes) => little(BigInt(dateOfText(textOf(bytes))), 4),
  fromBinary: (bytes) => little(BigInt(dateOfDays(wide(bytes, 4).getInt32(0))), 4),
};

const microsecondsPerDay = 86_400_000_000n;

const time: ScalarType = {
  type: { kind: 'time', bits: 64, unit: 'us' },
  oids: [postgres.time.oid],
  fromText: (bytes) => little(timeOfText(textOf(bytes)), 8),
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
    fromText: (bytes) => little(timestampOfText(textOf(bytes), zone), 8),
    fromBinary: (bytes) => little(timestampOfMicroseconds(wide(bytes, 8).getBigInt64(0)), 8),
  };
}

const interval: ScalarType = {
  type: { kind: 'interval', unit: 'month-day-nano' },
  oids: [postgres.interval.oid],
  fromText: (bytes) => intervalOfText(textOf(bytes)),
  fromBinary: (bytes) => intervalOfBinary(wide(bytes, 16)),
};

/** The engine has it as text, which it casts: Arrow has no bits and no time with a zone. */
const bits: ScalarType = {
  type: utf8,
  oids: [1560, 1562],
  fromText: (bytes) => {
    const text = textOf(bytes);
    if (!/^[01]*$/.test(text)) throw notText(text, 'the digits 0 and 1');
    return bytes;
  },
  fromBinary: (bytes) => {
    if (bytes.length < 4) throw notBinary(`has ${bytes.length} bytes, and bits have at least 4`);
    const count = new DataView(bytes.buffer, bytes.byteOffset).getInt32(0);
    if (count < 0 || bytes.length !== 4 + Math.ceil(count / 8))
      throw notBinary(`has ${bytes.length} bytes, and says that it has ${count} bits`);
    return Uint8Array.from(
      { length: count },
      (_, bit) => (((bytes[4 + (bit >> 3)] as number) >> (7 - (bit & 7))) & 1) + 48,
    );
  },
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
