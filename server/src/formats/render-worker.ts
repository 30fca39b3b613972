import { setImmediate as nextTurn } from 'node:timers/promises';
import { withWideIntegers } from '../arrow/schema/wide-integers.ts';
import { FrameholdError } from '../frames/errors.ts';
import type { RenderOptions } from '../frames/ports/renderer.ts';
import type { Column } from '../frames/version.ts';
import type { IpcPiece } from '../parquet/ipc-piece.ts';
import { ParquetFault } from '../parquet/parquet-fault.ts';
import { serveTasks, type TaskContext } from '../workers/serve-tasks.ts';
import { arrowStream } from './arrow.ts';
import { outputFormats } from './output-formats.ts';
import { findPositions } from './positions/find-positions.ts';
import { schemaOf } from './rows/arrow-steps.ts';
import type { RowBatch } from './rows/row-batch.ts';
import { rowBatches } from './rows/row-batches.ts';
import { rowPieces } from './rows/row-pieces.ts';
import { RowWindow } from './rows/row-window.ts';
import type { RenderJob, RowsJob, StreamJob } from './rows/rows-job.ts';
import { cutPieces, streamedBatches } from './rows/streamed-rows.ts';

/** A job gives way to the thread's other jobs after this long; also how late it may see that its caller has gone. */
const turnMs = 5;

serveTasks({
  /** Answers when the thread can work. */
  ready: async () => {},
  'arrow-positions': (path: string, context: TaskContext) => findPositions(path, context.signal),
  'parquet-rows': async (paths: readonly string[]) => {
    // Only if it is needed: the library that this module belongs to takes long to load.
    const { parquetRows } = await import('../parquet/parquet-rows.ts');
    const rows = new Float64Array(paths.length);
    for (const [index, path] of paths.entries()) rows[index] = await parquetRows(path);
    return rows;
  },
  render: (job: RenderJob, context: TaskContext) =>
    retiringOnTrap(context, async () => {
      for await (const chunk of rendered(job, context.signal)) await context.emit(chunk, [chunk.buffer]);
    }),
  'render-stream': (job: StreamJob, context: TaskContext) =>
    retiringOnTrap(context, async () => {
      const pieces = context.inputs() as AsyncGenerator<IpcPiece, void, void>;
      for await (const chunk of renderedStream(job, pieces, context.signal))
        await context.emit(chunk, [chunk.buffer]);
    }),
  messages: (job: RowsJob, context: TaskContext) =>
    retiringOnTrap(context, async () => {
      for await (const { header, body } of inTurns(rowPieces(job, context.signal), context.signal))
        await context.emit({ header, body }, [header.buffer, body.buffer] as ArrayBuffer[]);
    }),
});

async function* rendered(
  job: RenderJob,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, void> {
  yield* renderedRows(job.options, job.columnNames, job.chosenSchemaMessage, rowBatches(job, signal), signal);
}

async function* renderedStream(
  { schemaMessage, columnNames, options }: StreamJob,
  pieces: AsyncIterable<IpcPiece>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, void> {
  const schema = withWideIntegers(schemaOf(schemaMessage));
  const window = new RowWindow(0, options.limit ?? Number.POSITIVE_INFINITY);
  if (outputFormats[options.format].encode === null)
    yield* arrowStream(schemaMessage, cutPieces(pieces, schema, window));
  else
    yield* renderedRows(options, columnNames, schemaMessage, streamedBatches(pieces, schema, window), signal);
}

function renderedRows(
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

async function* inTurns<Item>(
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

/** After a trap the Parquet library's memory is in an unknown state, and with it everything that this thread would read or write. */
async function retiringOnTrap(context: TaskContext, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    if (!(thrown instanceof ParquetFault && thrown.fatal)) throw thrown;
    context.retire();
    throw new FrameholdError(
      'not_representable',
      `The rows cannot be written as Parquet: ${thrown.message}.`,
      {
        hint: 'Read the frame as arrow, or choose other columns or fewer rows.',
        cause: thrown,
      },
    );
  }
}
