import { Buffer } from 'node:buffer';
import type { ArrayData } from '../../arrow/arrays/array-data.ts';
import { bigInt64s, int32s } from '../../arrow/arrays/elements.ts';
import { isValid, valueBytes } from '../../arrow/arrays/layout.ts';
import type { TimeUnit } from '../../arrow/field.ts';
import { isBinary, isText } from '../../model/types/type-table.ts';
import { byteValues } from './byte-values.ts';
import { isNumber, numberReader } from './number-values.ts';

/** Characters of a value that an error shows: enough to recognise it. */
const charactersMax = 100;
/** What a `Date` holds, in milliseconds to either side of 1970. */
const dateMax = 8_640_000_000_000_000n;

/** A value of an array without children, as an error shows it: short. */
export function valueText(array: ArrayData, row: number): string {
  const { type } = array.field;
  if (!isValid(array.validity, row)) return 'null';
  if (isNumber(type)) {
    const value = numberReader(array.buffers[0] as Uint8Array, type, array.length)(row);
    if (type.kind === 'decimal') return decimalText(BigInt(value), type.scale);
    return Object.is(value, -0) ? '-0' : String(value);
  }
  if (isText(type))
    return JSON.stringify(
      cut(Buffer.from(byteValues(array)(row).subarray(0, 4 * charactersMax)).toString('utf8')),
    );
  if (isBinary(type))
    return `0x${cut(Buffer.from(byteValues(array)(row).subarray(0, charactersMax)).toString('hex'))}`;
  switch (type.kind) {
    case 'bool':
      return byteValues(array)(row)[0] === 1 ? 'true' : 'false';
    case 'date':
    case 'timestamp':
    case 'time':
    case 'duration': {
      const count = integerAt(array, row);
      if (type.kind === 'date' || type.kind === 'timestamp') return momentText(count, type.unit);
      return `${count} ${type.unit}`;
    }
    default:
      return `a value of type ${type.kind}`;
  }
}

function cut(text: string): string {
  return text.length > charactersMax ? `${text.slice(0, charactersMax)}…` : text;
}

function decimalText(digits: bigint, scale: number): string {
  if (scale <= 0) return String(digits * 10n ** BigInt(-scale));
  const text = String(digits < 0n ? -digits : digits).padStart(scale + 1, '0');
  return `${digits < 0n ? '-' : ''}${text.slice(0, -scale)}.${text.slice(-scale)}`;
}

function integerAt(array: ArrayData, row: number): bigint {
  const bytes = array.buffers[0] as Uint8Array;
  return valueBytes(array.field.type) === 4
    ? BigInt(int32s(bytes, row, row + 1)[0] as number)
    : (bigInt64s(bytes, row, row + 1)[0] as bigint);
}

const unitsPerSecond: Readonly<Record<TimeUnit, bigint>> = {
  s: 1n,
  ms: 1_000n,
  us: 1_000_000n,
  ns: 1_000_000_000n,
};

/** ISO 8601 with all its digits, or the count where no calendar reaches. */
function momentText(count: bigint, unit: TimeUnit | 'day'): string {
  const [units, perSecond] = unit === 'day' ? [count * 86_400n, 1n] : [count, unitsPerSecond[unit]];
  const fraction = ((units % perSecond) + perSecond) % perSecond;
  const seconds = (units - fraction) / perSecond;
  if (seconds * 1_000n > dateMax || seconds * 1_000n < -dateMax) return `${count} ${unit} since 1970`;
  const text = new Date(Number(seconds) * 1_000).toISOString().slice(0, -5);
  return fraction === 0n ? text : `${text}.${String(fraction).padStart(String(perSecond).length - 1, '0')}`;
}
