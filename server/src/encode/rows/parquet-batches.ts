import type { BatchData } from '../../arrow/arrays/array-data.ts';
import { readBatch } from '../../arrow/batches/batch.ts';
import { Dictionaries } from '../../arrow/batches/dictionaries.ts';
import type { Field, Schema } from '../../arrow/field.ts';
import { parseMessage } from '../../arrow/ipc/message.ts';
import { compareSchemas } from '../../arrow/schema/schema-difference.ts';
import type { IpcPiece } from '../../parquet/ipc-piece.ts';
import { projectionOf } from '../../parquet/projection.ts';
import { openParquet } from '../../parquet/read-parquet.ts';
import { schemaOf } from './arrow-steps.ts';
import { chooseFields } from './chosen-fields.ts';
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
    const range = { offset: from, rowCount: to - from };
    const projection = columns === null ? null : projectionOf(stored.fields, columns);
    if (columns === null || projection === null) {
      for await (const pieces of file.batches(range)) yield* decoded(pieces, stored, columns);
      continue;
    }
    const placeOf = new Map(projection.given.map((index, place) => [index, place]));
    const places = columns.map((index) => placeOf.get(index) as number);
    for await (const { schemaHeader, pieces } of file.projected(range, projection.names)) {
      const given = schemaOf(schemaHeader);
      checkNames(given, chooseFields(stored, projection.given));
      yield* decoded(pieces, given, places);
    }
  }
}

function* decoded(
  pieces: readonly IpcPiece[],
  schema: Schema,
  columns: readonly number[] | null,
): Generator<BatchData, void, void> {
  const dictionaries = new Dictionaries(schema);
  const options = columns === null ? {} : { columns };
  for (const { header, body } of pieces) {
    const message = parseMessage(header);
    if (message.kind === 'dictionary') dictionaries.add(message, body);
    else if (message.kind === 'record-batch')
      yield readBatch(schema.fields, message.batch, body, dictionaries.current(), options);
  }
}

/** The library must have given the columns that it was asked for: a wrong one would have another's values. */
function checkNames({ fields }: Schema, wanted: readonly Field[]): void {
  if (fields.length === wanted.length && fields.every(({ name }, index) => name === wanted[index]?.name))
    return;
  throw new Error('a Parquet file of the part gave other columns than were chosen');
}
