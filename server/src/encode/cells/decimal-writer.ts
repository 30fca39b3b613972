import type { ArrayData } from '../../arrow/arrays/array-data.ts';
import type { ArrowType } from '../../arrow/field.ts';
import type { CellStyle } from './cell-style.ts';
import { CellWriter, viewOf } from './cell-writer.ts';
import { putInteger, putLongPadded } from './digits.ts';
import type { TextBuffer } from './text-buffer.ts';

type DecimalType = Extract<ArrowType, { kind: 'decimal' }>;

const quote = 34;
const minus = 45;
const point = 46;
const high32 = 4_294_967_296;
/** As many digits as a double holds of any whole number. */
const doubleDigits = 15;

/**
 * Every digit, and as many behind the point as the scale says; a negative scale appends zeros. Numbers, where they are
 * whole ones that only Arrow calls decimals; else strings, because a reader of JSON would round them.
 */
export class DecimalWriter extends CellWriter {
  /** Longer ones are written as text, which makes its own room. */
  readonly bytesMax = 20;
  readonly #values: DataView;
  readonly #words: number;
  readonly #scale: number;
  /** 10 to the power of the scale; 0 if values are always written as text. */
  readonly #power: number;
  readonly #quoted: boolean;

  constructor({ bits, scale, integer }: DecimalType, data: ArrayData, style: CellStyle) {
    super(data, style);
    this.#values = viewOf(data.buffers[0] as Uint8Array);
    this.#words = bits / 32;
    this.#scale = scale;
    this.#power = scale >= 0 && scale <= doubleDigits ? 10 ** scale : 0;
    this.#quoted = style.syntax === 'json' && (integer === undefined || style.quoteLargeNumbers);
  }

  write(out: TextBuffer, row: number): void {
    const short = this.#power === 0 ? Number.NaN : this.#shortValue(row);
    if (Math.abs(short) < 1e15) {
      if (this.#quoted) out.bytes[out.at++] = quote;
      this.#putShort(out, short);
      if (this.#quoted) out.bytes[out.at++] = quote;
    } else {
      const text = placePoint(this.#integer(row).toString(), this.#scale);
      out.text(this.#quoted ? `"${text}"` : text);
    }
  }

  /** The value without its point, if it fits 53 bits; else NaN. */
  #shortValue(row: number): number {
    const start = row * this.#words * 4;
    if (this.#words === 1) return this.#values.getInt32(start, true);
    const high = this.#values.getInt32(start + 4, true);
    const sign = high >> 31;
    for (let word = 2; word < this.#words; word++)
      if (this.#values.getInt32(start + word * 4, true) !== sign) return Number.NaN;
    if (high < -0x20_0000 || high >= 0x20_0000) return Number.NaN;
    return high * high32 + this.#values.getUint32(start, true);
  }

  #putShort(out: TextBuffer, value: number): void {
    const { bytes } = out;
    if (value < 0) bytes[out.at++] = minus;
    const size = Math.abs(value);
    const whole = Math.floor(size / this.#power);
    let at = putInteger(bytes, out.at, whole);
    if (this.#scale > 0) {
      bytes[at++] = point;
      at = putLongPadded(bytes, at, size - whole * this.#power, this.#scale);
    }
    out.at = at;
  }

  /** A little-endian two's complement integer. */
  #integer(row: number): bigint {
    const start = row * this.#words * 4;
    let value = BigInt(this.#values.getInt32(start + (this.#words - 1) * 4, true));
    for (let word = this.#words - 2; word >= 0; word--)
      value = (value << 32n) | BigInt(this.#values.getUint32(start + word * 4, true));
    return value;
  }
}

function placePoint(integer: string, scale: number): string {
  if (scale === 0) return integer;
  if (scale < 0) return integer === '0' ? integer : integer + '0'.repeat(-scale);
  const sign = integer.startsWith('-') ? '-' : '';
  const digits = integer.slice(sign.length).padStart(scale + 1, '0');
  return `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}
