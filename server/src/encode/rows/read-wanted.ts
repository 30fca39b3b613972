import { type DictionaryValues, readBatch } from '../../arrow/batches/batch.ts';
import { type BodySpan, columnSpans, isSeekable, readBatchRows } from '../../arrow/batches/partial-batch.ts';
import type { Schema } from '../../arrow/field.ts';
import type { RecordBatchMessage } from '../../arrow/ipc/message.ts';
import { readBody } from '../../arrow/ipc/message-reader.ts';
import type { ArrowStep } from './arrow-steps.ts';
import { chooseFields } from './chosen-fields.ts';
import type { RowBatch } from './row-batch.ts';

/** A body up to this size is read at once: one read is cheaper than several small ones. */
const wholeBytesMax = 256 * 1024;
/** Of a larger body, about this much at a time: a batch may have gigabytes, and hundreds of slow readers hold a step each. */
const stepBytes = 1024 * 1024;
/** More if there are very many columns: each is read for itself, so that few rows of each would cost more to read than to write. */
const columnStepBytes = 512;
const wideStepBytesMax = 4 * 1024 * 1024;
/** Bits come in bytes: steps of other sizes would read some rows twice. */
const rowsOfByte = 8;

/** The wanted rows of a batch, in pieces of bounded size if the batch allows it. */
export async function* readWanted(
  step: ArrowStep,
  message: RecordBatchMessage,
  schema: Schema,
  dictionaries: DictionaryValues,
  columns: readonly number[] | null,
): AsyncGenerator<RowBatch, void, void> {
  const { batch: header } = message;
  const { framed, from, to } = step;
  if (header.compression !== 'none' || framed.bodyBytes <= wholeBytesMax) {
    const body = await bodyOf(step, message, schema, columns);
    const options = columns === null ? {} : { columns };
    yield { batch: readBatch(schema.fields, header, body, dictionaries, options), from, to };
    return;
  }
  const seekable = chooseFields(schema, columns).every(isSeekable);
  const bytes = columns === null ? framed.bodyBytes : bytesOf(columnSpans(schema.fields, header, columns));
  const rows = seekable ? stepRows(header.length, bytes, columns?.length ?? schema.fields.length) : to - from;
  for (let row = from; row < to; row += rows) {
    const end = Math.min(to, row + rows);
    yield readBatchRows(schema.fields, header, step.readRange, dictionaries, columns, row, end);
  }
}

function stepRows(batchRows: number, bytes: number, columns: number): number {
  const wanted = Math.max(stepBytes, Math.min(columns * columnStepBytes, wideStepBytesMax));
  const rows = Math.floor((wanted * batchRows) / Math.max(1, bytes));
  return Math.max(rowsOfByte, rows - (rows % rowsOfByte));
}

function bytesOf(spans: readonly BodySpan[]): number {
  return spans.reduce((sum, { start, end }) => sum + end - start, 0);
}

/** Of a large body only the bytes of the columns wanted are read; the rest stays zero, and nobody looks at it. */
async function bodyOf(
  { framed, readRange }: ArrowStep,
  { batch }: RecordBatchMessage,
  { fields }: Schema,
  columns: readonly number[] | null,
): Promise<Uint8Array> {
  if (columns === null || framed.bodyBytes <= wholeBytesMax) return readBody(framed);
  const body = new Uint8Array(framed.bodyBytes);
  for (const { start, end } of columnSpans(fields, batch, columns))
    if (start < end) body.set(await readRange(start, Math.min(end, body.length) - start), start);
  return body;
}
