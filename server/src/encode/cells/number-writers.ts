import type { ArrayData } from '../../arrow/arrays/array-data.ts';
import { isValid } from '../../arrow/arrays/layout.ts';
import type { IntType } from '../../arrow/field.ts';
import type { CellStyle } from './cell-style.ts';
import { CellWriter, viewOf } from './cell-writer.ts';
import { putInteger, putSmall } from './digits.ts';
import { float16Value, putDouble, putFloat32 } from './floats.ts';
import type { TextBuffer } from './text-buffer.ts';

const high32 = 4_294_967_296;
const quote = 34;
const minus = 45;

const texts = new TextEncoder();
const trueText = texts.encode('true');
const falseText = texts.encode('false');

export class BoolWriter extends CellWriter {
  readonly bytesMax = 5;
  readonly #bits: Uint8Array;

  constructor(data: ArrayData, style: CellStyle) {
    super(data, style);
    this.#bits = data.buffers[0] as Uint8Array;
  }

  write(out: TextBuffer, row: number): void {
    out.put(isValid(this.#bits, row) ? trueText : falseText);
  }
}

/** All digits, always. */
export function intWriter(type: IntType, data: ArrayData, style: CellStyle): CellWriter {
  if (type.bits === 64) return new Int64Writer(type.signed, data, style);
  if (type.bits === 32) return type.signed ? new Int32Writer(data, style) : new Uint32Writer(data, style);
  return new SmallIntWriter(type, data, style);
}

class SmallIntWriter extends CellWriter {
  readonly bytesMax = 6;
  readonly #values: DataView;
  readonly #isByte: boolean;
  /** Moves the sign of a value of so few bits to where it belongs; 0 if it has none. */
  readonly #signShift: number;

  constructor({ bits, signed }: IntType, data: ArrayData, style: CellStyle) {
    super(data, style);
    this.#values = viewOf(data.buffers[0] as Uint8Array);
    this.#isByte = bits === 8;
    this.#signShift = signed ? 32 - bits : 0;
  }

  write(out: TextBuffer, row: number): void {
    const bits = this.#isByte ? this.#values.getUint8(row) : this.#values.getUint16(row * 2, true);
    putInt32(out, (bits << this.#signShift) >> this.#signShift);
  }
}

class Int32Writer extends CellWriter {
  readonly bytesMax = 11;
  readonly #values: DataView;

  constructor(data: ArrayData, style: CellStyle) {
    super(data, style);
    this.#values = viewOf(data.buffers[0] as Uint8Array);
  }

  write(out: TextBuffer, row: number): void {
    putInt32(out, this.#values.getInt32(row * 4, true));
  }
}

/** Its smallest value has no counterpart above zero in 32 bits. */
function putInt32(out: TextBuffer, value: number): void {
  if (value >= 0) out.at = putSmall(out.bytes, out.at, value);
  else if (value === -2_147_483_648) out.at = putInteger(out.bytes, out.at, value);
  else {
    out.bytes[out.at] = minus;
    out.at = putSmall(out.bytes, out.at + 1, -value);
  }
}

class Uint32Writer extends CellWriter {
  readonly bytesMax = 10;
  readonly #values: DataView;

  constructor(data: ArrayData, style: CellStyle) {
    super(data, style);
    this.#values = viewOf(data.buffers[0] as Uint8Array);
  }

  write(out: TextBuffer, row: number): void {
    out.at = putInteger(out.bytes, out.at, this.#values.getUint32(row * 4, true));
  }
}

class Int64Writer extends CellWriter {
  readonly bytesMax = 22;
  readonly #signed: boolean;
  readonly #values: DataView;
  readonly #quoted: boolean;

  constructor(signed: boolean, data: ArrayData, style: CellStyle) {
    super(data, style);
    this.#signed = signed;
    this.#values = viewOf(data.buffers[0] as Uint8Array);
    this.#quoted = style.quoteLargeNumbers && style.syntax === 'json';
  }

  write(out: TextBuffer, row: number): void {
    const low = this.#values.getUint32(row * 8, true);
    const high = this.#values.getInt32(row * 8 + 4, true);
    // Below 2^53 a double holds every integer; above, only a BigInt does.
    if (high < -0x20_0000 || high >= 0x20_0000 || (high < 0 && !this.#signed)) {
      this.#writeLong(out, row);
      return;
    }
    if (this.#quoted) out.bytes[out.at++] = quote;
    out.at = putInteger(out.bytes, out.at, high * high32 + low);
    if (this.#quoted) out.bytes[out.at++] = quote;
  }

  #writeLong(out: TextBuffer, row: number): void {
    const values = this.#values;
    const value = this.#signed ? values.getBigInt64(row * 8, true) : values.getBigUint64(row * 8, true);
    out.text(this.#quoted ? `"${value}"` : `${value}`);
  }
}

/** JSON has no infinities; CSV readers know these words. */
function putNotFinite(out: TextBuffer, value: number, { syntax, notFinite }: CellStyle): void {
  if (syntax === 'csv') out.text(`${value}`);
  else out.text(notFinite === 'null' ? 'null' : `"${value}"`);
}

/** The longest: `-1.2345678901234567e-300`. */
const doubleBytesMax = 26;

export function floatWriter(bits: 16 | 32 | 64, data: ArrayData, style: CellStyle): CellWriter {
  if (bits === 64) return new Float64Writer(data, style);
  return bits === 32 ? new Float32Writer(data, style) : new Float16Writer(data, style);
}

abstract class FloatWriter extends CellWriter {
  readonly bytesMax = doubleBytesMax;
  protected readonly values: DataView;
  protected readonly style: CellStyle;

  constructor(data: ArrayData, style: CellStyle) {
    super(data, style);
    this.values = viewOf(data.buffers[0] as Uint8Array);
    this.style = style;
  }
}

class Float64Writer extends FloatWriter {
  write(out: TextBuffer, row: number): void {
    const value = this.values.getFloat64(row * 8, true);
    if (Number.isFinite(value)) putDouble(out, value);
    else putNotFinite(out, value, this.style);
  }
}

class Float32Writer extends FloatWriter {
  write(out: TextBuffer, row: number): void {
    const value = this.values.getFloat32(row * 4, true);
    if (Number.isFinite(value)) putFloat32(out, value);
    else putNotFinite(out, value, this.style);
  }
}

class Float16Writer extends FloatWriter {
  write(out: TextBuffer, row: number): void {
    // All its digits, at most eleven: the shortest text among halves would write 65504 as 65500.
    const value = float16Value(this.values.getUint16(row * 2, true));
    if (Number.isFinite(value)) putDouble(out, value);
    else putNotFinite(out, value, this.style);
  }
}
