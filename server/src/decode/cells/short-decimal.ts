import type { Buffer } from 'node:buffer';

const zero = 0x30;
const minus = 0x2d;
/** A sign, a point, 17 digits and the zeros before them. Longer texts are looked at as texts. */
const charactersMax = 42;
/** Always exact in a double. */
const digitsAlways = 15;
/** With more, no double has all of them. */
const digitsSometimes = 17;
/** Powers of ten that are exact in a double: dividing by them rounds once, to the nearest. */
const powers = Float64Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));
/** Cuts a double into two halves whose products are exact. */
const splitter = 2 ** 27 + 1;
const upperHalves = powers.map(upperHalf);

/**
 * A number with decimals or without, and without an exponent, of whose digits a double loses none. NaN for every other text, and for the few
 * numbers that are too close to a limit to be decided here. `point` is the decimal mark.
 */
export function shortDecimal(bytes: Buffer, start: number, end: number, point: number): number {
  if (end - start > charactersMax) return Number.NaN;
  const negative = bytes[start] === minus;
  const wholeStart = negative ? start + 1 : start;
  let position = wholeStart;
  let mantissa = 0;
  /** Those from the first that is not zero. */
  let digits = 0;
  /** The digits behind the first fifteen. */
  let tail = 0;
  let pointAt = -1;
  for (; position < end; position++) {
    const digit = (bytes[position] as number) - zero;
    if (digit < 0 || digit > 9) {
      if (pointAt !== -1 || bytes[position] !== point) return Number.NaN;
      pointAt = position;
    } else if (digits < digitsAlways) {
      mantissa = mantissa * 10 + digit;
      if (mantissa !== 0) digits++;
    } else {
      tail = tail * 10 + digit;
      digits++;
    }
  }
  const wholeLength = (pointAt === -1 ? end : pointAt) - wholeStart;
  if (wholeLength === 0 || (wholeLength > 1 && bytes[wholeStart] === zero)) return Number.NaN;
  if (pointAt === -1) {
    if (digits > digitsAlways || (negative && mantissa === 0)) return Number.NaN;
    return negative ? -mantissa : mantissa;
  }
  const decimals = end - pointAt - 1;
  if (decimals === 0 || decimals >= powers.length || digits > digitsSometimes) return Number.NaN;
  const value =
    digits <= digitsAlways
      ? mantissa / (powers[decimals] as number)
      : longDecimal(mantissa, tail, digits - digitsAlways, decimals);
  return negative ? -value : value;
}

/**
 * The double next to a number of 16 or 17 digits, if it is nearer to it than any other number of as many digits: then it gives back all of them.
 * The number is taken as the sum of two doubles, which is exact, and so is the product of the double and the power of ten.
 */
function longDecimal(mantissa: number, tail: number, tailDigits: number, decimals: number): number {
  // The products have at most 53 bits: 10 is 2 × 5, 64 is a power of two, and 36 is 4 × 9.
  const large = tailDigits === 1 ? mantissa * 10 : mantissa * 64 + mantissa * 36;
  const lost = tailDigits === 1 ? 0 : mantissa * 36 - (large - mantissa * 64);
  const upper = large + (lost + tail);
  const lower = lost + tail - (upper - large);
  const power = powers[decimals] as number;
  const near = upper / power;
  const correction = remainder(upper, lower, near, decimals) / power;
  const value = near + correction;
  // Almost in the middle between two doubles: either might be the nearest.
  if (near + correction * 1.000_001 !== near + correction * 0.999_999) return Number.NaN;
  return Math.abs(remainder(upper, lower, value, decimals)) < 0.499_999 ? value : Number.NaN;
}

/** How much the number is above the double, in units of its last digit. */
function remainder(upper: number, lower: number, value: number, decimals: number): number {
  const power = powers[decimals] as number;
  const powerUpper = upperHalves[decimals] as number;
  const powerLower = power - powerUpper;
  const valueUpper = upperHalf(value);
  const valueLower = value - valueUpper;
  const product = value * power;
  const lost =
    valueLower * powerLower -
    (product - valueUpper * powerUpper - valueLower * powerUpper - valueUpper * powerLower);
  return upper - product - lost + lower;
}

function upperHalf(value: number): number {
  const shifted = value * splitter;
  return shifted - (shifted - value);
}
