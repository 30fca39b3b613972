import type { ArrayData } from '../../arrow/arrays/array-data.ts';
import type { Field } from '../../arrow/field.ts';
import { encodeSchema } from '../../arrow/ipc/schema-encoder.ts';
import { StreamFile } from '../../arrow/stream-file.ts';
import { FrameholdError } from '../../model/errors.ts';
import type { DecodeReport, DecodeRequest } from '../../ports/codec.ts';
import { badBody } from '../bad-body.ts';
import { batchIsFull } from '../cells/column-builder.ts';
import { forcedTypes } from '../cells/sql-type.ts';
import { FrameColumns, textColumns } from '../frame-columns.ts';
import { TextFile } from '../text-reader.ts';
import { writeRows } from '../write-rows.ts';
import { IrregularJson } from './irregular-json.ts';
import type { JsonObject } from './json-parser.ts';
import { JsonReading } from './json-reading.ts';
import { eachRow, type RowsWanted } from './json-rows.ts';
import { FieldBudget, JsonShape } from './json-shape.ts';
import { columnOf, forcedField, frameColumn } from './value-columns.ts';

/** Each column has its own shape and builder in memory. More come from files whose keys are data. */
const columnsMax = 10_000;
/** Cells of the rows that are gathered: a row of two characters has a cell in every column. */
const cellsMax = 2_000_000;

/**
 * Objects in JSON as an Arrow stream, one a line or in an array. Strings stay strings; numbers keep every digit or are refused. Columns are in
 * the order in which they first appear. Their types are guessed from the first rows; the file is read twice if a later row disproves a guess.
 */
export async function decodeNdjson(request: DecodeRequest, signal: AbortSignal): Promise<DecodeReport> {
  await using file = await TextFile.open(request.source, request.csv.charset);
  if (!(await inBlocks(file, request, signal))) await rowByRow(file, request, signal);
  return file.charset === 'utf-8' ? {} : { text: { charset: file.charset } };
}

/** False if the text is not regular, or faulty: what is read row by row instead is read exactly so, or refused with the line. */
async function inBlocks(file: TextFile, request: DecodeRequest, signal: AbortSignal): Promise<boolean> {
  if (request.partial === true) return false;
  try {
    const reading = new JsonReading(file, request);
    return (await writeRows(reading, request, signal)) || (await writeRows(reading, request, signal));
  } catch (thrown) {
    const isFault = thrown instanceof FrameholdError && thrown.kind !== 'quota_exceeded';
    if (isFault || thrown instanceof IrregularJson) return false;
    throw thrown;
  }
}

/** Reads the file twice, first to find the columns and their types. */
async function rowByRow(file: TextFile, request: DecodeRequest, signal: AbortSignal): Promise<void> {
  const fields = await inferJsonFields(file, request, signal);
  await using target = await StreamFile.create(
    request.target,
    encodeSchema({ fields, metadata: [] }),
    request.targetBytesMax,
  );
  await readJson(file, request, fields, (rows, batch) => target.batch(rows, batch), signal);
  await target.end();
}

type JsonRequest = Pick<DecodeRequest, 'format' | 'csv' | 'partial' | 'frame'>;

/** Reads the rows into columns that were found before. */
export async function readJson(
  file: TextFile,
  request: JsonRequest,
  fields: readonly Field[],
  onBatch: (rows: number, batch: readonly ArrayData[]) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const wanted = { format: formatOf(request), partial: request.partial ?? false };
  const frame = FrameColumns.of(
    request.frame,
    fields.map(({ name }) => name),
  );
  const columns = fields.map((field, index) =>
    (frame.types[index] ?? null) === null || Object.hasOwn(request.csv.types ?? {}, field.name)
      ? columnOf(field)
      : frameColumn(field),
  );
  const builders = columns.map((column) => column.builder);
  const cellsPerRow = fields.reduce((sum, field) => sum + fieldCount(field), 0);
  let rows = 0;
  const flush = async () => {
    const taken = builders.map((builder) => builder.take());
    if (rows > 0) await onBatch(rows, taken);
    rows = 0;
  };
  const onRow: RowsWanted['onRow'] = (row, line) => {
    for (const { builder, append } of columns) append(row.get(builder.field.name) ?? null, line);
    rows++;
    return rows * cellsPerRow >= cellsMax;
  };
  const between = async () => {
    if (rows * cellsPerRow >= cellsMax || batchIsFull(rows, builders)) await flush();
  };
  await eachRow(file, { ...wanted, onRow, between }, signal);
  await flush();
}

function formatOf({ format }: Pick<DecodeRequest, 'format'>): 'json' | 'ndjson' {
  return format === 'json' ? 'json' : 'ndjson';
}

/** Finds the columns; `onEach` sees every row. */
export async function inferJsonFields(
  file: TextFile,
  request: JsonRequest,
  signal: AbortSignal,
  onEach: (row: JsonObject) => void = () => {},
): Promise<Field[]> {
  const wanted = new Set([...Object.keys(request.csv.types ?? {}), ...textColumns(request.frame)]);
  const shapes = new Map<string, JsonShape>();
  const budget = new FieldBudget();
  let rows = 0;
  const onRow: RowsWanted['onRow'] = (row, line) => {
    rows++;
    onEach(row);
    for (const [name, value] of row) {
      let shape = shapes.get(name);
      if (shape === undefined) {
        if (shapes.size >= columnsMax)
          throw badBody(`Line ${line}: more than ${columnsMax} different columns.`);
        shape = new JsonShape(name, budget);
        shapes.set(name, shape);
      }
      if (!wanted.has(name)) shape.add(value, line);
    }
    return false;
  };
  await eachRow(file, { format: formatOf(request), partial: request.partial ?? false, onRow }, signal);
  if (rows === 0) throw badBody('The file has no rows, so no columns are known.');
  const names = [...shapes.keys()];
  const forced = forcedTypes(request.csv.types, names);
  const frame = FrameColumns.of(request.frame, names);
  return [...shapes].map(([name, shape], index) => {
    const type = forced.get(name) ?? frame.types[index] ?? null;
    return type === null ? shape.field(name) : forcedField(name, type);
  });
}

function fieldCount(field: Field): number {
  return field.children.reduce((sum, child) => sum + fieldCount(child), 1);
}
