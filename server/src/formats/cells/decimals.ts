import type { ArrayData } from '../../arrow/arrays/array-data.ts';
import { int32s } from '../../arrow/arrays/elements.ts';
import type { ArrowType } from '../../arrow/field.ts';
import type { CellStyle } from './cell-style.ts';
import { quoteMark } from './cell-style.ts';
import { int64Text } from './numbers.ts';

type DecimalType = Extract<ArrowType, { kind: 'decimal' }>;

/**
 * Every digit, and as many behind the point as the scale says; a negative scale appends zeros. Numbers, where they are
 * whole ones that only Arrow calls decimals; else strings, because a reader of JSON would round them.
 */
export function decimalTexts(
  { bits, scale, integer }: DecimalType,
  data: ArrayData,
  from: number,
  to: number,
  style: CellStyle,
): string[] {
  const quote = integer === undefined || style.quoteLargeNumbers ? quoteMark(style) : '';
  const width = bits / 32;
  const words = int32s(data.buffers[0] as Uint8Array, from * width, to * width);
  const texts = new Array<string>(to - from);
  for (let index = 0; index < texts.length; index++)
    texts[index] = quote + placePoint(integerText(words, index * width, width), scale) + quote;
  return texts;
}

/** A little-endian two's complement integer of `width` words. */
function integerText(words: Int32Array, start: number, width: number): string {
  const low = words[start] as number;
  if (width === 1) return `${low}`;
  const high = words[start + 1] as number;
  const sign = high >> 31;
  let fits64 = true;
  for (let word = start + 2; word < start + width; word++) fits64 &&= words[word] === sign;
  if (fits64) return int64Text(low, high, true);
  let value = BigInt(words[start + width - 1] as number);
  for (let word = start + width - 2; word >= start; word--)
    value = (value << 32n) | BigInt((words[word] as number) >>> 0);
  return value.toString();
}

function placePoint(integer: string, scale: number): string {
  if (scale === 0) return integer;
  if (scale < 0) return integer === '0' ? integer : integer + '0'.repeat(-scale);
  const sign = integer.startsWith('-') ? '-' : '';
  const digits = integer.slice(sign.length).padStart(scale + 1, '0');
  return `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}
