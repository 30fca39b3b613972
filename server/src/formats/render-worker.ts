import { setImmediate as nextTurn } from 'node:timers/promises';
import { FrameholdError } from '../frames/errors.ts';
import { ParquetFault } from '../parquet/parquet-fault.ts';
import { serveTasks } from '../workers/serve-tasks.ts';
import { csvFormat } from './csv.ts';
import { jsonFormat } from './json.ts';
import { ndjsonFormat } from './ndjson.ts';
import { renderText } from './render-text.ts';
import type { TextFormat } from './row-texts.ts';
import { schemaOf } from './rows/arrow-steps.ts';
import { rowBatches } from './rows/row-batches.ts';
import { rowPieces } from './rows/row-pieces.ts';
import type { RenderJob, RowsJob } from './rows/rows-job.ts';

/** A job gives way to the thread's other jobs after this long; also how late it may see that its caller has gone. */
const turnMs = 5;

serveTasks({
  /** Answers when the thread can work. */
  ready: async () => {},
  render: (job: RenderJob, context) =>
    endingOnTrap(async () => {
      for await (const chunk of rendered(job, context.signal)) await context.emit(chunk, [chunk.buffer]);
    }),
  messages: (job: RowsJob, context) =>
    endingOnTrap(async () => {
      for await (const { header, body } of inTurns(rowPieces(job, context.signal), context.signal))
        await context.emit({ header, body }, [header.buffer, body.buffer] as ArrayBuffer[]);
    }),
});

async function* rendered(
  job: RenderJob,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, void> {
  const batches = inTurns(rowBatches(job, signal), signal);
  if (job.options.format === 'parquet') {
    // Only where it is needed: loading the Parquet library takes longer than most answers.
    const { renderParquet } = await import('./parquet.ts');
    yield* renderParquet(schemaOf(job.chosenSchemaMessage), job.chosenSchemaMessage, batches);
  } else yield* inTurns(renderText(textFormat(job), batches), signal);
}

function textFormat({ options, columnNames, rowCount }: RenderJob): TextFormat {
  switch (options.format) {
    case 'json':
      return jsonFormat(options.query, columnNames, rowCount, options.quoteLargeNumbers);
    case 'ndjson':
      return ndjsonFormat(columnNames, options.quoteLargeNumbers);
    case 'csv':
      return csvFormat(columnNames);
    default:
      throw new Error(`${options.format} is not text`);
  }
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
async function endingOnTrap(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    if (!(thrown instanceof ParquetFault && thrown.fatal)) throw thrown;
    // Late enough that the failure reaches the caller first.
    setTimeout(() => process.exit(1), 50);
    throw new FrameholdError('internal', 'The Parquet library failed.', { cause: thrown });
  }
}
