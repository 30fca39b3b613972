import type { ArrayData } from '../arrow/arrays/array-data.ts';
import type { Field } from '../arrow/field.ts';
import { FrameholdError } from '../model/errors.ts';
import { TextBuffer } from './cells/text-buffer.ts';
import { weigh } from './cells/weight.ts';
import type { RowBatch } from './rows/row-batch.ts';
import type { TextFormat, TextRows } from './text-format.ts';

/** Rows are weighed this many at once, and the thread's other jobs wait for them. */
const sliceRowsMax = 4_096;
/** Of text in a slice, about. */
const sliceBytesTarget = 160 * 1024;
/** JavaScript's strings end at 512 Mi characters, and a cell may grow when it is escaped. */
const rowBytesMax = 128 * 1024 * 1024;
/** Of a cell with lists, structs or views in it: each of their elements is a text of its own, which takes far more memory and time than its bytes. */
const nestedBytesMax = 16 * 1024 * 1024;

/** The text of a whole answer, in chunks that own their memory. */
export async function* renderText(
  format: TextFormat,
  batches: AsyncIterable<RowBatch>,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, void> {
  const out = new TextBuffer();
  const isOver = () => format.isOver?.() === true;
  put(out, format.begin());
  let sliceRows = 256;
  for await (const { batch, from, to } of batches) {
    const rows = format.rows(batch.columns);
    for (let row = from; row < to && !isOver(); ) {
      sliceRows = fittingRows(batch.columns, row, Math.min(to - row, sliceRows * 2, sliceRowsMax));
      const end = row + sliceRows;
      row = write(rows, out, row, end);
      if (out.isFull || row < end) yield out.take();
    }
    if (isOver()) break;
  }
  put(out, format.end());
  yield out.take();
}

function put(out: TextBuffer, piece: string | Uint8Array): void {
  if (typeof piece === 'string') {
    out.text(piece);
    return;
  }
  out.slack = 0;
  out.reserve(piece.length);
  out.put(piece);
}

/** How many rows from `row` on, at most `most`, have little enough text. */
function fittingRows(columns: readonly ArrayData[], row: number, most: number): number {
  for (let rows = most; rows > 1; rows = rows >>> 1) {
    if (weighRows(columns, row, row + rows, sliceBytesTarget) < sliceBytesTarget) return rows;
  }
  let weight = 0;
  for (const column of columns) {
    const bytesMax = isNested(column.field) ? nestedBytesMax : rowBytesMax;
    const bytes = weigh(column, row, row + 1, bytesMax);
    if (bytes >= bytesMax) throw tooLong(bytesMax);
    weight += bytes;
  }
  if (weight >= rowBytesMax) throw tooLong(rowBytesMax);
  return 1;
}

/** Run ends and dictionaries are only ways to store a value. */
function isNested({ type, children }: Field): boolean {
  return type.kind === 'run-end' ? isNested(children[1] as Field) : children.length > 0;
}

function weighRows(columns: readonly ArrayData[], from: number, to: number, enough: number): number {
  let weight = 0;
  for (const column of columns) {
    weight += weigh(column, from, to, enough - weight);
    if (weight >= enough) break;
  }
  return weight;
}

function write(rows: TextRows, out: TextBuffer, from: number, to: number): number {
  try {
    return rows.write(out, from, to);
  } catch (thrown) {
    if (thrown instanceof RangeError || (thrown as NodeJS.ErrnoException).code === 'ERR_STRING_TOO_LONG')
      throw tooLong(rowBytesMax);
    throw thrown;
  }
}

function tooLong(bytesMax: number): FrameholdError {
  return new FrameholdError('not_representable', `A row has more than ${bytesMax} bytes as text.`, {
    hint: 'Read it as arrow or parquet, or choose other columns.',
  });
}
