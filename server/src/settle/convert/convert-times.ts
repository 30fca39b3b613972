import type { ArrayData } from '../../arrow/arrays/array-data.ts';
import { bigInt64s, int32s } from '../../arrow/arrays/elements.ts';
import { isValid, valueBytes } from '../../arrow/arrays/layout.ts';
import type { ArrowType, Field, TimeUnit } from '../../arrow/field.ts';
import { DoesNotFit } from './does-not-fit.ts';
import { valueText } from './value-text.ts';

type TimeType = Extract<ArrowType, { kind: 'date' | 'time' | 'timestamp' | 'duration' }>;

const unitNanoseconds: Readonly<Record<TimeUnit | 'day', bigint>> = {
  day: 86_400_000_000_000n,
  s: 1_000_000_000n,
  ms: 1_000_000n,
  us: 1_000n,
  ns: 1n,
};

/**
 * Whether values of one type can be values of another: the same kind in any unit, and dates as midnights without a zone. Between two
 * zones the instant stays the same; between a zone and none there is no telling.
 */
export function sameSortOfTime(from: ArrowType, to: ArrowType): boolean {
  if (from.kind === 'time' || from.kind === 'duration') return from.kind === to.kind;
  const zones = [from, to].map((type) =>
    type.kind === 'timestamp' ? type.zone !== null : type.kind === 'date' ? false : null,
  );
  return zones[0] !== null && zones[0] === zones[1];
}

export function convertTimes(array: ArrayData, target: Field): ArrayData {
  const from = array.field.type as TimeType;
  const to = target.type as TimeType;
  const read = reader(array.buffers[0] as Uint8Array, valueBytes(from) ?? 8, array.length);
  const width = valueBytes(to) ?? 8;
  const bytes = new Uint8Array(array.length * width);
  const view = new DataView(bytes.buffer);
  const fit = unitFit(unitNanoseconds[from.unit], unitNanoseconds[to.unit], width * 8);
  for (let row = 0; row < array.length; row++) {
    if (!isValid(array.validity, row)) continue;
    const fitting = fit(read(row));
    if (fitting === undefined) throw new DoesNotFit(row, valueText(array, row), 'does not fit');
    if (width === 4) view.setInt32(row * 4, Number(fitting), true);
    else view.setBigInt64(row * 8, fitting, true);
  }
  return { ...array, field: target, buffers: [bytes] };
}

/** A count of one unit as a count of another, in so many bits; undefined if that is not exact. */
function unitFit(from: bigint, to: bigint, bits: number): (value: bigint) => bigint | undefined {
  const inRange = (value: bigint) => (BigInt.asIntN(bits, value) === value ? value : undefined);
  if (from >= to) {
    const factor = from / to;
    return (value) => inRange(value * factor);
  }
  const divisor = to / from;
  return (value) => (value % divisor === 0n ? inRange(value / divisor) : undefined);
}

function reader(bytes: Uint8Array, width: number, count: number): (row: number) => bigint {
  if (width === 4) {
    const values = int32s(bytes, 0, count);
    return (row) => BigInt(values[row] as number);
  }
  const values = bigInt64s(bytes, 0, count);
  return (row) => values[row] as bigint;
}
