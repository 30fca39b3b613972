import duckdb, { type Vector } from '@duckdb/node-bindings';
import { GrowingBytes } from '../../../arrow/arrays/growing-bytes.ts';
import { bitmapBytes } from '../../../arrow/arrays/layout.ts';
import type { Field } from '../../../arrow/field.ts';
import { ColumnEncoder, eachNull } from './column-encoder.ts';
import type { Selection } from './selection.ts';

/** Values of a fixed width, in the engine and in Arrow. */
abstract class FixedColumn extends ColumnEncoder {
  protected readonly values = new GrowingBytes();
  protected source: Uint8Array = new Uint8Array(0);
  protected readonly sourceWidth: number;
  protected readonly width: number;

  constructor(field: Field, sourceWidth: number, width: number) {
    super(field);
    this.sourceWidth = sourceWidth;
    this.width = width;
  }

  override weigh(selection: Selection): number {
    return selection.count * this.width;
  }

  protected override loadValues(vector: Vector, count: number): void {
    this.source = count === 0 ? new Uint8Array(0) : duckdb.vector_get_data(vector, count * this.sourceWidth);
  }

  protected override appendValues(selection: Selection): void {
    const start = this.values.extend(selection.count * this.width);
    this.convert(selection, start);
    const { bytes } = this.values;
    // Bytes under nulls may be anything that was in memory before.
    eachNull(this.loaded, selection, (place) => {
      const at = start + place * this.width;
      bytes.fill(0, at, at + this.width);
    });
  }

  /** Writes the selected values from this byte on. Null ones are overwritten afterwards, and must not fail. */
  protected abstract convert(selection: Selection, start: number): void;

  protected override clearValues(): void {
    this.values.clear();
  }

  protected override buffers(): readonly Uint8Array[] {
    return [this.values.written];
  }

  protected isLoaded(row: number): boolean {
    return this.loaded === null || (((this.loaded[row >> 3] as number) >> (row & 7)) & 1) === 1;
  }
}

/** Values that Arrow lays out as the engine does. */
export class PlainColumn extends FixedColumn {
  constructor(field: Field, width: number) {
    super(field, width, width);
  }

  protected override convert(selection: Selection, start: number): void {
    const { from, count, index } = selection;
    const { width, source } = this;
    const target = this.values.bytes;
    if (index === null) {
      target.set(source.subarray(from * width, (from + count) * width), start);
      return;
    }
    if (width % 4 === 0) {
      const words = width / 4;
      const given = int32Words(source);
      const made = new Int32Array(target.buffer, start, count * words);
      let next = 0;
      for (let place = 0; place < count; place++) {
        const at = (index[place] as number) * words;
        for (let word = 0; word < words; word++) made[next++] = given[at + word] as number;
      }
      return;
    }
    let next = start;
    for (let place = 0; place < count; place++) {
      const at = (index[place] as number) * width;
      for (let byte = 0; byte < width; byte++) target[next++] = source[at + byte] as number;
    }
  }
}

/** The upper half of 10^38, and its first word. */
const limitHigh = (10n ** 38n) >> 64n;
const limitWord = Number(limitHigh >> 32n);

/** 128-bit integers as decimals of 38 digits, which not all of them fit into. */
export class HugeintColumn extends PlainColumn {
  readonly #signed: boolean;

  constructor(field: Field, signed: boolean) {
    super(field, 16);
    this.#signed = signed;
  }

  protected override convert(selection: Selection, start: number): void {
    const { from, count, index } = selection;
    const words = int32Words(this.source);
    for (let place = 0; place < count; place++) {
      const row = index === null ? from + place : (index[place] as number);
      const top = words[row * 4 + 3] as number;
      if ((top >= limitWord || top <= -limitWord) && this.isLoaded(row)) this.#check(row);
      else if (top < 0 && !this.#signed && this.isLoaded(row)) this.#check(row);
    }
    super.convert(selection, start);
  }

  #check(row: number): void {
    const view = new DataView(this.source.buffer, this.source.byteOffset + row * 16, 16);
    const high = this.#signed ? view.getBigInt64(8, true) : view.getBigUint64(8, true);
    const value = (high << 64n) | view.getBigUint64(0, true);
    if (value >= 10n ** 38n || value <= -(10n ** 38n))
      this.refuseValue('has more than the 38 digits that a decimal can have');
  }
}

/** Decimals, widened: the engine stores them in as few bytes as their digits need. */
export class DecimalColumn extends FixedColumn {
  protected override convert(selection: Selection, start: number): void {
    const { from, count, index } = selection;
    const words = this.width / 4;
    const target = new Int32Array(this.values.bytes.buffer, start, count * words);
    const source = this.sourceWidth === 2 ? int16Words(this.source) : int32Words(this.source);
    const given = Math.max(1, this.sourceWidth / 4);
    let next = 0;
    for (let place = 0; place < count; place++) {
      const at = (index === null ? from + place : (index[place] as number)) * given;
      let word = 0;
      for (; word < given; word++) target[next++] = source[at + word] as number;
      const sign = (source[at + given - 1] as number) >> 31;
      for (; word < words; word++) target[next++] = sign;
    }
  }
}

/** Integers of 32 or 64 bits in another unit: multiplied, or divided if nothing is left over. */
export class ScaledColumn extends FixedColumn {
  readonly #factor: bigint;
  readonly #divisor: bigint;

  constructor(field: Field, sourceWidth: 4 | 8, width: 4 | 8, factor: bigint, divisor: bigint) {
    super(field, sourceWidth, width);
    this.#factor = factor;
    this.#divisor = divisor;
  }

  protected override convert(selection: Selection, start: number): void {
    const { from, count, index } = selection;
    const source = new DataView(this.source.buffer, this.source.byteOffset, this.source.length);
    const target = this.values.view;
    for (let place = 0; place < count; place++) {
      const row = index === null ? from + place : (index[place] as number);
      if (!this.isLoaded(row)) continue;
      const value =
        this.sourceWidth === 4 ? BigInt(source.getInt32(row * 4, true)) : source.getBigInt64(row * 8, true);
      const scaled = this.#scale(value);
      if (this.width === 4) target.setInt32(start + place * 4, Number(scaled), true);
      else target.setBigInt64(start + place * 8, scaled, true);
    }
  }

  #scale(value: bigint): bigint {
    const product = value * this.#factor;
    if (product % this.#divisor !== 0n) this.refuseValue('is finer than the unit of the column');
    const scaled = product / this.#divisor;
    if (BigInt.asIntN(this.width * 8, scaled) !== scaled)
      this.refuseValue('is out of the range of the column');
    return scaled;
  }
}

/** TIME WITH TIME ZONE: the engine's Arrow has the time, and not the offset that is in the lower 24 bits. */
export class TimeWithZoneColumn extends FixedColumn {
  constructor(field: Field) {
    super(field, 8, 8);
  }

  protected override convert(selection: Selection, start: number): void {
    const { from, count, index } = selection;
    const words = int32Words(this.source);
    const target = new Int32Array(this.values.bytes.buffer, start, count * 2);
    for (let place = 0; place < count; place++) {
      const row = index === null ? from + place : (index[place] as number);
      const low = words[row * 2] as number;
      const high = words[row * 2 + 1] as number;
      target[place * 2] = (low >>> 24) | (high << 8);
      target[place * 2 + 1] = high >>> 24;
    }
  }
}

export class BooleanColumn extends ColumnEncoder {
  readonly #bits = new GrowingBytes(1024);
  #source: Uint8Array = new Uint8Array(0);

  override weigh(selection: Selection): number {
    return selection.count / 8;
  }

  protected override loadValues(vector: Vector, count: number): void {
    this.#source = count === 0 ? new Uint8Array(0) : duckdb.vector_get_data(vector, count);
  }

  protected override appendValues(selection: Selection): void {
    const { from, count, index } = selection;
    const needed = bitmapBytes(this.length + count);
    if (needed > this.#bits.length) {
      const start = this.#bits.extend(needed - this.#bits.length);
      this.#bits.bytes.fill(0, start, needed);
    }
    const target = this.#bits.bytes;
    const source = this.#source;
    const validity = this.loaded;
    let bit = this.length;
    for (let place = 0; place < count; place++, bit++) {
      const row = index === null ? from + place : (index[place] as number);
      if (source[row] !== 1) continue;
      if (validity !== null && (((validity[row >> 3] as number) >> (row & 7)) & 1) === 0) continue;
      target[bit >> 3] = (target[bit >> 3] as number) | (1 << (bit & 7));
    }
  }

  protected override clearValues(): void {
    this.#bits.clear();
  }

  protected override buffers(): readonly Uint8Array[] {
    return [this.#bits.written];
  }
}

/** A column of Arrow's null type, which has no values at all. */
export class NullColumn extends ColumnEncoder {
  override weigh(): number {
    return 0;
  }

  protected override loadValues(): void {}
  protected override clearValues(): void {}

  protected override appendValues(selection: Selection): void {
    let nulls = 0;
    eachNull(this.loaded, selection, () => nulls++);
    if (nulls < selection.count) this.refuseValue('is not null, which is all that its type can be');
  }

  protected override buffers(): readonly Uint8Array[] {
    return [];
  }
}

/** Copies of native memory are aligned; the length may not be a multiple. */
function int32Words(bytes: Uint8Array): Int32Array {
  return new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
}

function int16Words(bytes: Uint8Array): Int16Array {
  return new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length >> 1);
}
