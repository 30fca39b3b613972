import { Buffer } from 'node:buffer';
import type { ArrayData } from '../../../src/arrow/arrays/array-data.ts';
import { bitmapBytes } from '../../../src/arrow/arrays/layout.ts';
import type { ArrowType, Field, IntType, Metadata } from '../../../src/arrow/field.ts';
import { seededRandom } from '../random-columns.ts';

/** Columns of every type that PostgreSQL holds values of, with their extremes, values beside them, and random ones. */

export type Value = bigint | number | string | Uint8Array | null;

export interface Sample {
  /** As a statement casts to it. */
  readonly type: string;
  readonly data: ArrayData;
}

export const rowCount = 1_500;
const random = seededRandom(15);

function anyBits(bits: number): bigint {
  let value = 0n;
  for (let word = 0; word < bits; word += 32) value = (value << 32n) | BigInt(random(2 ** 32));
  return BigInt.asIntN(bits, value);
}

/** Small and large ones alike. */
function spread(min: bigint, max: bigint): bigint {
  const size = max - min;
  const any = BigInt.asUintN(320, (anyBits(160) << 160n) | BigInt.asUintN(160, anyBits(160)));
  const near = any >> BigInt(random(320));
  const value = near % (size + 1n);
  const centre = min < 0n && max > 0n ? 0n : min;
  const signed = random(2) === 0 ? value : -value;
  const found = centre + signed;
  return found < min || found > max ? min + value : found;
}

export function field(
  name: string,
  type: ArrowType,
  children: readonly Field[] = [],
  metadata: Metadata = [],
): Field {
  return { name, type, nullable: true, children, dictionary: null, metadata };
}

export function column(
  fieldOrType: ArrowType | Field,
  values: readonly Value[],
  buffers: readonly Uint8Array[],
  children: readonly ArrayData[] = [],
): ArrayData {
  const own = 'kind' in fieldOrType ? field('c', fieldOrType) : fieldOrType;
  const nullCount = values.filter((value) => value === null).length;
  return {
    field: own,
    length: values.length,
    nullCount,
    validity: nullCount === 0 ? null : bits(values.map((value) => value !== null)),
    buffers,
    children,
    dictionary: null,
  };
}

function bits(values: readonly boolean[]): Uint8Array {
  const bytes = new Uint8Array(bitmapBytes(values.length));
  for (const [index, value] of values.entries())
    if (value) bytes[index >> 3] = (bytes[index >> 3] as number) | (1 << (index & 7));
  return bytes;
}

/** Whole numbers, little-endian. */
export function whole(values: readonly Value[], byteCount: number): Uint8Array {
  const bytes = Buffer.alloc(values.length * byteCount);
  for (const [row, value] of values.entries()) {
    let rest = BigInt.asUintN(byteCount * 8, (value as bigint | null) ?? 0n);
    for (let at = 0; at < byteCount; at++, rest >>= 8n) bytes[row * byteCount + at] = Number(rest & 255n);
  }
  return bytes;
}

/** Offsets and bytes. */
export function texts(values: readonly Value[]): [Uint8Array, Uint8Array] {
  const parts = values.map((value) => Buffer.from((value as string | Uint8Array | null) ?? ''));
  const offsets = new Int32Array(values.length + 1);
  for (const [row, part] of parts.entries()) offsets[row + 1] = (offsets[row] as number) + part.length;
  return [new Uint8Array(offsets.buffer), Buffer.concat(parts)];
}

/** Every eighth value or so is null; the first ones are those given. */
function filled(first: readonly Value[], next: () => Value): Value[] {
  return Array.from({ length: rowCount }, (_, row) =>
    row < first.length ? (first[row] as Value) : random(8) === 0 ? null : next(),
  );
}

function integers(type: IntType | ArrowType, byteCount: number, min: bigint, max: bigint): ArrayData {
  const values = filled([min, max, 0n, null, min + 1n, max - 1n], () => spread(min, max));
  return column(type, values, [whole(values, byteCount)]);
}

const digits = (count: number) => 10n ** BigInt(count) - 1n;

function decimals(bitCount: 32 | 64 | 128 | 256, precision: number, scale: number): Sample {
  const type: ArrowType = { kind: 'decimal', bits: bitCount, precision, scale };
  const most = digits(precision);
  return { type: 'numeric', data: integers(type, bitCount / 8, -most, most) };
}

function floats(width: 32 | 64): Sample {
  const edges =
    width === 32
      ? [
          0, -0, 1, 1e6, 999_999, 1e-4, 9.9999e-5, 16_777_216, 33_554_432, 3.4028234663852886e38, 1e-45,
          1.17549435e-38,
        ]
      : [
          0,
          -0,
          1,
          1e15,
          999_999_999_999_999,
          1e-4,
          9.9e-5,
          1e20,
          1e23,
          2 ** 53 + 2,
          2 ** 60,
          5e-324,
          Number.MAX_VALUE,
          2.2250738585072014e-308,
        ];
  const first = [...edges, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, null];
  const buffer = Buffer.alloc(rowCount * (width / 8));
  const values = filled(first, () => 1);
  const put = (value: number, row: number) =>
    width === 32 ? buffer.writeFloatLE(value, row * 4) : buffer.writeDoubleLE(value, row * 8);
  for (const [row, value] of values.entries()) {
    if (value === null) continue;
    if (row < first.length) put(value as number, row);
    else if (random(4) === 0) put(2 ** (random(600) - 300) * (random(5) + 1), row);
    else if (random(3) === 0) put((random(2 ** 31) - 2 ** 30) / 10 ** random(12), row);
    else {
      let any = anyBits(width);
      // One NaN is as good as another, and PostgreSQL has only this.
      const exponent = width === 32 ? 0x7f80_0000n : 0x7ff0_0000_0000_0000n;
      if ((any & exponent) === exponent) any &= ~(exponent / 2n);
      buffer.set(whole([any], width / 8), row * (width / 8));
    }
  }
  return {
    type: width === 32 ? 'real' : 'double precision',
    data: column({ kind: 'float', bits: width }, values, [buffer]),
  };
}

const alphabet = [
  'a',
  'B',
  ' ',
  '"',
  '\\',
  ',',
  '{',
  '}',
  '\n',
  '\r',
  '\t',
  '\v',
  '\b',
  '\f',
  '|',
  "'",
  'é',
  '€',
  '😀',
  '\u0001',
  '.',
  'N',
  ';',
];

function anyText(): string {
  return Array.from({ length: random(12) }, () => alphabet[random(alphabet.length)]).join('');
}

const edgeTexts = [
  '',
  '\\.',
  '\\N',
  'NULL',
  'null',
  ' ',
  'x'.repeat(5_000),
  '\\',
  '"',
  'a,b',
  'a\nb',
  'a\rb',
  '{}',
  null,
];

function listOf(type: ArrowType, pgType: string, element: ArrayData, count: number): Sample {
  const values: Value[] = [];
  const offsets = new Int32Array(rowCount + 1);
  for (let row = 0; row < rowCount; row++) {
    const size = Math.min(row < 4 ? 3 - row : random(5), count - (offsets[row] as number));
    offsets[row + 1] = (offsets[row] as number) + size;
    values.push(row !== 5 && random(9) === 0 ? null : 1);
  }
  const child = { ...element, length: count };
  return {
    type: `${pgType}[]`,
    data: column(field('c', type, [child.field]), values, [new Uint8Array(offsets.buffer)], [child]),
  };
}

const list: ArrowType = { kind: 'list', large: false };

/** Of PostgreSQL's timestamps in a unit, with infinities where an engine has them. */
function timestamps(unit: 's' | 'ms' | 'us' | 'ns', zone: string | null): Sample {
  const per = { s: 1n, ms: 1_000n, us: 1_000_000n, ns: 1_000_000_000n }[unit];
  const isNano = unit === 'ns';
  const isMicro = unit === 'us';
  const min = isNano ? -9_223_372_036_854_775_000n : -210_866_803_200n * per;
  const max = isNano ? 9_223_372_036_854_775_000n : isMicro ? 2n ** 63n - 2n : 9_224_318_016_000n * per - 1n;
  const coarse = (value: bigint) => (isNano ? (value / 1_000n) * 1_000n : value);
  const first = [
    0n,
    1n * (isNano ? 1_000n : 1n),
    -1n * (isNano ? 1_000n : 1n),
    min,
    max,
    2n ** 63n - 1n,
    -(2n ** 63n) + 1n,
    null,
    951_782_400n * per,
    1_711_846_800n * per,
    1_729_990_800n * per,
  ];
  const values = filled(first, () =>
    coarse(random(2) === 0 ? spread(min, max) : spread(-4_000_000_000n * per, 5_000_000_000n * per)),
  );
  const type: ArrowType = { kind: 'timestamp', unit, zone };
  return {
    type: zone === null ? 'timestamp' : 'timestamptz',
    data: column(type, values, [whole(values, 8)]),
  };
}

function intervals(): readonly Sample[] {
  const words = (values: readonly Value[][], widths: readonly number[]) => {
    const rows = values[0] as Value[];
    return Buffer.concat(
      rows.flatMap((_, row) => widths.map((width, part) => whole([values[part]?.[row] ?? 0n], width))),
    );
  };
  const small = (row: number) => (row % 3 === 0 ? 0n : spread(-40n, 40n));
  const days = filled([1n, -1n, 0n, null, 1n, -1n, 0n], () => small(random(9)));
  const months = days.map((day, row) => (row === 4 ? -14n : day === null ? null : small(row)));
  const times = days.map((day, row) =>
    day === null
      ? null
      : row % 5 === 0
        ? 0n
        : spread(-9_223_372_036_854_775n, 9_223_372_036_854_775n) * 1_000n,
  );
  const milliseconds = days.map((day) => (day === null ? null : spread(-(2n ** 31n), 2n ** 31n - 1n)));
  const all = filled([0n, 2n ** 63n - 1n, -(2n ** 63n) + 1n], () =>
    spread(-(2n ** 63n) + 1n, 2n ** 63n - 1n),
  );
  return [
    {
      type: 'interval',
      data: column({ kind: 'interval', unit: 'month-day-nano' }, days, [
        words([months, days, times], [4, 4, 8]),
      ]),
    },
    {
      type: 'interval',
      data: column({ kind: 'interval', unit: 'day-time' }, days, [words([days, milliseconds], [4, 4])]),
    },
    {
      type: 'interval',
      data: integers({ kind: 'interval', unit: 'year-month' }, 4, -(2n ** 31n), 2n ** 31n - 1n),
    },
    { type: 'interval', data: column({ kind: 'duration', unit: 'us' }, all, [whole(all, 8)]) },
  ];
}

export function samples(): readonly Sample[] {
  const int = (bitCount: 8 | 16 | 32 | 64, signed: boolean, type: string): Sample => {
    const size = 2n ** BigInt(bitCount);
    const [min, max] = signed ? [-size / 2n, size / 2n - 1n] : [0n, size - 1n];
    return { type, data: integers({ kind: 'int', bits: bitCount, signed }, bitCount / 8, min, max) };
  };
  const utf8 = filled(edgeTexts, anyText);
  const utf8Data = column({ kind: 'utf8', large: false }, utf8, texts(utf8));
  const blobs = filled([new Uint8Array(0), Uint8Array.of(0, 255), null], () => Buffer.from(anyText()));
  const blobData = column({ kind: 'binary', large: false }, blobs, texts(blobs));
  const booleans = filled([1n, 0n, null], () => BigInt(random(2)));
  const uuids = filled([null], () => Buffer.from(whole([anyBits(128)], 16)));
  const uuidField = field(
    'c',
    { kind: 'fixed-binary', width: 16 },
    [],
    [['ARROW:extension:name', 'arrow.uuid']],
  );
  const codes = filled([0n, 1n, null], () => spread(0n, 40n));
  const indexed = column({ kind: 'int', bits: 8, signed: true }, codes, [whole(codes, 1)]);
  const dictionaryField: Field = {
    ...field('c', { kind: 'utf8', large: false }),
    dictionary: { id: 1n, index: { kind: 'int', bits: 8, signed: true }, ordered: false },
  };
  const ends = Array.from({ length: rowCount / 3 }, (_, run) => BigInt((run + 1) * 3));
  const runEnds = column({ kind: 'int', bits: 32, signed: true }, ends, [whole(ends, 4)]);
  const runValues = { ...utf8Data, length: ends.length };
  const dateDays = filled(
    [0n, 2_147_483_647n, -2_147_483_647n, -2_440_588n, 2_145_042_905n, null, -719_163n, -719_162n],
    () => (random(2) === 0 ? spread(-2_440_588n, 2_145_042_905n) : spread(-1_000_000n, 4_000_000n)),
  );
  const days64 = filled([0n], () => spread(-100_000n, 100_000n) * 86_400_000n);
  const time = (unit: 's' | 'ms' | 'us' | 'ns', width: 32 | 64): Sample => {
    const per = { s: 1n, ms: 1_000n, us: 1_000_000n, ns: 1_000_000_000n }[unit];
    const step = unit === 'ns' ? 1_000n : 1n;
    const values = filled([0n, 86_400n * per, null], () => (spread(0n, 86_400n * per - 1n) / step) * step);
    return {
      type: 'time',
      data: column({ kind: 'time', bits: width, unit }, values, [whole(values, width / 8)]),
    };
  };
  const int32 = int(32, true, 'integer').data;
  const half = filled([0n, 0x3c00n, 0x7bffn, 1n, null], () => spread(0n, 0x7bffn));
  const members = [
    { ...utf8Data, field: { ...utf8Data.field, name: 'a' } },
    { ...int32, field: { ...int32.field, name: 'b' } },
  ];
  const structField = field(
    'c',
    { kind: 'struct' },
    members.map((member) => member.field),
  );
  const struct = column(structField, new Array(rowCount).fill(1), [], members);
  return [
    {
      type: 'boolean',
      data: column({ kind: 'bool' }, booleans, [bits(booleans.map((value) => value === 1n))]),
    },
    int(8, true, 'smallint'),
    int(8, false, 'smallint'),
    int(16, true, 'smallint'),
    int(16, false, 'integer'),
    int(32, true, 'integer'),
    int(32, false, 'bigint'),
    int(64, true, 'bigint'),
    int(64, false, 'numeric'),
    floats(32),
    floats(64),
    { type: 'real', data: column({ kind: 'float', bits: 16 }, half, [whole(half, 2)]) },
    decimals(32, 9, 0),
    decimals(64, 18, 4),
    decimals(128, 38, 0),
    decimals(128, 38, 10),
    decimals(128, 38, 38),
    decimals(256, 76, 5),
    decimals(256, 76, 33),
    decimals(128, 5, 40),
    decimals(128, 12, -7),
    { type: 'text', data: utf8Data },
    { type: 'text', data: { ...indexed, field: dictionaryField, dictionary: { ...utf8Data, length: 50 } } },
    {
      type: 'text',
      data: {
        ...column(
          field('c', { kind: 'run-end' }, [runEnds.field, runValues.field]),
          new Array(rowCount).fill(1),
          [],
          [runEnds, runValues],
        ),
        validity: null,
      },
    },
    { type: 'bytea', data: blobData },
    {
      type: 'uuid',
      data: column(uuidField, uuids, [
        Buffer.concat(uuids.map((each) => (each as Uint8Array | null) ?? new Uint8Array(16))),
      ]),
    },
    { type: 'date', data: column({ kind: 'date', unit: 'day' }, dateDays, [whole(dateDays, 4)]) },
    { type: 'date', data: column({ kind: 'date', unit: 'ms' }, days64, [whole(days64, 8)]) },
    time('s', 32),
    time('ms', 32),
    time('us', 64),
    time('ns', 64),
    timestamps('s', null),
    timestamps('ms', null),
    timestamps('us', null),
    timestamps('ns', null),
    timestamps('us', 'UTC'),
    timestamps('ns', 'Asia/Tokyo'),
    ...intervals(),
    listOf(list, 'integer', int32, rowCount),
    listOf(list, 'text', utf8Data, rowCount),
    listOf(list, 'bytea', blobData, rowCount),
    listOf(list, 'timestamp', timestamps('us', null).data, rowCount),
    listOf(list, 'double precision', floats(64).data, rowCount),
    listOf(list, 'interval', (intervals()[0] as Sample).data, rowCount),
    listOf(list, 'numeric', decimals(128, 38, 10).data, rowCount),
    listOf(
      list,
      'boolean',
      column({ kind: 'bool' }, booleans, [bits(booleans.map((value) => value === 1n))]),
      rowCount,
    ),
    listOf(list, 'json', struct, rowCount),
    { type: 'json', data: struct },
    {
      type: 'text',
      data: { ...column({ kind: 'null' }, new Array(rowCount).fill(null), []), validity: null },
    },
  ].map(({ type, data }) => ({ type: type === 'json[]' ? 'json' : type, data }));
}
