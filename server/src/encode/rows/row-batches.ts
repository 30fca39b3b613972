import { Dictionaries } from '../../arrow/batches/dictionaries.ts';
import type { Schema } from '../../arrow/field.ts';
import { readBody } from '../../arrow/ipc/message-reader.ts';
import { dictionaryFields } from '../../arrow/schema/dictionary-fields.ts';
import { type ArrowStep, arrowSteps, schemaOf } from './arrow-steps.ts';
import { chooseFields } from './chosen-fields.ts';
import { readWanted } from './read-wanted.ts';
import type { RowBatch } from './row-batch.ts';
import type { RowsJob } from './rows-job.ts';
import { readParts } from './version-rows.ts';

/** The rows of a job, decoded. */
export function rowBatches(job: RowsJob, signal: AbortSignal): AsyncGenerator<RowBatch, void, void> {
  const schema = schemaOf(job.schemaMessage);
  return readParts(
    job,
    {
      arrow: (path, window, seek) => arrowBatches(arrowSteps(path, window, seek), schema, job.columns),
      async *parquet(paths, window) {
        // Only if it is needed: the library takes long to load.
        const { parquetBatches } = await import('./parquet-batches.ts');
        for await (const batch of parquetBatches(paths, schema, job.columns, window))
          yield { batch, from: 0, to: batch.length };
      },
    },
    signal,
  );
}

async function* arrowBatches(
  steps: AsyncIterable<ArrowStep>,
  schema: Schema,
  columns: readonly number[] | null,
): AsyncGenerator<RowBatch, void, void> {
  const dictionaries = new Dictionaries(schema);
  const needed = dictionaryFields({ ...schema, fields: chooseFields(schema, columns) });
  for await (const step of steps) {
    const { message } = step;
    if (message.kind === 'record-batch')
      yield* readWanted(step, message, schema, dictionaries.current(), columns);
    else if (needed.has(message.id)) dictionaries.add(message, await readBody(step.framed));
  }
}
