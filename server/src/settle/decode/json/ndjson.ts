import type { ArrayData } from '../../../arrow/arrays/array-data.ts';
import type { ArrowType, Field } from '../../../arrow/field.ts';
import { encodeSchema } from '../../../arrow/ipc/schema-encoder.ts';
import type { DecodeReport, DecodeRequest } from '../../../frames/ports/codec.ts';
import { StreamFile } from '../../stream-file.ts';
import { badBody, shown } from '../bad-body.ts';
import { cellParser } from '../cells/cell-parser.ts';
import {
  batchIsFull,
  type ColumnBuilder,
  cellBuilder,
  ListBuilder,
  StructBuilder,
} from '../cells/column-builder.ts';
import { forcedTypes, sqlTypeName, uuidMetadata } from '../cells/sql-type.ts';
import { FrameColumns, frameParser, textColumns, valueRefused } from '../frame-columns.ts';
import { TextFile } from '../text-reader.ts';
import { JsonNumber, type JsonObject, type JsonValue, jsonText } from './json-parser.ts';
import { eachRow, type RowsWanted } from './json-rows.ts';
import { FieldBudget, JsonShape } from './json-shape.ts';

const columnsMax = 10_000;
/** Cells of the rows that are gathered: a row of two characters has a cell in every column. */
const cellsMax = 2_000_000;

/**
 * Objects in JSON as an Arrow stream, one a line or in an array. It is read twice, first to find the columns (in the order in which they first
 * appear) and their types. Strings stay strings; numbers keep every digit or are refused.
 */
export async function decodeNdjson(request: DecodeRequest, signal: AbortSignal): Promise<DecodeReport> {
  await using file = await TextFile.open(request.source, request.csv.charset);
  const fields = await inferJsonFields(file, request, signal);
  await using target = await StreamFile.create(
    request.target,
    encodeSchema({ fields, metadata: [] }),
    request.targetBytesMax,
  );
  await readJson(file, request, fields, (rows, batch) => target.batch(rows, batch), signal);
  await target.end();
  return file.charset === 'utf-8' ? {} : { text: { charset: file.charset } };
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

function forcedField(name: string, type: ArrowType): Field {
  const metadata = type.kind === 'fixed-binary' ? uuidMetadata : [];
  return { name, nullable: true, type, children: [], dictionary: null, metadata };
}

interface Column {
  readonly builder: ColumnBuilder;
  append(value: JsonValue, line: number): void;
}

function columnOf(field: Field): Column {
  if (field.type.kind === 'list') return listColumn(field, columnOf(field.children[0] as Field));
  if (field.type.kind === 'struct') return structColumn(field, field.children.map(columnOf));
  const builder = cellBuilder(field);
  const parse = cellParser(field.type);
  return {
    builder,
    append(value, line) {
      if (value === null) {
        builder.appendNull();
        return;
      }
      const cell = typeof value === 'boolean' && field.type.kind === 'bool' ? value : parse(plainText(value));
      if (cell === undefined)
        throw badBody(
          `Line ${line}, column ${shown(field.name)}: ${shown(jsonText(value))} is not a ${sqlTypeName(field.type)}.`,
          'Ask for another type with types=, or for none to have it found.',
        );
      builder.append(cell);
    },
  };
}

/** A column that is read with the type that it has in the frame. Texts are strings only: a number would become another value. */
function frameColumn(field: Field): Column {
  const builder = cellBuilder(field);
  const parse = frameParser(field.type);
  const isText = field.type.kind === 'utf8';
  return {
    builder,
    append(value, line) {
      if (value === null) {
        builder.appendNull();
        return;
      }
      const isRead = !isText || typeof value === 'string';
      const cell = isRead ? parse(plainText(value)) : undefined;
      if (cell === undefined) throw valueRefused(field.name, field.type, line, jsonText(value));
      builder.append(cell);
    },
  };
}

/** A string's own text; of other values their JSON. */
function plainText(value: JsonValue): string {
  return typeof value === 'string' ? value : value instanceof JsonNumber ? value.text : jsonText(value);
}

function listColumn(field: Field, items: Column): Column {
  const builder = new ListBuilder(field, items.builder);
  return {
    builder,
    append(value, line) {
      if (!Array.isArray(value)) {
        builder.appendNull();
        return;
      }
      for (const item of value) items.append(item, line);
      builder.append(value.length);
    },
  };
}

function structColumn(field: Field, members: readonly Column[]): Column {
  const builder = new StructBuilder(
    field,
    members.map((member) => member.builder),
  );
  return {
    builder,
    append(value, line) {
      if (!(value instanceof Map)) {
        builder.appendNull();
        return;
      }
      for (const member of members) member.append(value.get(member.builder.field.name) ?? null, line);
      builder.append();
    },
  };
}
