import type { ArrayData } from '../../../arrow/arrays/array-data.ts';
import { arrowRows } from '../../../arrow/parameters/arrow-rows.ts';
import { FrameholdError } from '../../../model/errors.ts';
import { arrowCell } from './arrow-cells.ts';
import type { TypedValue } from './typed-value.ts';

/** This is a process of its own, whose memory is limited as a whole. */
const unpackedBytesMax = 256 * 1024 * 1024;

/** The rows of an Arrow stream as values to bind. */
export function* arrowParameterRows(
  stream: Uint8Array,
  order: (columns: readonly string[]) => readonly number[],
): Generator<readonly TypedValue[], void, void> {
  for (const { columns, row } of arrowRows(stream, order, unpackedBytesMax))
    yield columns.map((array) => cellOf(array, row));
}

function cellOf(array: ArrayData, row: number): TypedValue {
  const cell = arrowCell(array, row);
  if (typeof cell !== 'string') return cell;
  throw new FrameholdError(
    'sql_invalid',
    `The parameter in column ${JSON.stringify(array.field.name)} ${cell}.`,
  );
}
