import type { ArrayData } from '../../../arrow/arrays/array-data.ts';
import { viewOf } from '../../cells/cell-writer.ts';
import { float16Value, putDouble, shortestFloat32 } from '../../cells/floats.ts';
import type { TextBuffer } from '../../cells/text-buffer.ts';
import { FieldWriter } from './field-writer.ts';

/** PostgreSQL writes an exponent below this and, by type, from DBL_DIG or FLT_DIG digits before the point on. */
const plainMin = 1e-4;
/** From so large a float8 on there is an exponent. */
const doubleMax = 1e15;
/** The same for a float4. */
const floatMax = 1e6;
/** The longest: `-1.2345678901234567e-300`. */
const bytesMax = 26;

/** The shortest decimal that is read back as the same value, as PostgreSQL writes it. */
export class FloatText extends FieldWriter {
  readonly bytesMax = bytesMax;
  readonly #values: DataView;
  readonly #bits: 16 | 32 | 64;

  constructor(bits: 16 | 32 | 64, data: ArrayData) {
    super(data);
    this.#bits = bits;
    this.#values = viewOf(data.buffers[0] as Uint8Array);
  }

  write(out: TextBuffer, row: number): void {
    const values = this.#values;
    if (this.#bits === 64) putFloat8(out, values.getFloat64(row * 8, true));
    else if (this.#bits === 32) putFloat4(out, values.getFloat32(row * 4, true));
    else putFloat4(out, float16Value(values.getUint16(row * 2, true)));
  }
}

function putFloat8(out: TextBuffer, value: number): void {
  const size = Math.abs(value);
  if (value === 0 || (size >= plainMin && size < doubleMax)) putDouble(out, value);
  else if (Number.isFinite(value))
    out.text(exponentText(size >= 2 ** 53 ? insideDouble(value) : value.toExponential()));
  else out.text(`${value}`);
}

function putFloat4(out: TextBuffer, value: number): void {
  if (value === 0) putDouble(out, value);
  else if (!Number.isFinite(value)) out.text(`${value}`);
  else {
    const shortest = evenOfTwo(value, shortestFloat32(value));
    const size = Math.abs(shortest);
    // The decimal counts: the float4 nearest to 0.0001 is below it.
    if (size >= plainMin && size < floatMax) putDouble(out, shortest);
    else out.text(exponentText((size >= 2 ** 23 ? insideFloat(value, shortest) : shortest).toExponential()));
  }
}

/** `1e+20`, `1.5e-07`: at least two digits of exponent.  */
function exponentText(text: string): string {
  const at = text.indexOf('e');
  const exponent = text.slice(at + 2);
  return `${text.slice(0, at + 2)}${exponent.length < 2 ? `0${exponent}` : exponent}`;
}

/**
 * JavaScript takes a decimal that lies in the middle between two doubles if it is read as the even one; PostgreSQL takes only decimals that any
 * reader reads as the value. Only whole numbers have so few digits in the middle.
 */
function insideDouble(value: number): string {
  const shortest = value.toExponential();
  const exact = BigInt(value);
  const middle = BigInt(shortestInteger(shortest));
  const isMiddle = (neighbour: bigint) => middle * 2n === exact + neighbour;
  if (!isMiddle(neighbourOf(value, 1n)) && !isMiddle(neighbourOf(value, -1n))) return shortest;
  const digits = shortest.indexOf('e') - (shortest.includes('.') ? 1 : 0) - (value < 0 ? 1 : 0);
  for (let more = digits; more < 17; more++) {
    const text = value.toExponential(more);
    // More digits of the same decimal are the middle, too.
    if (Number(text) === value && BigInt(shortestInteger(text)) !== middle) return text;
  }
  return shortest;
}

/** `1.5e+300` as digits. */
function shortestInteger(exponential: string): string {
  const [mantissa = '', exponent = ''] = exponential.split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return `${whole}${fraction.padEnd(Number(exponent), '0')}`;
}

const doubleBits = new DataView(new ArrayBuffer(8));

/** The next double, away from zero or towards it; behind the largest one, where it would be. */
function neighbourOf(value: number, step: 1n | -1n): bigint {
  doubleBits.setFloat64(0, value);
  doubleBits.setBigUint64(0, doubleBits.getBigUint64(0) + step);
  const next = doubleBits.getFloat64(0);
  if (Number.isFinite(next)) return BigInt(next);
  return 2n * BigInt(value) - neighbourOf(value, -1n);
}

const floatBits = new DataView(new ArrayBuffer(4));

/** The same for a float4, whose middles are doubles. */
function insideFloat(value: number, shortest: number): number {
  floatBits.setFloat32(0, value);
  const bits = floatBits.getInt32(0);
  const isMiddle = (step: 1 | -1) => {
    floatBits.setInt32(0, bits + step);
    const next = floatBits.getFloat32(0);
    return Number.isFinite(next) && (value + next) / 2 === shortest;
  };
  if (!isMiddle(1) && !isMiddle(-1)) return shortest;
  for (let digits = 1; digits < 9; digits++) {
    const nearest = Number(value.toPrecision(digits));
    if (nearest !== shortest && Math.fround(nearest) === value && digits >= digitsOf(shortest))
      return nearest;
  }
  return Number(value.toPrecision(9));
}

/** If the value is in the middle between two decimals of so few digits, PostgreSQL takes the one with the even digit, as 2.9882812 for 2.98828125. */
function evenOfTwo(value: number, shortest: number): number {
  // Values with more bits behind the point have too many digits there.
  if (shortest === value || !Number.isInteger(value * 65_536)) return shortest;
  const digits = digitsOf(shortest);
  const [mantissa = '', exponent = ''] = value.toExponential(digits).split('e');
  if (!mantissa.endsWith('5') || Number(`${mantissa}e${exponent}`) !== value) return shortest;
  const lower = Number(`${mantissa.slice(0, -1)}e${exponent}`);
  const isEven = Number(mantissa.at(-2)) % 2 === 0;
  return isEven && Math.fround(lower) === value ? lower : shortest;
}

function digitsOf(value: number): number {
  return value.toExponential().replace('-', '').split('e')[0]?.replace('.', '').length as number;
}
