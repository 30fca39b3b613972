import type { ArrayData, BatchData } from '../arrow/arrays/array-data.ts';
import type { ArrowType, Field, Schema } from '../arrow/field.ts';
import { encodeSchema } from '../arrow/ipc/schema-encoder.ts';
import { FrameholdError } from '../model/errors.ts';
import { exportedArray, exportedSchema } from '../parquet/exported-columns.ts';
import type { IpcPiece } from '../parquet/ipc-piece.ts';
import { ParquetFault } from '../parquet/parquet-fault.ts';
import { streamParquet } from '../parquet/write-parquet.ts';
import { encodeDictionaries, encodeRows } from './rows/encode-pieces.ts';
import type { RowBatch } from './rows/row-batch.ts';

/** Of Arrow that becomes row groups together: the writer holds a few copies of it. */
const runBytesTarget = 16 * 1024 * 1024;
/** Of a chunk that is passed on, as when Arrow is passed through. */
const chunkBytes = 256 * 1024;

/** One Parquet file out of rows, in chunks that own their memory. */
export async function* renderParquet(
  schema: Schema,
  schemaHeader: Uint8Array,
  batches: AsyncIterable<RowBatch>,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, void> {
  refuseUnwritable(schema.fields);
  if (schema.fields.length === 0) await refuseRows(batches);
  const exported = exportedSchema(schema);
  const schemas =
    exported === schema
      ? { declared: null, written: schemaHeader }
      : { declared: schemaHeader, written: encodeSchema(exported) };
  try {
    for await (const bytes of streamParquet(schemas, runsOf(batches)))
      for (let start = 0; start < bytes.length; start += chunkBytes)
        yield Uint8Array.prototype.slice.call(bytes, start, start + chunkBytes);
  } catch (thrown) {
    if (!(thrown instanceof ParquetFault) || thrown.fatal) throw thrown;
    throw new FrameholdError(
      'not_representable',
      `The rows cannot be written as Parquet: ${thrown.message}.`,
      {
        hint: 'Read the frame as arrow, or choose other columns.',
        cause: thrown,
      },
    );
  }
}

/** Parquet counts rows by their columns: without any, a reader would find none. */
async function refuseRows(batches: AsyncIterable<RowBatch>): Promise<void> {
  for await (const { from, to } of batches)
    if (from < to)
      throw new FrameholdError('not_representable', 'Rows without columns cannot be written as Parquet.', {
        hint: 'Read the frame as arrow, json, ndjson or csv.',
      });
}

/** Batches that are written together, each behind its dictionaries, which replace those of the batch before. */
async function* runsOf(batches: AsyncIterable<RowBatch>): AsyncGenerator<readonly IpcPiece[], void, void> {
  let together: IpcPiece[] = [];
  let bytes = 0;
  for await (const { batch: own, from, to } of batches) {
    const columns = own.columns.map(exportedArray);
    const batch = { ...own, columns };
    const rows = runRows(batch);
    const dictionaries = encodeDictionaries(batch.columns);
    for (let row = from; row < to; row += rows) {
      const pieces = [...dictionaries, encodeRows(batch, row, Math.min(to, row + rows))];
      together.push(...pieces);
      bytes += pieces.reduce((sum, { header, body }) => sum + header.length + body.length, 0);
      if (bytes < runBytesTarget) continue;
      yield together;
      together = [];
      bytes = 0;
    }
  }
  if (together.length > 0) yield together;
}

function runRows(batch: BatchData): number {
  const bytes = batch.columns.reduce((sum, column) => sum + bytesOf(column), 0);
  return Math.max(1, Math.floor((runBytesTarget * batch.length) / Math.max(1, bytes)));
}

function bytesOf(array: ArrayData): number {
  const own = array.buffers.reduce((sum, buffer) => sum + buffer.length, 0);
  return array.children.reduce((sum, child) => sum + bytesOf(child), own);
}

/** Columns that an error names: a frame may have a hundred thousand. */
const namedMax = 20;

/** What Parquet has no form for, or the writer would lose: it is better to refuse than to change a value. */
function refuseUnwritable(columns: readonly Field[]): void {
  const refused = columns.flatMap((column) => {
    const reason = reasonAgainst(column);
    return reason === null ? [] : [{ name: JSON.stringify(column.name), reason }];
  });
  const [first, second] = refused;
  if (first === undefined) return;
  const named = refused.slice(0, namedMax).map(({ name, reason }) => `${name} (${reason})`);
  const more = refused.length > named.length ? `, and ${refused.length - named.length} more` : '';
  throw new FrameholdError(
    'not_representable',
    second === undefined
      ? `Column ${first.name} cannot be written as Parquet: ${first.reason}.`
      : `${refused.length} columns cannot be written as Parquet: ${named.join(', ')}${more}.`,
    { hint: 'Read the frame as arrow, or choose other columns.' },
  );
}

function reasonAgainst(field: Field): string | null {
  const own = unwritable(field);
  if (own !== null) return own;
  for (const child of field.children) {
    const reason = reasonAgainst(child);
    if (reason !== null) return reason;
  }
  return null;
}

function unwritable({ type, children, dictionary }: Field): string | null {
  if (type.kind === 'union') return 'it has unions';
  if (type.kind === 'interval' && type.unit === 'month-day-nano')
    return 'it has intervals of months, days and nanoseconds';
  if (type.kind === 'decimal' && (type.scale < 0 || type.scale > type.precision))
    return `it has decimals of precision ${type.precision} and scale ${type.scale}`;
  if (type.kind === 'struct' && children.length === 0) return 'it has a struct without fields';
  if (dictionary !== null && isNested(type)) return `it has a dictionary of type ${type.kind}`;
  return null;
}

function isNested(type: ArrowType): boolean {
  return ['struct', 'list', 'list-view', 'fixed-list', 'map', 'run-end'].includes(type.kind);
}
