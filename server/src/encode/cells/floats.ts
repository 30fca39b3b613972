import { putInteger, putLongPadded, putSmall } from './digits.ts';
import type { TextBuffer } from './text-buffer.ts';

const minus = 45;
const point = 46;
const zero = 48;
const powers = Array.from({ length: 23 }, (_, exponent) => 10 ** exponent);
/** Two different decimals of at most 15 digits are never the same double. */
const exactMax = 1e15;
/** Of most measured values. */
const fewDecimals = 4;

/** A finite double as JavaScript writes it, but for -0. There is room for 26 bytes. */
export function putDouble(out: TextBuffer, value: number): void {
  if (Number.isInteger(value) && value <= Number.MAX_SAFE_INTEGER && value >= -Number.MAX_SAFE_INTEGER) {
    if (value === 0 && Object.is(value, -0)) out.bytes[out.at++] = minus;
    out.at = putInteger(out.bytes, out.at, value);
    return;
  }
  const size = Math.abs(value);
  // Smaller ones may have an exponent, and larger ones have no room for many decimals.
  if (size >= 0.001 && size < 1e8) {
    if (putDecimal(out, value, size, fewDecimals)) return;
    if (putDecimal(out, value, size, size < 10 ? 14 : size < 1e3 ? 12 : size < 1e5 ? 10 : 7)) return;
  }
  out.text(`${value}`);
}

/**
 * If the number is what a decimal of at most 15 digits is read as, `decimals` of them behind the point: that decimal. No other one of so few digits
 * is read as this number, so it is the shortest. Division of whole numbers is rounded like reading, once, to the nearest.
 */
function putDecimal(out: TextBuffer, value: number, size: number, decimals: number): boolean {
  const power = powers[decimals] as number;
  const digits = Math.round(size * power);
  if (digits >= exactMax || digits / power !== size) return false;
  const { bytes } = out;
  let { at } = out;
  if (value < 0) bytes[at++] = minus;
  const whole = Math.floor(size);
  at = putSmall(bytes, at, whole);
  bytes[at++] = point;
  at = putLongPadded(bytes, at, digits - whole * power, decimals);
  while (bytes[at - 1] === zero) at--;
  out.at = at;
  return true;
}

/** The shortest decimal that is nearest to this finite value among all of float32. There is room for 26 bytes. */
export function putFloat32(out: TextBuffer, value: number): void {
  if (Number.isInteger(value) && Math.abs(value) < 16_777_216) putDouble(out, value);
  else putDouble(out, shortestFloat32(value));
}

/** The double that has the shortest text among those that are nearest to no other float32. */
export function shortestFloat32(value: number): number {
  const size = Math.abs(value);
  const isPowerOfTwo = Number.isInteger(Math.log2(size));
  if (isPowerOfTwo || size < 0.001 || size >= 1e6) return searchFloat32(value);
  // 24 bits times a power of ten up to 10^12 are exact as a double, so these are the nearest decimals of six to nine digits.
  let power =
    size < 1 ? (size < 0.01 ? 1e8 : size < 0.1 ? 1e7 : 1e6) : size < 10 ? 1e5 : size < 100 ? 1e4 : 0;
  if (power === 0) power = size < 1e3 ? 1e3 : size < 1e4 ? 1e2 : size < 1e5 ? 1e1 : 1;
  for (let digits = 6; ; digits++, power *= 10) {
    const nearest = Math.round(size * power) / power;
    if (digits === 9 || Math.fround(nearest) === size) return value < 0 ? -nearest : nearest;
  }
}

function searchFloat32(value: number): number {
  // Six digits survive a float32 for certain, so that nothing shorter than six is missed; below the normal range fewer may do.
  const digitsMin = Math.abs(value) < 1.2e-38 ? 1 : 6;
  const digitsMax = 9;
  for (let digits = digitsMin; digits < digitsMax; digits++) {
    const shorter = Number(value.toPrecision(digits));
    if (Math.fround(shorter) === value) return shorter;
    // The gap below a power of two is half the gap above it: the decimal next further from zero may do if the nearest does not.
    if (Number.isInteger(Math.log2(Math.abs(value)))) {
      const further = nextDecimal(value, digits);
      if (Math.fround(further) === value) return further;
    }
  }
  return Number(value.toPrecision(digitsMax));
}

/** One more in the last of so many digits. */
function nextDecimal(value: number, digits: number): number {
  const [mantissa = '', exponent = ''] = value.toExponential(digits - 1).split('e');
  const whole = Number(mantissa.replace('.', ''));
  return Number(`${whole + Math.sign(whole)}e${Number(exponent) - (digits - 1)}`);
}

export function float16Value(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1024 + fraction) * 2 ** (exponent - 25);
}
