import type { ArrayData } from '../../../arrow/arrays/array-data.ts';
import { isValid } from '../../../arrow/arrays/layout.ts';
import type { ArrowType, TimeUnit } from '../../../arrow/field.ts';
import { viewOf } from '../../cells/cell-writer.ts';
import { putTwo } from '../../cells/digits.ts';
import type { TextBuffer } from '../../cells/text-buffer.ts';
import { TimestampParts } from '../../cells/time-parts.ts';
import type { ZoneOffsets } from '../zone-offsets.ts';
import { putInt32, putMicroseconds } from './big-endian.ts';
import { clockBytesMax, putClock } from './clock-text.ts';
import { beforeChrist, DayText, dayBytesMax } from './day-text.ts';
import { FieldWriter } from './field-writer.ts';
import { lengthBytes, measureFixed, outView, type PlacedColumn } from './placed-columns.ts';
import { hasNanoseconds, outOfRange } from './refusals.ts';

type TimestampType = Extract<ArrowType, { kind: 'timestamp' }>;

const secondsPerDay = 86_400;
/** From 1970-01-01 to 2000-01-01, where PostgreSQL begins to count. */
export const epochDays = 10_957;
const epochSeconds = epochDays * secondsPerDay;
/** 4714-11-24 BC, and the first day after the year 294276. */
const dayMin = epochDays - 2_451_545;
const dayEnd = 106_751_983 + epochDays;
/** Microseconds from 1970 to 2000, in two words. */
const epochHigh = Math.floor((epochSeconds * 1_000_000) / 2 ** 32);
const epochLow = epochSeconds * 1_000_000 - epochHigh * 2 ** 32;
/** High words of microseconds between which nothing is infinite or out of range: from about 4700 BC to the last hour that 64 bits hold. */
const quickHighMin = Math.ceil((dayMin * secondsPerDay * 1_000_000) / 2 ** 32);
const quickHighEnd = 2 ** 31 - 1;
const microsecondsOf = { s: 0, ms: 1_000, us: 1, ns: 0 } as const;
const space = 32;
const plus = 43;
const minus = 45;
const colon = 58;
const encoder = new TextEncoder();
export const infinityText: Uint8Array = encoder.encode('infinity');
export const minusInfinityText: Uint8Array = encoder.encode('-infinity');

/** Day, second and microseconds of a row. An engine has the largest number and its negative for the infinities, whatever the unit. */
abstract class TimestampField extends FieldWriter {
  protected readonly parts: TimestampParts = new TimestampParts();
  protected microseconds = 0;
  protected readonly values: DataView;
  protected readonly unit: TimeUnit;
  readonly #data: ArrayData;

  constructor({ unit }: TimestampType, data: ArrayData) {
    super(data);
    this.#data = data;
    this.values = viewOf(data.buffers[0] as Uint8Array);
    this.unit = unit;
  }

  /** 0, or the sign of an infinity; then nothing else is set. */
  protected read(row: number): -1 | 0 | 1 {
    const low = this.values.getInt32(row * 8, true);
    const high = this.values.getInt32(row * 8 + 4, true);
    if (high === 0x7fff_ffff && low === -1) return 1;
    if (high === -0x8000_0000 && low === 1) return -1;
    const { parts } = this;
    parts.split(low, high, this.unit);
    if (parts.day < dayMin || parts.day >= dayEnd) throw outOfRange(this.#data.field, 'timestamp');
    if (this.unit === 'ns') {
      this.microseconds = Math.floor(parts.fraction / 1_000);
      if (this.microseconds * 1_000 !== parts.fraction) throw hasNanoseconds(this.#data.field, 'timestamp');
    } else this.microseconds = parts.fraction * microsecondsOf[this.unit];
    return 0;
  }
}

export class TimestampBinary extends TimestampField implements PlacedColumn {
  readonly bytesMax = 8;

  write(out: TextBuffer, row: number): void {
    const infinity = this.read(row);
    if (infinity === 0) {
      const { day, second } = this.parts;
      putMicroseconds(out, day * secondsPerDay + second - epochSeconds, this.microseconds);
    } else {
      putInt32(out, infinity === 1 ? 0x7fff_ffff : -0x8000_0000);
      putInt32(out, infinity === 1 ? -1 : 0);
    }
  }

  measure(sizes: Int32Array, from: number, count: number): void {
    measureFixed(this, this.bytesMax, sizes, from, count);
  }

  /** Microseconds differ only in where they begin to count. */
  place(out: TextBuffer, places: Int32Array, from: number, count: number): void {
    const { validity, values } = this;
    const isMicro = this.unit === 'us';
    const target = outView(out);
    for (let index = 0; index < count; index++) {
      const row = from + index;
      const at = places[index] as number;
      if (!isValid(validity, row)) {
        target.setInt32(at, -1);
        places[index] = at + lengthBytes;
        continue;
      }
      target.setInt32(at, 8);
      places[index] = at + 12;
      const high = values.getInt32(row * 8 + 4, true);
      if (isMicro && high >= quickHighMin && high < quickHighEnd) {
        const low = values.getUint32(row * 8, true) - epochLow;
        target.setInt32(at + 4, high - epochHigh - (low < 0 ? 1 : 0));
        target.setInt32(at + 8, low);
      } else {
        out.at = at + lengthBytes;
        this.write(out, row);
      }
    }
  }
}

/** Of an instant in the zone of the session, with how far that is from UTC. */
export class TimestampText extends TimestampField {
  readonly bytesMax: number = dayBytesMax + 1 + clockBytesMax + 9 + beforeChrist.length;
  readonly #zone: ZoneOffsets | null;
  readonly #dates = new DayText();

  constructor(type: TimestampType, zone: ZoneOffsets, data: ArrayData) {
    super(type, data);
    this.#zone = type.zone === null ? null : zone;
  }

  write(out: TextBuffer, row: number): void {
    const infinity = this.read(row);
    if (infinity !== 0) {
      out.put(infinity === 1 ? infinityText : minusInfinityText);
      return;
    }
    let { day, second } = this.parts;
    let offset = 0;
    if (this.#zone !== null) {
      offset = this.#zone.at(day * secondsPerDay + second);
      second += offset;
      const days = Math.floor(second / secondsPerDay);
      day += days;
      second -= days * secondsPerDay;
    }
    this.#dates.put(out, day);
    out.bytes[out.at++] = space;
    putClock(out, second, this.microseconds);
    if (this.#zone !== null) putOffset(out, offset);
    if (this.#dates.isBeforeChrist) out.put(beforeChrist);
  }
}

/** `+02`, `-03:30`, `+00:53:28`. */
function putOffset(out: TextBuffer, offset: number): void {
  const { bytes } = out;
  const size = Math.abs(offset);
  const hours = Math.floor(size / 3_600);
  const minutes = Math.floor((size - hours * 3_600) / 60);
  const seconds = size - hours * 3_600 - minutes * 60;
  bytes[out.at] = offset < 0 ? minus : plus;
  let at = putTwo(bytes, out.at + 1, hours);
  if (minutes !== 0 || seconds !== 0) {
    bytes[at++] = colon;
    at = putTwo(bytes, at, minutes);
  }
  if (seconds !== 0) {
    bytes[at++] = colon;
    at = putTwo(bytes, at, seconds);
  }
  out.at = at;
}
