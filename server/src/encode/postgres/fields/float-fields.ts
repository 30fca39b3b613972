import type { ArrayData } from '../../../arrow/arrays/array-data.ts';
import { viewOf } from '../../cells/cell-writer.ts';
import { float16Value, putDouble, shortestFloat32 } from '../../cells/floats.ts';
import type { TextBuffer } from '../../cells/text-buffer.ts';
import { FieldWriter } from './field-writer.ts';

/** PostgreSQL writes an exponent below this and, by type, from DBL_DIG or FLT_DIG digits before the point on. */
const plainMin = 1e-4;
const doubleMax = 1e15;
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
  else out.text(exponentText(value, size >= 2 ** 53 ? insideDouble(value) : value));
}

function putFloat4(out: TextBuffer, value: number): void {
  const size = Math.abs(value);
  if (value === 0) putDouble(out, value);
  else if (size >= plainMin && size < floatMax) putDouble(out, shortestFloat32(value));
  else out.text(exponentText(value, Number.isFinite(value) ? insideFloat(value) : value));
}

/** `1e+20`, `1.5e-07`: at least two digits of exponent. `shortest` is the decimal, as a double that is written with its digits. */
function exponentText(value: number, shortest: number | string): string {
  if (!Number.isFinite(value)) return `${value}`;
  const text = typeof shortest === 'string' ? shortest : shortest.toExponential();
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
  const isMiddle = (neighbour: bigint) => BigInt(shortestInteger(shortest)) * 2n === exact + neighbour;
  if (!isMiddle(neighbourOf(value, 1n)) && !isMiddle(neighbourOf(value, -1n))) return shortest;
  const digits = shortest.indexOf('e') - (shortest.includes('.') ? 1 : 0) - (value < 0 ? 1 : 0);
  for (let more = digits; more < 17; more++) {
    const text = value.toExponential(more);
    if (Number(text) === value) return text;
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
function insideFloat(value: number): number {
  const shortest = shortestFloat32(value);
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

function digitsOf(value: number): number {
  return value.toExponential().replace('-', '').split('e')[0]?.replace('.', '').length as number;
}
