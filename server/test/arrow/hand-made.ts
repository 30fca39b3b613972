import type { ArrayData } from '../../src/arrow/arrays/array-data.ts';
import { encodeDictionaryHeader, encodeRecordBatchHeader } from '../../src/arrow/batches/batch-encoder.ts';
import { planBatch } from '../../src/arrow/batches/batch-layout.ts';
import type { ArrowType, DictionaryEncoding, Field } from '../../src/arrow/field.ts';
import { encodeSchema } from '../../src/arrow/ipc/schema-encoder.ts';
import { type Piece, streamOf } from './stream-bytes.ts';

export function fieldOf(type: ArrowType, children: readonly Field[] = [], name = 'c'): Field {
  return { name, nullable: true, type, children, dictionary: null, metadata: [] };
}

export function encodedField(type: ArrowType, dictionary: Partial<DictionaryEncoding> = {}): Field {
  const index = { kind: 'int', bits: 8, signed: true } as const;
  return { ...fieldOf(type), dictionary: { id: 1n, index, ordered: false, ...dictionary } };
}

export function arrayOf(
  field: Field,
  length: number,
  buffers: readonly ArrayBufferView[],
  rest: Partial<ArrayData> = {},
): ArrayData {
  const bytes = buffers.map((view) => new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
  return {
    field,
    length,
    nullCount: 0,
    validity: null,
    buffers: bytes,
    children: [],
    dictionary: null,
    ...rest,
  };
}

export const int64: ArrowType = { kind: 'int', bits: 64, signed: true };
export const utf8: ArrowType = { kind: 'utf8', large: false };

/** An array of 64-bit integers. */
export function numbersOf(...values: number[]): ArrayData {
  return arrayOf(fieldOf(int64), values.length, [BigInt64Array.from(values, BigInt)]);
}

export function schemaPiece(fields: readonly Field[]): Piece {
  return { header: encodeSchema({ fields, metadata: [] }), body: new Uint8Array(0) };
}

export function batchPiece(length: number, columns: readonly ArrayData[]): Piece {
  const plan = planBatch(length, columns);
  const body = new Uint8Array(plan.layout.bodyBytes);
  plan.write(body);
  return { header: encodeRecordBatchHeader(plan.layout), body };
}

export function dictionaryPiece(id: bigint, values: ArrayData, delta = false): Piece {
  const plan = planBatch(values.length, [values]);
  const body = new Uint8Array(plan.layout.bodyBytes);
  plan.write(body);
  return { header: encodeDictionaryHeader(id, delta, plan.layout), body };
}

/** A stream of one batch of one column. */
export function streamOfColumn(column: ArrayData): Uint8Array {
  return streamOf([schemaPiece([column.field]), batchPiece(column.length, [column])]);
}
