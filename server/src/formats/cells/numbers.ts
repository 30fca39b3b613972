import type { ArrayData } from '../../arrow/arrays/array-data.ts';
import { float32s, float64s, int32s, smallInts, uint16s } from '../../arrow/arrays/elements.ts';
import { isValid } from '../../arrow/arrays/layout.ts';
import type { IntType } from '../../arrow/field.ts';
import type { CellStyle } from './cell-style.ts';

const high32 = 4_294_967_296;

export function boolTexts(data: ArrayData, from: number, to: number): string[] {
  const bits = data.buffers[0] as Uint8Array;
  const texts = new Array<string>(to - from);
  for (let index = from; index < to; index++) texts[index - from] = isValid(bits, index) ? 'true' : 'false';
  return texts;
}

/** All digits, always. */
export function intTexts(
  type: IntType,
  data: ArrayData,
  from: number,
  to: number,
  style: CellStyle,
): string[] {
  const bytes = data.buffers[0] as Uint8Array;
  if (type.bits === 64) return int64Texts(type.signed, bytes, from, to, style);
  const values = smallInts(type, bytes, from, to);
  const texts = new Array<string>(values.length);
  for (let index = 0; index < values.length; index++) texts[index] = `${values[index] as number}`;
  return texts;
}

function int64Texts(
  signed: boolean,
  bytes: Uint8Array,
  from: number,
  to: number,
  style: CellStyle,
): string[] {
  const words = int32s(bytes, from * 2, to * 2);
  const quote = style.quoteLargeNumbers && style.syntax === 'json' ? '"' : '';
  const texts = new Array<string>(to - from);
  for (let index = 0; index < texts.length; index++) {
    const text = int64Text(words[index * 2] as number, words[index * 2 + 1] as number, signed);
    texts[index] = quote === '' ? text : `"${text}"`;
  }
  return texts;
}

export function int64Text(low: number, high: number, signed: boolean): string {
  // Below 2^53 a double holds every integer; above, only a BigInt does.
  if (high >= -0x20_0000 && high < 0x20_0000) {
    if (signed || high >= 0) return `${high * high32 + (low >>> 0)}`;
  }
  const value = (BigInt(high) << 32n) | BigInt(low >>> 0);
  return (signed ? value : BigInt.asUintN(64, value)).toString();
}

export function floatTexts(
  bits: 16 | 32 | 64,
  data: ArrayData,
  from: number,
  to: number,
  style: CellStyle,
): string[] {
  const bytes = data.buffers[0] as Uint8Array;
  const texts = new Array<string>(to - from);
  if (bits === 64) {
    const values = float64s(bytes, from, to);
    for (let index = 0; index < texts.length; index++) {
      const value = values[index] as number;
      texts[index] = Number.isFinite(value) ? doubleText(value) : notFiniteText(value, style);
    }
  } else if (bits === 32) {
    const values = float32s(bytes, from, to);
    for (let index = 0; index < texts.length; index++) {
      const value = values[index] as number;
      texts[index] = Number.isFinite(value) ? float32Text(value) : notFiniteText(value, style);
    }
  } else {
    const values = uint16s(bytes, from, to);
    for (let index = 0; index < texts.length; index++) {
      // All its digits, at most eleven: the shortest text among halves would write 65504 as 65500.
      const value = float16Value(values[index] as number);
      texts[index] = Number.isFinite(value) ? doubleText(value) : notFiniteText(value, style);
    }
  }
  return texts;
}

/** JSON has no such numbers; CSV readers know these words. */
function notFiniteText(value: number, style: CellStyle): string {
  return style.syntax === 'json' ? 'null' : `${value}`;
}

function doubleText(value: number): string {
  return value === 0 && Object.is(value, -0) ? '-0' : `${value}`;
}

/** The shortest decimal that is nearest to this value among all of float32. */
function float32Text(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 16_777_216) return doubleText(value);
  // Six digits survive a float32 for certain, so that nothing shorter than six is missed; below the normal range fewer may do.
  const digitsMin = Math.abs(value) < 1.2e-38 ? 1 : 6;
  return shortestText(value, digitsMin, 9);
}

function shortestText(value: number, digitsMin: number, digitsMax: number): string {
  for (let digits = digitsMin; digits < digitsMax; digits++) {
    const shorter = Number(value.toPrecision(digits));
    if (Math.fround(shorter) === value) return `${shorter}`;
    // The gap below a power of two is half the gap above it: the decimal next further from zero may do if the nearest does not.
    if (Number.isInteger(Math.log2(Math.abs(value)))) {
      const further = nextDecimal(value, digits);
      if (Math.fround(further) === value) return `${further}`;
    }
  }
  return `${Number(value.toPrecision(digitsMax))}`;
}

/** One more in the last of so many digits. */
function nextDecimal(value: number, digits: number): number {
  const [mantissa = '', exponent = ''] = value.toExponential(digits - 1).split('e');
  const whole = Number(mantissa.replace('.', ''));
  return Number(`${whole + Math.sign(whole)}e${Number(exponent) - (digits - 1)}`);
}

function float16Value(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1024 + fraction) * 2 ** (exponent - 25);
}
