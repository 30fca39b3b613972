import type { ArrowType, IntType } from '../../arrow/field.ts';

type DecimalType = Extract<ArrowType, { kind: 'decimal' }>;
type FloatType = Extract<ArrowType, { kind: 'float' }>;
export type NumberType = IntType | FloatType | DecimalType;

/** Integers of up to 32 bits and floats are numbers, integers of 64 bits and the digits of decimals are bigints. */
export type NumberValue = number | bigint;

/** The same number in another type; undefined if that type does not have it. */
export type FitNumber = (value: NumberValue) => NumberValue | undefined;

export function numberFit(from: NumberType, to: NumberType): FitNumber {
  if (to.kind === 'int') return integerFit(from, to);
  if (to.kind === 'float') return floatFit(from, to);
  return decimalFit(from, to);
}

function integerFit(from: NumberType, to: IntType): FitNumber {
  const min = to.signed ? -(2 ** (to.bits - 1)) : 0;
  const limit = 2 ** (to.signed ? to.bits - 1 : to.bits);
  const inRange = (value: NumberValue) => (value >= min && value < limit ? value : undefined);
  if (from.kind === 'int') return inRange;
  if (from.kind === 'float')
    return (value) => (Number.isInteger(value) && !Object.is(value, -0) ? inRange(value) : undefined);
  const whole = rescale(from.scale, 0);
  return (value) => {
    const integer = whole(BigInt(value));
    return integer === undefined ? undefined : inRange(integer);
  };
}

function floatFit(from: NumberType, to: FloatType): FitNumber {
  const narrow = (value: number) =>
    to.bits === 64 || Number.isNaN(value) || Math.fround(value) === value ? value : undefined;
  if (from.kind === 'decimal')
    return (value) => {
      const double = decimalAsDouble(BigInt(value), from.scale);
      return double === undefined ? undefined : narrow(double);
    };
  return (value) => {
    if (typeof value === 'number') return narrow(value);
    const double = Number(value);
    return BigInt(double) === value ? narrow(double) : undefined;
  };
}

function decimalFit(from: NumberType, to: DecimalType): FitNumber {
  const limit = 10n ** BigInt(to.precision);
  const inRange = (digits: bigint | undefined) =>
    digits !== undefined && digits < limit && digits > -limit ? digits : undefined;
  if (from.kind === 'float') return (value) => inRange(doubleAsDecimal(Number(value), to.scale));
  const scaled = rescale(from.kind === 'decimal' ? from.scale : 0, to.scale);
  return (value) => inRange(scaled(BigInt(value)));
}

/** Digits with one scale as digits with another; undefined if digits other than zeros would be lost. */
function rescale(from: number, to: number): (digits: bigint) => bigint | undefined {
  const factor = 10n ** BigInt(Math.abs(to - from));
  if (to >= from) return (digits) => digits * factor;
  return (digits) => (digits % factor === 0n ? digits / factor : undefined);
}

/** digits / 10^scale if a double is exactly that: 10 = 2 · 5, so all the fives must go. */
function decimalAsDouble(digits: bigint, scale: number): number | undefined {
  if (scale <= 0) return exactDouble(digits * 10n ** BigInt(-scale));
  const fives = 5n ** BigInt(scale);
  if (digits % fives !== 0n) return undefined;
  const numerator = exactDouble(digits / fives);
  // Dividing by a power of two is exact: decimals are far from where doubles lose digits.
  return numerator === undefined ? undefined : numerator / 2 ** scale;
}

function exactDouble(value: bigint): number | undefined {
  const double = Number(value);
  return Number.isFinite(double) && BigInt(double) === value ? double : undefined;
}

/** value · 10^scale if that is a whole number. */
function doubleAsDecimal(value: number, scale: number): bigint | undefined {
  if (!Number.isFinite(value) || Object.is(value, -0)) return undefined;
  // Multiplying by two is exact; a double with more binary places than this has more decimal places than any decimal.
  let twos = 0;
  let whole = value;
  while (!Number.isInteger(whole)) {
    if (twos === binaryPlacesMax) return undefined;
    whole *= 2;
    twos++;
  }
  const scaled = BigInt(whole) * 10n ** BigInt(Math.max(0, scale));
  const divisor = 2n ** BigInt(twos) * 10n ** BigInt(Math.max(0, -scale));
  return scaled % divisor === 0n ? scaled / divisor : undefined;
}

/** The largest scale of Arrow's decimals: so many binary places have as many decimal ones. */
const binaryPlacesMax = 76;
