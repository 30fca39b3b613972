import { withWideIntegers } from '../arrow/schema/wide-integers.ts';
import { FrameholdError } from '../model/errors.ts';
import type { IpcPiece } from '../parquet/ipc-piece.ts';
import { examineForJoin, type JoinableFile, ParquetJoin } from '../parquet/join-parquet.ts';
import { ParquetFault } from '../parquet/parquet-fault.ts';
import type { Task, TaskContext } from '../workers/serve-tasks.ts';
import { findPositions } from './positions/find-positions.ts';
import { inTurns, renderedRows, renderedStream } from './render-rows.ts';
import { rowWriter } from './row-writers.ts';
import { schemaOf } from './rows/arrow-steps.ts';
import { rowBatches } from './rows/row-batches.ts';
import { rowPieces } from './rows/row-pieces.ts';
import type { JoinJob, RenderJob, RowsJob, SameSchemaJob, StreamJob } from './rows/rows-job.ts';
import { storedParquet } from './stored-parquet.ts';

/** What threads do for the renderer. */
export const renderTasks = {
  'arrow-positions': (path: string, context: TaskContext) => findPositions(path, context.signal),
  'parquet-rows': async (paths: readonly string[]) => {
    // Only if it is needed: the library that this module belongs to takes long to load.
    const { parquetRows } = await import('../parquet/parquet-rows.ts');
    const rows = new Float64Array(paths.length);
    for (const [index, path] of paths.entries()) rows[index] = await parquetRows(path);
    return rows;
  },
  'examine-parquet': async ({ paths, schemaMessage }: SameSchemaJob, context: TaskContext) => {
    const schema = schemaMessage === null ? null : schemaOf(schemaMessage);
    const files: (JoinableFile | null)[] = [];
    for (const path of paths) {
      context.signal.throwIfAborted();
      files.push(await examineForJoin(path, schema));
    }
    return files;
  },
  'end-of-parquet': async ({ files, dataEnd, rows }: JoinJob, context: TaskContext) => {
    const end = new ParquetJoin(files, dataEnd, rows).end();
    for await (const chunk of inTurns(end, context.signal)) await context.emit(chunk, [chunk.buffer]);
  },
  render: (job: RenderJob, context: TaskContext) =>
    retiringOnTrap(context, async () => {
      for await (const chunk of rendered(job, context.signal)) await context.emit(chunk, [chunk.buffer]);
    }),
  'render-stream': (job: StreamJob, context: TaskContext) =>
    retiringOnTrap(context, async () => {
      const pieces = context.inputs() as AsyncGenerator<IpcPiece, void, void>;
      const schema = withWideIntegers(schemaOf(job.schemaMessage));
      for await (const chunk of renderedStream(job, schema, pieces, context.signal))
        await context.emit(chunk, [chunk.buffer]);
    }),
  messages: (job: RowsJob, context: TaskContext) =>
    retiringOnTrap(context, async () => {
      for await (const { header, body } of inTurns(rowPieces(job, context.signal), context.signal))
        await context.emit({ header, body }, [header.buffer, body.buffer] as ArrayBuffer[]);
    }),
} satisfies Record<string, Task>;

async function* rendered(
  job: RenderJob,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, void> {
  const stored = rowWriter(job.options).form === 'parquet' ? await storedParquet(job) : null;
  if (stored !== null) yield* inTurns(stored, signal);
  else
    yield* renderedRows(
      job.options,
      job.columnNames,
      job.chosenSchemaMessage,
      rowBatches(job, signal),
      signal,
    );
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
