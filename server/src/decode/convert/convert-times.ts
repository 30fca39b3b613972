import type { ArrayData } from '../../arrow/arrays/array-data.ts';
import { convertTimes as convertUnits } from '../../arrow/arrays/convert-times.ts';
import type { ArrowType, Field } from '../../arrow/field.ts';
import { DoesNotFit } from './does-not-fit.ts';
import { valueText } from './value-text.ts';

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
  return convertUnits(array, target, (row) => {
    throw new DoesNotFit(row, valueText(array, row), 'does not fit');
  });
}
