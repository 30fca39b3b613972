import type { ArrowType, Field, TimeUnit } from '../field.ts';
import type { ArrayData } from './array-data.ts';
import { bigInt64s, int32s } from './elements.ts';
import { isValid, valueBytes } from './layout.ts';

type TimeType = Extract<ArrowType, { kind: 'date' | 'time' | 'timestamp' | 'duration' }>;

const unitNanoseconds: Readonly<Record<TimeUnit | 'day', bigint>> = {
  day: 86_400_000_000_000n,
  s: 1_000_000_000n,
  ms: 1_000_000n,
  us: 1_000n,
  ns: 1n,
};

/** The same times in another unit. `refuse` hears of the first row whose value has no exact form in it. */
export function convertTimes(array: ArrayData, target: Field, refuse: (row: number) => never): ArrayData {
  const from = array.field.type as TimeType;
  const to = target.type as TimeType;
  const read = reader(array.buffers[0] as Uint8Array, valueBytes(from) ?? 8, array.length);
  const width = valueBytes(to) ?? 8;
  const bytes = new Uint8Array(array.length * width);
  const view = new DataView(bytes.buffer);
  const fit = unitFit(unitNanoseconds[from.unit], unitNanoseconds[to.unit], width * 8);
  for (let row = 0; row < array.length; row++) {
    if (!isValid(array.validity, row)) continue;
    const fitting = fit(read(row)) ?? refuse(row);
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
