import type { BatchData } from '../../arrow/arrays/array-data.ts';
import { readBatch } from '../../arrow/batches/batch.ts';
import { Dictionaries } from '../../arrow/batches/dictionaries.ts';
import type { Schema } from '../../arrow/field.ts';
import { parseMessage } from '../../arrow/ipc/message.ts';
import { compareSchemas } from '../../arrow/schema/schema-difference.ts';
import { openParquet } from '../../parquet/read-parquet.ts';
import { schemaOf } from './arrow-steps.ts';
import type { RowWindow } from './row-window.ts';

/** Batches out of Parquet files; every row of them is wanted. Dictionaries have the files' ids, not the version's. */
export async function* parquetBatches(
  paths: readonly string[],
  schema: Schema,
  columns: readonly number[] | null,
  window: RowWindow,
): AsyncGenerator<BatchData, void, void> {
  for (const path of paths) {
    if (window.remaining === 0) return;
    await using file = await openParquet(path);
    const { from, to } = window.take(file.rows);
    if (from === to) continue;
    const stored = schemaOf(file.schemaHeader);
    const { difference } = compareSchemas(schema, stored);
    if (difference !== null) throw new Error(`a Parquet file of the part has another schema: ${difference}`);
    for await (const pieces of file.batches({ offset: from, rowCount: to - from })) {
      const dictionaries = new Dictionaries(stored);
      for (const { header, body } of pieces) {
        const message = parseMessage(header);
        if (message.kind === 'dictionary') dictionaries.add(message, body);
        else if (message.kind === 'record-batch')
          yield readBatch(
            stored.fields,
            message.batch,
            body,
            dictionaries.current(),
            columns === null ? {} : { columns },
          );
      }
    }
  }
}
