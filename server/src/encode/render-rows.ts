import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Schema } from '../arrow/field.ts';
import type { Column } from '../model/version.ts';
import type { IpcPiece } from '../parquet/ipc-piece.ts';
import type { RenderOptions } from '../ports/renderer.ts';
import { arrowStream } from './arrow.ts';
import { outputFormats } from './output-formats.ts';
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
  if (outputFormats[options.format].encode === null)
    yield* arrowStream(schemaMessage, cutPieces(pieces, schema, window));
  else
    yield* renderedRows(options, columnNames, schemaMessage, streamedBatches(pieces, schema, window), signal);
}

export function renderedRows(
  options: RenderOptions,
  columns: readonly Column[],
  schemaMessage: Uint8Array,
  rows: AsyncIterable<RowBatch>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, void> {
  const { encode } = outputFormats[options.format];
  if (encode === null) throw new Error(`${options.format} is not made of rows`);
  return inTurns(encode({ options, columns, schemaMessage, batches: inTurns(rows, signal) }), signal);
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
