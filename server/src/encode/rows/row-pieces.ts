import type { ArrayData } from '../../arrow/arrays/array-data.ts';
import { emptyArray } from '../../arrow/arrays/empty-array.ts';
import type { Schema } from '../../arrow/field.ts';
import { readBody } from '../../arrow/ipc/message-reader.ts';
import { dictionaryFields } from '../../arrow/schema/dictionary-fields.ts';
import type { IpcPiece } from '../../parquet/ipc-piece.ts';
import { type ArrowStep, arrowSteps, schemaOf } from './arrow-steps.ts';
import { chooseFields, dictionaryIds } from './chosen-fields.ts';
import { encodeDictionaries, encodeRows } from './encode-pieces.ts';
import { readWanted } from './read-wanted.ts';
import type { RowWindow } from './row-window.ts';
import type { RowsJob } from './rows-job.ts';
import { readParts } from './version-rows.ts';

/** The rows of a job as IPC messages that fit the schema of the chosen columns. Each piece owns its memory. */
export function rowPieces(job: RowsJob, signal: AbortSignal): AsyncGenerator<IpcPiece, void, void> {
  const schema = schemaOf(job.schemaMessage);
  return readParts(
    job,
    {
      arrow: (path, window, seek) => arrowPieces(arrowSteps(path, window, seek), schema, job.columns),
      parquet: (paths, window) => parquetPieces(paths, schema, job.columns, window),
    },
    signal,
  );
}

async function* arrowPieces(
  steps: AsyncIterable<ArrowStep>,
  schema: Schema,
  columns: readonly number[] | null,
): AsyncGenerator<IpcPiece, void, void> {
  const needed = dictionaryFields({ ...schema, fields: chooseFields(schema, columns) });
  // Dictionaries pass through as they are, so that indices need no values here.
  const values = new Map<bigint, ArrayData>();
  for (const [id, { field }] of needed) values.set(id, emptyArray(field));
  for await (const step of steps) {
    const { message, framed, from, to } = step;
    if (message.kind === 'dictionary') {
      if (needed.has(message.id)) yield { header: framed.header, body: await readBody(framed) };
    } else if (columns === null && from === 0 && to === message.batch.length)
      yield { header: framed.header, body: await readBody(framed) };
    else {
      for await (const rows of readWanted(step, message, schema, values, columns))
        yield encodeRows(rows.batch, rows.from, rows.to);
    }
  }
}

async function* parquetPieces(
  paths: readonly string[],
  schema: Schema,
  columns: readonly number[] | null,
  window: RowWindow,
): AsyncGenerator<IpcPiece, void, void> {
  // Only if it is needed: the library takes long to load.
  const { parquetBatches } = await import('./parquet-batches.ts');
  const ids = dictionaryIds(chooseFields(schema, columns));
  for await (const batch of parquetBatches(paths, schema, columns, window)) {
    if (ids.length > 0) {
      const stored = dictionaryIds(batch.columns.map((column) => column.field));
      const idOf = new Map(stored.map((id, index) => [id, ids[index] as bigint]));
      yield* encodeDictionaries(batch.columns, (id) => idOf.get(id) ?? id);
    }
    yield encodeRows(batch, 0, batch.length);
  }
}
