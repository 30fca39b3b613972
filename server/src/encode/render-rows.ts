import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Schema } from '../arrow/field.ts';
import type { Column } from '../model/version.ts';
import type { IpcPiece } from '../parquet/ipc-piece.ts';
import type { RowShape } from '../ports/renderer.ts';
import { arrowStream } from './arrow.ts';
import { rowWriter } from './row-writers.ts';
import type { RowBatch } from './rows/row-batch.ts';
import { RowWindow } from './rows/row-window.ts';
import type { StreamJob } from './rows/rows-job.ts';
import { cutPieces, streamedBatches } from './rows/streamed-rows.ts';

/** A job gives way to the thread's other jobs after this long; also how late it may see that its caller has gone. */
const turnMs = 5;

/** Rows that come in while they are rendered. */
export async function* renderedStream(
  { schemaMessage, columnNames, options }: StreamJob,
  /** With its wide integers. */
  schema: Schema,
  pieces: AsyncIterable<IpcPiece>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, void> {
  const window = new RowWindow(0, options.limit ?? Number.POSITIVE_INFINITY);
  if (rowWriter(options).write === undefined)
    yield* arrowStream(schemaMessage, cutPieces(pieces, schema, window));
  else
    yield* renderedRows(options, columnNames, schemaMessage, streamedBatches(pieces, schema, window), signal);
}

export function renderedRows(
  options: RowShape,
  columns: readonly Column[],
  schemaMessage: Uint8Array,
  rows: AsyncIterable<RowBatch>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, void> {
  const batches = inTurns(rows, signal);
  const written = rowWriter(options).write?.({ options, columns, schemaMessage, batches });
  if (written === undefined) throw new Error('an answer of messages is not written row by row');
  return inTurns(written, signal);
}

export async function* inTurns<Item>(
  items: AsyncIterable<Item>,
  signal: AbortSignal,
): AsyncGenerator<Item, void, void> {
  let turnStart = performance.now();
  for await (const item of items) {
    yield item;
    if (performance.now() - turnStart < turnMs) continue;
    await nextTurn();
    signal.throwIfAborted();
    turnStart = performance.now();
  }
}
