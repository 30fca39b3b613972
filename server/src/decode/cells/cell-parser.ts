import type { ArrowType, TimeUnit } from '../../arrow/field.ts';
import { parseClock, parseDay, parseMoment } from './moment.ts';
import { isoMoment, type Notation, plainNotation, plainNumber, wholeClock } from './notation.ts';
import { numberCharactersMax } from './number-digits.ts';

/** What a column builder takes. */
export type Cell = boolean | number | bigint | string;

/** The value of a text, undefined if it does not fit the type exactly. Only floats may round: that is what a float is for. */
export type CellParser = (text: string) => Cell | undefined;

const integerPattern = /^[+-]?[0-9]+$/;
const decimalPattern = /^([+-]?)([0-9]+)(?:\.([0-9]+))?$/;
const numberPattern = /^[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;
const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const trueTexts = new Set(['true', 't', '1']);
const falseTexts = new Set(['false', 'f', '0']);

/** The parser of a type for texts in this notation. */
export function cellParser(type: ArrowType, notation: Notation = plainNotation): CellParser {
  const parse = plainParser(type);
  switch (type.kind) {
    case 'int':
    case 'float':
    case 'decimal':
      if (notation.decimal === '.' && notation.thousands === null) return parse;
      return (text) => {
        if (text.length > numberCharactersMax) return undefined;
        const number = plainNumber(text, notation);
        return number === undefined ? undefined : parse(number);
      };
    case 'date':
    case 'timestamp':
      return notation.dates === null ? parse : (text) => parse(isoMoment(text, notation.dates));
    default:
      return parse;
  }
}

function plainParser(type: ArrowType): CellParser {
  switch (type.kind) {
    case 'bool':
      return parseBoolean;
    case 'int':
      return integerParser(type.bits, type.signed);
    case 'float':
      return type.bits === 32 ? parseFloat32 : parseFloat64;
    case 'decimal':
      return decimalParser(type.precision, type.scale);
    case 'date':
      return parseDate;
    case 'time':
      return parseTime;
    case 'timestamp':
      return timestampParser(type.unit, type.zone !== null);
    case 'fixed-binary':
      return (text) => (uuidPattern.test(text) ? text : undefined);
    default:
      return (text) => text;
  }
}

function parseBoolean(text: string): boolean | undefined {
  const lower = text.toLowerCase();
  return trueTexts.has(lower) ? true : falseTexts.has(lower) ? false : undefined;
}

function integerParser(bits: number, signed: boolean): CellParser {
  if (bits === 64) {
    const min = signed ? -(2n ** 63n) : 0n;
    const max = signed ? 2n ** 63n - 1n : 2n ** 64n - 1n;
    return (text) => {
      // 20 digits are more than 64 bits hold; longer texts cost time for nothing, unless they are leading zeros.
      if (text.length > numberCharactersMax || !integerPattern.test(text)) return undefined;
      if (signed && text.length <= 15) return Number(text);
      const value = BigInt(text.startsWith('+') ? text.slice(1) : text);
      return value < min || value > max ? undefined : value;
    };
  }
  const min = signed ? -(2 ** (bits - 1)) : 0;
  const max = signed ? 2 ** (bits - 1) - 1 : 2 ** bits - 1;
  return (text) => {
    if (text.length > numberCharactersMax || !integerPattern.test(text)) return undefined;
    const value = Number(text);
    return value < min || value > max ? undefined : value + 0;
  };
}

function parseFloat64(text: string): number | undefined {
  if (text.length > numberCharactersMax) return undefined;
  if (numberPattern.test(text)) {
    const value = Number(text);
    return Number.isFinite(value) ? value : undefined;
  }
  return specialNumber(text);
}

function parseFloat32(text: string): number | undefined {
  const value = parseFloat64(text);
  if (value === undefined || !Number.isFinite(value)) return value;
  return Number.isFinite(Math.fround(value)) ? value : undefined;
}

export function specialNumber(text: string): number | undefined {
  return text === 'NaN'
    ? Number.NaN
    : text === 'Infinity'
      ? Infinity
      : text === '-Infinity'
        ? -Infinity
        : undefined;
}

function decimalParser(precision: number, scale: number): CellParser {
  const limit = 10n ** BigInt(precision);
  return (text) => {
    const match = text.length > numberCharactersMax ? null : decimalPattern.exec(text);
    if (match === null) return undefined;
    const [, sign, whole = '', fraction = ''] = match;
    let digits = fraction.length;
    while (digits > 0 && fraction[digits - 1] === '0') digits--;
    if (digits > scale) return undefined;
    const kept = fraction.slice(0, digits);
    const value = BigInt(whole + kept.padEnd(scale, '0'));
    if (value >= limit) return undefined;
    return sign === '-' ? -value : value;
  };
}

function parseDate(text: string): number | undefined {
  return text.length === 10 ? (parseDay(text) ?? undefined) : undefined;
}

/** With nine decimals and an offset a clock is shorter. */
const clockCharactersMax = 40;

/** Microseconds of the day. Asked for, HH:MM is a time too; found, it is text. */
function parseTime(text: string): number | undefined {
  if (text.length > clockCharactersMax) return undefined;
  const whole = wholeClock(text);
  const clock = parseClock(whole, 0);
  if (clock === null || clock.end !== whole.length || clock.nanoseconds % 1_000 !== 0) return undefined;
  return clock.seconds * 1_000_000 + clock.nanoseconds / 1_000;
}

const unitNanoseconds: Record<TimeUnit, number> = { s: 1_000_000_000, ms: 1_000_000, us: 1_000, ns: 1 };

function timestampParser(unit: TimeUnit, zoned: boolean): CellParser {
  const unitSize = unitNanoseconds[unit];
  const perSecond = 1_000_000_000 / unitSize;
  return (text) => {
    const moment = parseMoment(text[16] === ':' ? text : withSeconds(text));
    if (moment === null || moment.zoned !== zoned || moment.nanoseconds % unitSize !== 0) return undefined;
    return momentIn(moment.seconds, moment.nanoseconds / unitSize, perSecond);
  };
}

/** Asked for, `YYYY-MM-DD HH:MM` is a moment too; found, it is text. */
function withSeconds(text: string): string {
  return text.length > clockCharactersMax ? text : text.slice(0, 11) + wholeClock(text.slice(11));
}

/** Seconds and a fraction of them in units; undefined if 64 bits do not hold it. */
function momentIn(seconds: number, fraction: number, perSecond: number): Cell | undefined {
  const value = seconds * perSecond + fraction;
  if (Number.isSafeInteger(value)) return value;
  const exact = BigInt(seconds) * BigInt(perSecond) + BigInt(fraction);
  return BigInt.asIntN(64, exact) === exact ? exact : undefined;
}
