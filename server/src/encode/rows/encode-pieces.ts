import type { ArrayData, BatchData } from '../../arrow/arrays/array-data.ts';
import { sliceArray } from '../../arrow/arrays/ranges.ts';
import { encodeDictionaryHeader, encodeRecordBatchHeader } from '../../arrow/batches/batch-encoder.ts';
import { type BatchPlan, planBatch } from '../../arrow/batches/batch-layout.ts';
import type { IpcPiece } from '../../parquet/ipc-piece.ts';

/** Rows [from, to) of a batch as a record batch message, uncompressed. */
export function encodeRows(batch: BatchData, from: number, to: number): IpcPiece {
  const whole = from === 0 && to === batch.length;
  const columns = whole ? batch.columns : batch.columns.map((column) => sliceArray(column, from, to - from));
  const plan = planBatch(to - from, columns);
  return { header: encodeRecordBatchHeader(plan.layout), body: bodyOf(plan) };
}

/**
 * A dictionary message for each dictionary that the columns use, those inside other dictionaries' values first. `idOf` gives the
 * id to write.
 */
export function encodeDictionaries(
  columns: readonly ArrayData[],
  idOf: (id: bigint) => bigint = (id) => id,
): IpcPiece[] {
  const pieces = new Map<bigint, IpcPiece>();
  const visit = (array: ArrayData): void => {
    for (const child of array.children) visit(child);
    const encoding = array.field.dictionary;
    if (encoding === null || array.dictionary === null || pieces.has(encoding.id)) return;
    visit(array.dictionary);
    const plan = planBatch(array.dictionary.length, [array.dictionary]);
    const header = encodeDictionaryHeader(idOf(encoding.id), false, plan.layout);
    pieces.set(encoding.id, { header, body: bodyOf(plan) });
  };
  for (const column of columns) visit(column);
  return [...pieces.values()];
}

function bodyOf(plan: BatchPlan): Uint8Array {
  const body = new Uint8Array(plan.layout.bodyBytes);
  plan.write(body);
  return body;
}
