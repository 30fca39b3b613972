import type { ArrayData } from '../../src/arrow/arrays/array-data.ts';
import { bitmapBytes } from '../../src/arrow/arrays/layout.ts';
import type { ArrowType, Field, IntType, TimeUnit } from '../../src/arrow/field.ts';
import { arrayOf, fieldOf } from '../arrow/hand-made.ts';

/** Columns of every type with values of every kind: usual ones, extremes, and any bits. */

/** A whole number below `limit`. */
export type Random = (limit: number) => number;

export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * limit);
  };
}

const units: readonly TimeUnit[] = ['s', 'ms', 'us', 'ns'];
const indexBits = [8, 16, 32, 64] as const;

function pick<Item>(random: Random, items: readonly Item[]): Item {
  return items[random(items.length)] as Item;
}

function scalarType(random: Random): ArrowType {
  const unit = pick(random, units);
  return pick<ArrowType>(random, [
    { kind: 'null' },
    { kind: 'bool' },
    { kind: 'int', bits: pick(random, indexBits), signed: random(2) === 0 },
    { kind: 'int', bits: 64, signed: true },
    { kind: 'float', bits: pick(random, [16, 32, 64]) },
    { kind: 'float', bits: 64 },
    decimalType(random),
    { kind: 'utf8', large: random(2) === 0 },
    { kind: 'utf8', large: false },
    { kind: 'utf8-view' },
    { kind: 'binary', large: random(2) === 0 },
    { kind: 'binary-view' },
    { kind: 'fixed-binary', width: pick(random, [0, 1, 5, 16]) },
    { kind: 'date', unit: random(2) === 0 ? 'day' : 'ms' },
    random(2) === 0
      ? { kind: 'time', bits: 32, unit: pick(random, ['s', 'ms']) }
      : { kind: 'time', bits: 64, unit: pick(random, ['us', 'ns']) },
    { kind: 'timestamp', unit, zone: random(2) === 0 ? null : 'Europe/Berlin' },
    { kind: 'duration', unit },
    { kind: 'interval', unit: pick(random, ['year-month', 'day-time', 'month-day-nano']) },
  ]);
}

function decimalType(random: Random): ArrowType {
  const bits = pick(random, [32, 64, 128, 256] as const);
  const scale = random(4) === 0 ? -random(4) : random(24);
  const wide = { kind: 'decimal', bits, precision: 9, scale } as const;
  return random(5) === 0 ? { ...wide, scale: 0, integer: 'HUGEINT' } : wide;
}

/** A column of `length` rows; nested ones up to `depth` levels. */
export function randomColumn(random: Random, length: number, depth: number, name = 'c'): ArrayData {
  const kind = depth === 0 ? 0 : random(14);
  switch (kind) {
    case 1:
      return dictionaryColumn(random, length, depth, name);
    case 2:
      return runColumn(random, length, depth, name);
    case 3:
      return listColumn(random, length, depth, name);
    case 4:
      return listViewColumn(random, length, depth, name);
    case 5:
      return fixedListColumn(random, length, depth, name);
    case 6:
      return structColumn(random, length, depth, name);
    case 7:
      return mapColumn(random, length, depth, name);
    case 8:
      return unionColumn(random, length, depth, name);
    default:
      return scalarColumn(random, length, scalarType(random), name);
  }
}

function scalarColumn(random: Random, length: number, type: ArrowType, name: string): ArrayData {
  const field = fieldOf(type, [], name);
  switch (type.kind) {
    case 'null':
      return arrayOf(field, length, [], { nullCount: length });
    case 'bool':
      return withNulls(random, arrayOf(field, length, [anyBytes(random, bitmapBytes(length))]));
    case 'int':
      return fixed(random, field, length, type.bits / 8, (view, at) => putInt(random, view, at, type.bits));
    case 'float':
      return fixed(random, field, length, type.bits / 8, (view, at) => putFloat(random, view, at, type.bits));
    case 'decimal':
      return fixed(random, field, length, type.bits / 8, (view, at) =>
        putWide(random, view, at, type.bits / 64),
      );
    case 'utf8':
    case 'binary':
      return varying(random, field, length, type.large);
    case 'utf8-view':
    case 'binary-view':
      return views(random, field, length);
    case 'fixed-binary': {
      const metadata: Field['metadata'] = random(2) === 0 ? [['ARROW:extension:name', 'arrow.uuid']] : [];
      return withNulls(
        random,
        arrayOf({ ...field, metadata }, length, [anyBytes(random, length * type.width)]),
      );
    }
    case 'date':
      return fixed(random, field, length, type.unit === 'day' ? 4 : 8, (view, at) =>
        type.unit === 'day' ? putDay(random, view, at) : putMoment(random, view, at, 1_000),
      );
    case 'time':
      return fixed(random, field, length, type.bits / 8, (view, at) => putTime(random, view, at, type));
    case 'timestamp':
    case 'duration':
      return fixed(random, field, length, 8, (view, at) =>
        putMoment(random, view, at, 10 ** (units.indexOf(type.unit) * 3)),
      );
    case 'interval': {
      const width = type.unit === 'year-month' ? 4 : type.unit === 'day-time' ? 8 : 16;
      return fixed(random, field, length, width, (view, at) => {
        for (let word = 0; word < width; word += 4) putInt(random, view, at + word, 32);
      });
    }
    default:
      throw new Error(`${type.kind} is not a scalar`);
  }
}

type PutValue = (view: DataView, at: number) => void;

function fixed(random: Random, field: Field, length: number, width: number, put: PutValue): ArrayData {
  const bytes = unaligned(random, length * width);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let row = 0; row < length; row++) put(view, row * width);
  return withNulls(random, arrayOf(field, length, [bytes]));
}

/** Buffers may begin anywhere. */
function unaligned(random: Random, byteCount: number): Uint8Array {
  const shift = random(3) === 0 ? random(8) : 0;
  return new Uint8Array(shift + byteCount).subarray(shift);
}

function anyBytes(random: Random, byteCount: number): Uint8Array {
  const bytes = unaligned(random, byteCount);
  for (let index = 0; index < byteCount; index++) bytes[index] = random(256);
  return bytes;
}

function withNulls(random: Random, array: ArrayData): ArrayData {
  if (random(2) === 0) return array;
  const validity = anyBytes(random, bitmapBytes(array.length));
  if (random(2) === 0) for (let index = 0; index < validity.length; index++) validity[index] = 255;
  // Only whether there is one matters to those that write.
  return { ...array, validity, nullCount: -1 };
}

const interestingInts = [
  0n,
  1n,
  -1n,
  9n,
  10n,
  99n,
  100n,
  9_999n,
  10_000n,
  99_999_999n,
  100_000_000n,
  999_999_999n,
];

function putInt(random: Random, view: DataView, at: number, bits: IntType['bits']): void {
  let value = interestingInts[random(interestingInts.length * 2)];
  value ??= anyBits(random, 64) >> BigInt(random(64));
  if (random(8) === 0) value = 1n << BigInt(random(bits));
  if (random(8) === 0) value -= 1n;
  if (bits === 64) view.setBigInt64(at, value, true);
  else if (bits === 32) view.setInt32(at, Number(BigInt.asIntN(32, value)), true);
  else if (bits === 16) view.setInt16(at, Number(BigInt.asIntN(16, value)), true);
  else view.setInt8(at, Number(BigInt.asIntN(8, value)));
}

function anyBits(random: Random, bits: number): bigint {
  let value = 0n;
  for (let taken = 0; taken < bits; taken += 16) value = (value << 16n) | BigInt(random(65_536));
  return BigInt.asIntN(bits, value);
}

/** Doubles of every length, and of every size. */
export function randomDouble(random: Random): number {
  const sign = random(2) === 0 ? 1 : -1;
  switch (random(8)) {
    case 0:
      return sign * random(4_000_000_000);
    case 1:
      return (sign * random(8_000)) / 8;
    case 2:
      return (sign * random(2 ** 31)) / 10 ** random(16);
    case 3:
      return (sign * (random(2 ** 31) * 2 ** 22 + random(2 ** 22))) / 10 ** random(20);
    case 4:
      return sign * random(2 ** 31) * 10 ** random(20);
    case 5:
      return pick(random, [
        Number.NaN,
        sign / 0,
        sign * 0,
        2 ** 53 - 1,
        sign * 2 ** 53,
        5e-324,
        1e21,
        1e-6,
        1e-7,
      ]);
    default: {
      const view = new DataView(new ArrayBuffer(8));
      view.setBigInt64(0, anyBits(random, 64));
      return view.getFloat64(0);
    }
  }
}

function putFloat(random: Random, view: DataView, at: number, bits: 16 | 32 | 64): void {
  if (bits === 64) view.setFloat64(at, randomDouble(random), true);
  else if (bits === 32 && random(3) > 0) view.setFloat32(at, randomDouble(random), true);
  else if (bits === 32) view.setUint32(at, random(2 ** 32), true);
  else view.setUint16(at, random(65_536), true);
}

/** Of any number of significant bits. */
function putWide(random: Random, view: DataView, at: number, longs: number): void {
  const bits = longs < 1 ? 32 : longs * 64;
  let value = anyBits(random, bits) >> BigInt(random(bits));
  if (random(4) === 0) value = 10n ** BigInt(random(Math.floor(bits / 3.4))) - BigInt(random(2));
  for (let word = 0; word < bits / 32; word++)
    view.setUint32(at + word * 4, Number(BigInt.asUintN(32, value >> BigInt(word * 32))), true);
}

function putDay(random: Random, view: DataView, at: number): void {
  view.setInt32(at, random(4) === 0 ? random(2 ** 32) | 0 : random(60_000) - 20_000, true);
}

function putMoment(random: Random, view: DataView, at: number, perSecond: number): void {
  const usual = BigInt(random(4_000_000_000) - 1_000_000_000) * BigInt(perSecond) + BigInt(random(perSecond));
  const whole = BigInt(random(40_000) - 10_000) * 86_400n * BigInt(perSecond);
  view.setBigInt64(at, pick(random, [usual, usual, whole, anyBits(random, 64) >> BigInt(random(40))]), true);
}

function putTime(
  random: Random,
  view: DataView,
  at: number,
  type: Extract<ArrowType, { kind: 'time' }>,
): void {
  const perSecond = 10 ** (units.indexOf(type.unit) * 3);
  const sign = random(10) === 0 ? -1n : 1n;
  // Some are longer than a day, as no writer should make them.
  const value =
    sign *
    (BigInt(random(random(10) === 0 ? 500_000 : 86_400)) * BigInt(perSecond) + BigInt(random(perSecond)));
  if (type.bits === 64) view.setBigInt64(at, value, true);
  else view.setInt32(at, Number(value), true);
}

const pieces = [
  'plain',
  'a b c',
  '',
  '0',
  '"',
  '""',
  ',',
  '\r\n',
  '\n',
  '\\',
  '\u0000',
  '\u001f\u007f',
  '\b\f\t',
  'żółw',
  '漢字，',
  '\ufeff',
  '\uffff',
  '😀',
  'null',
  'a rather long text without anything special in it, which is longer than most',
];

export function randomText(random: Random): string {
  let text = pick(random, pieces);
  while (random(3) === 0) text += pick(random, pieces);
  return random(200) === 0 ? text.repeat(500) : text;
}

function varying(random: Random, field: Field, length: number, large: boolean): ArrayData {
  const values = Array.from({ length }, () => Buffer.from(random(2) === 0 ? 'abc' : randomText(random)));
  const data = Buffer.concat([Buffer.from('before'), ...values, Buffer.from('after')]);
  const offsets = unaligned(random, (length + 1) * (large ? 8 : 4));
  const view = new DataView(offsets.buffer, offsets.byteOffset, offsets.length);
  let end = 'before'.length;
  for (let row = 0; row <= length; row++) {
    if (large) view.setBigInt64(row * 8, BigInt(end), true);
    else view.setInt32(row * 4, end, true);
    end += values[row]?.length ?? 0;
  }
  return withNulls(random, arrayOf(field, length, [offsets, data]));
}

function views(random: Random, field: Field, length: number): ArrayData {
  const bytes = unaligned(random, length * 16);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const data: Buffer[] = [];
  for (let row = 0; row < length; row++) {
    const value = Buffer.from(randomText(random));
    view.setInt32(row * 16, value.length, true);
    if (value.length <= 12) bytes.set(value, row * 16 + 4);
    else {
      view.setInt32(row * 16 + 8, data.length, true);
      view.setInt32(row * 16 + 12, 2, true);
      data.push(Buffer.concat([Buffer.from('--'), value]));
    }
  }
  return withNulls(random, arrayOf(field, length, [bytes, ...data]));
}

function dictionaryColumn(random: Random, length: number, depth: number, name: string): ArrayData {
  const bits = pick(random, indexBits);
  const values = randomColumn(random, 1 + random(20), depth - 1, name);
  const indices = unaligned(random, (length * bits) / 8);
  const view = new DataView(indices.buffer, indices.byteOffset, indices.length);
  for (let row = 0; row < length; row++) {
    const index = random(values.length);
    if (bits === 64) view.setBigInt64(row * 8, BigInt(index), true);
    else if (bits === 32) view.setInt32(row * 4, index, true);
    else if (bits === 16) view.setInt16(row * 2, index, true);
    else view.setInt8(row, index);
  }
  const index: IntType = { kind: 'int', bits, signed: random(2) === 0 };
  const field = { ...values.field, dictionary: { id: 1n, index, ordered: false } };
  // A dictionary of dictionaries would have to be inside another value.
  if (values.field.dictionary !== null)
    return values.length >= length ? values : dictionaryColumn(random, length, 1, name);
  return withNulls(random, { ...arrayOf(field, length, [indices]), dictionary: values });
}

function runColumn(random: Random, length: number, depth: number, name: string): ArrayData {
  const ends: number[] = [];
  for (let end = 0; end < length; ) {
    end = Math.min(length, end + 1 + random(4));
    ends.push(end);
  }
  const bits = pick(random, [16, 32, 64] as const);
  const typed =
    bits === 16
      ? Int16Array.from(ends)
      : bits === 32
        ? Int32Array.from(ends)
        : BigInt64Array.from(ends, BigInt);
  const runs = arrayOf(fieldOf({ kind: 'int', bits, signed: true }, [], 'run_ends'), ends.length, [typed]);
  const values = randomColumn(random, ends.length, depth - 1, 'values');
  const field = fieldOf({ kind: 'run-end' }, [runs.field, values.field], name);
  return arrayOf(field, length, [], { children: [runs, values] });
}

function offsetsOf(
  random: Random,
  length: number,
  large: boolean,
): { bytes: ArrayBufferView; elements: number } {
  const ends = [random(3)];
  for (let row = 0; row < length; row++) ends.push((ends[row] as number) + random(4));
  return {
    bytes: large ? BigInt64Array.from(ends, BigInt) : Int32Array.from(ends),
    elements: ends[length] as number,
  };
}

function listColumn(random: Random, length: number, depth: number, name: string): ArrayData {
  const large = random(2) === 0;
  const { bytes, elements } = offsetsOf(random, length, large);
  const child = randomColumn(random, elements, depth - 1, 'item');
  const field = fieldOf({ kind: 'list', large }, [child.field], name);
  return withNulls(random, arrayOf(field, length, [bytes], { children: [child] }));
}

function listViewColumn(random: Random, length: number, depth: number, name: string): ArrayData {
  const child = randomColumn(random, 10, depth - 1, 'item');
  const starts = Array.from({ length }, () => random(8));
  const sizes = starts.map(() => random(3));
  const field = fieldOf({ kind: 'list-view', large: false }, [child.field], name);
  const buffers = [Int32Array.from(starts), Int32Array.from(sizes)];
  return withNulls(random, arrayOf(field, length, buffers, { children: [child] }));
}

function fixedListColumn(random: Random, length: number, depth: number, name: string): ArrayData {
  const size = random(4);
  const child = randomColumn(random, length * size, depth - 1, 'item');
  return withNulls(
    random,
    arrayOf(fieldOf({ kind: 'fixed-list', size }, [child.field], name), length, [], { children: [child] }),
  );
}

function structColumn(random: Random, length: number, depth: number, name: string): ArrayData {
  const names = random(4) === 0 ? ['a', 'a'] : ['a', 'b "quoted"', 'ż'].slice(0, random(4));
  const children = names.map((each) => randomColumn(random, length, depth - 1, each));
  const field = fieldOf(
    { kind: 'struct' },
    children.map((child) => child.field),
    name,
  );
  return withNulls(random, arrayOf(field, length, [], { children }));
}

function mapColumn(random: Random, length: number, depth: number, name: string): ArrayData {
  const { bytes, elements } = offsetsOf(random, length, false);
  const keys =
    random(3) === 0
      ? randomColumn(random, elements, depth - 1, 'key')
      : scalarColumn(random, elements, { kind: 'utf8', large: false }, 'key');
  const values = randomColumn(random, elements, depth - 1, 'value');
  const entries = arrayOf(fieldOf({ kind: 'struct' }, [keys.field, values.field], 'entries'), elements, [], {
    children: [keys, values],
  });
  const field = fieldOf({ kind: 'map', keysSorted: false }, [entries.field], name);
  return withNulls(random, arrayOf(field, length, [bytes], { children: [entries] }));
}

function unionColumn(random: Random, length: number, depth: number, name: string): ArrayData {
  const mode = random(2) === 0 ? 'sparse' : 'dense';
  const typeIds = [5, 2];
  const children = ['x', 'y "z"'].map((each) => randomColumn(random, Math.max(1, length), depth - 1, each));
  const ids = Int8Array.from({ length }, () => pick(random, typeIds));
  const slots = Int32Array.from({ length }, () => random(length));
  const field = fieldOf(
    { kind: 'union', mode, typeIds },
    children.map((child) => child.field),
    name,
  );
  return arrayOf(field, length, mode === 'dense' ? [ids, slots] : [ids], { children });
}
