import type { ArrayData } from '../../../arrow/arrays/array-data.ts';
import type { ArrowType } from '../../../arrow/field.ts';
import { type CellWriter, viewOf } from '../../cells/cell-writer.ts';
import type { TextBuffer } from '../../cells/text-buffer.ts';
import { putInt16 } from './big-endian.ts';
import { FieldWriter, SameTextField } from './field-writer.ts';
import { scaleTooLarge } from './refusals.ts';

type DecimalType = Extract<ArrowType, { kind: 'decimal' }>;

const high32 = 4_294_967_296;
const negativeSign = 0x4000;
const groupDigits = 4;
const groupBase = 10_000;
/** Of a number below 2^53. */
const shortGroupsMax = 5;
const headBytes = 8;
/** NUMERIC_DSCALE_MAX, and the digits before the point that PostgreSQL allows. */
const scaleMax = 16_383;
const zerosMax = 131_072 - 76;

function isScale(scale: number): boolean {
  return scale <= scaleMax && scale >= -zerosMax;
}

/** Digits in groups of four, as PostgreSQL's numeric has them: aligned to the point, without groups of zeros before and behind. */
export class NumericBinary extends FieldWriter {
  readonly bytesMax = 0;
  readonly #data: ArrayData;
  readonly #values: DataView;
  readonly #words: number;
  readonly #signed: boolean;
  readonly #scale: number;
  /** Groups behind the point, and what aligns a value to them. */
  readonly #fractionGroups: number;
  readonly #zeros: number;
  readonly #shortMax: number;
  readonly #groups = new Uint16Array(shortGroupsMax);

  /** `type`: how a decimal lies in its buffer; an integer without a sign is one, too. */
  constructor(type: Pick<DecimalType, 'bits' | 'scale'>, signed: boolean, data: ArrayData) {
    super(data);
    this.#data = data;
    this.#values = viewOf(data.buffers[0] as Uint8Array);
    this.#words = type.bits / 32;
    this.#signed = signed;
    this.#scale = type.scale;
    this.#fractionGroups = Math.ceil(Math.max(0, type.scale) / groupDigits);
    this.#zeros = this.#fractionGroups * groupDigits - type.scale;
    this.#shortMax = type.scale < 0 ? -1 : 2 ** 53 / 10 ** this.#zeros;
  }

  write(out: TextBuffer, row: number): void {
    const short = this.#shortValue(row);
    const size = Math.abs(short);
    if (size < this.#shortMax) this.#writeShort(out, short < 0, size * 10 ** this.#zeros);
    else if (isScale(this.#scale)) this.#writeLong(out, this.#integer(row));
    else throw scaleTooLarge(this.#data.field);
  }

  /** The value without its point, if it fits 53 bits; else NaN. */
  #shortValue(row: number): number {
    const start = row * this.#words * 4;
    if (this.#words === 1) return this.#values.getInt32(start, true);
    const high = this.#values.getInt32(start + 4, true);
    const sign = high >> 31;
    for (let word = 2; word < this.#words; word++)
      if (this.#values.getInt32(start + word * 4, true) !== sign) return Number.NaN;
    if (high < (this.#signed ? -0x20_0000 : 0) || high >= 0x20_0000) return Number.NaN;
    return high * high32 + this.#values.getUint32(start, true);
  }

  #writeShort(out: TextBuffer, isNegative: boolean, aligned: number): void {
    if (!isScale(this.#scale)) throw scaleTooLarge(this.#data.field);
    const groups = this.#groups;
    let count = 0;
    for (let rest = aligned; rest > 0; count++) {
      const quotient = Math.floor(rest / groupBase);
      groups[count] = rest - quotient * groupBase;
      rest = quotient;
    }
    let last = 0;
    while (last < count && groups[last] === 0) last++;
    out.reserve(headBytes + (count - last) * 2);
    this.#putHead(out, count - last, count, isNegative);
    for (let group = count - 1; group >= last; group--) putInt16(out, groups[group] as number);
  }

  #writeLong(out: TextBuffer, value: bigint): void {
    const size = value < 0n ? -value : value;
    const digits = size === 0n ? '' : `${size}${'0'.repeat(this.#zeros)}`;
    const count = Math.ceil(digits.length / groupDigits);
    const text = digits.padStart(count * groupDigits, '0');
    let kept = count;
    while (kept > 0 && text.startsWith('0000', (kept - 1) * groupDigits)) kept--;
    out.reserve(headBytes + kept * 2);
    this.#putHead(out, kept, count, value < 0n);
    for (let group = 0; group < kept; group++)
      putInt16(out, Number(text.slice(group * groupDigits, (group + 1) * groupDigits)));
  }

  /** `count`: groups before those at the end were left out. */
  #putHead(out: TextBuffer, kept: number, count: number, isNegative: boolean): void {
    putInt16(out, kept);
    putInt16(out, kept === 0 ? 0 : count - 1 - this.#fractionGroups);
    putInt16(out, isNegative ? negativeSign : 0);
    putInt16(out, Math.max(0, this.#scale));
  }

  /** A little-endian integer. */
  #integer(row: number): bigint {
    const start = row * this.#words * 4;
    let value = BigInt(this.#values.getUint32(start + (this.#words - 1) * 4, true));
    for (let word = this.#words - 2; word >= 0; word--)
      value = (value << 32n) | BigInt(this.#values.getUint32(start + word * 4, true));
    return this.#signed ? BigInt.asIntN(this.#words * 32, value) : value;
  }
}

/** As other formats write it, if PostgreSQL reads that. */
export class DecimalText extends SameTextField {
  readonly #scale: number;
  readonly #data: ArrayData;

  constructor(scale: number, data: ArrayData, cells: CellWriter) {
    super(data, cells);
    this.#scale = scale;
    this.#data = data;
  }

  override write(out: TextBuffer, row: number): void {
    if (!isScale(this.#scale)) throw scaleTooLarge(this.#data.field);
    super.write(out, row);
  }
}
