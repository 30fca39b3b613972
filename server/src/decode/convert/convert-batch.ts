import type { ArrayData, BatchData } from '../../arrow/arrays/array-data.ts';
import { elementBytes, isValid } from '../../arrow/arrays/layout.ts';
import { sliceArray } from '../../arrow/arrays/ranges.ts';
import type { Field } from '../../arrow/field.ts';
import { FrameholdError } from '../../model/errors.ts';
import { convertArray } from './convert-array.ts';
import type { DictionaryEncoder } from './dictionary-encoder.ts';
import { DoesNotFit, TooMuchAtOnce } from './does-not-fit.ts';
import { ValueRefused } from './value-refused.ts';

/** Of the values of fixed width in one piece: a column of nulls may have any number of rows in a few bytes. */
const pieceBytes = 32 * 1024 * 1024;

type Encoders = ReadonlyMap<bigint, DictionaryEncoder>;

/** The rows of a batch in the types of some fields, in the same order; in pieces if the whole would be too much. */
export function* convertBatch(
  batch: BatchData,
  fields: readonly Field[],
  rowsBefore: number,
  encoders: Encoders,
): Generator<BatchData, void, void> {
  const rowBytes = fields.reduce((sum, field) => sum + widthOf(field), 0);
  const step = Math.max(1, Math.floor(pieceBytes / Math.max(1, rowBytes)));
  for (let start = 0; start < batch.length; start += step)
    yield* convertRows(batch, start, Math.min(step, batch.length - start), fields, rowsBefore, encoders);
}

function* convertRows(
  batch: BatchData,
  start: number,
  length: number,
  fields: readonly Field[],
  rowsBefore: number,
  encoders: Encoders,
): Generator<BatchData, void, void> {
  const isPiece = length < batch.length;
  let piece: BatchData;
  try {
    const columns = isPiece
      ? batch.columns.map((column) => sliceArray(column, start, length))
      : batch.columns;
    piece = { length, columns: convertColumns(columns, fields, rowsBefore + start, { encoders, isPiece }) };
  } catch (thrown) {
    if (!(thrown instanceof TooMuchAtOnce)) throw thrown;
    if (length === 1) throw tooLargeRow(rowsBefore + start + 1);
    const half = Math.ceil(length / 2);
    yield* convertRows(batch, start, half, fields, rowsBefore, encoders);
    yield* convertRows(batch, start + half, length - half, fields, rowsBefore, encoders);
    return;
  }
  yield piece;
}

/** Reports the first row of any column with a value that does not fit. */
function convertColumns(
  columns: readonly ArrayData[],
  fields: readonly Field[],
  rowsBefore: number,
  conversion: Parameters<typeof convertArray>[2],
): ArrayData[] {
  let first: { readonly fault: DoesNotFit; readonly field: Field } | null = null;
  const converted: ArrayData[] = [];
  for (const [index, column] of columns.entries()) {
    const field = fields[index] as Field;
    try {
      const array = convertArray(column, field, conversion);
      refuseNulls(array);
      converted.push(array);
    } catch (thrown) {
      if (!(thrown instanceof DoesNotFit)) throw thrown;
      if (first === null || thrown.row < first.fault.row) first = { fault: thrown, field };
    }
  }
  if (first !== null) throw new ValueRefused(first.fault, first.field, rowsBefore + first.fault.row + 1);
  return converted;
}

/** Only a dictionary can bring nulls that its field does not announce: among its values. */
function refuseNulls(array: ArrayData): void {
  if (array.field.nullable || array.nullCount === 0) return;
  for (let row = 0; row < array.length; row++)
    if (!isValid(array.validity, row))
      throw new DoesNotFit(row, 'null', 'does not fit a column that has no nulls');
}

function widthOf(field: Field): number {
  const { type } = field;
  const inner = field.children.reduce((sum, child) => sum + widthOf(child), 0);
  return (elementBytes(field) ?? 8) + (type.kind === 'fixed-list' ? type.size * inner : inner);
}

function tooLargeRow(row: number): FrameholdError {
  return new FrameholdError('bad_body', `Row ${row} is too large to be converted to the frame's types.`, {
    hint: 'Send values that fit the types of the frame.',
  });
}
