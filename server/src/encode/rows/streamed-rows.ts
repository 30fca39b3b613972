import type { ArrayData } from '../../arrow/arrays/array-data.ts';
import { emptyArray } from '../../arrow/arrays/empty-array.ts';
import { readBatch } from '../../arrow/batches/batch.ts';
import { Dictionaries } from '../../arrow/batches/dictionaries.ts';
import type { Schema } from '../../arrow/field.ts';
import { parseMessage } from '../../arrow/ipc/message.ts';
import { dictionaryFields } from '../../arrow/schema/dictionary-fields.ts';
import type { IpcPiece } from '../../parquet/ipc-piece.ts';
import { encodeRows } from './encode-pieces.ts';
import type { RowBatch } from './row-batch.ts';
import type { RowWindow } from './row-window.ts';

/** Messages as they come in, decoded, as far as the window wants rows. */
export async function* streamedBatches(
  pieces: AsyncIterable<IpcPiece>,
  schema: Schema,
  window: RowWindow,
): AsyncGenerator<RowBatch, void, void> {
  const dictionaries = new Dictionaries(schema);
  if (window.remaining === 0) return;
  for await (const { header, body } of pieces) {
    const message = parseMessage(header);
    if (message.kind === 'dictionary') dictionaries.add(message, body);
    else if (message.kind === 'record-batch') {
      const { from, to } = window.take(message.batch.length);
      if (from < to)
        yield { batch: readBatch(schema.fields, message.batch, body, dictionaries.current()), from, to };
      if (window.remaining === 0) return;
    }
  }
}

/** Messages as they come in; the one in which the window ends is cut. */
export async function* cutPieces(
  pieces: AsyncIterable<IpcPiece>,
  schema: Schema,
  window: RowWindow,
): AsyncGenerator<IpcPiece, void, void> {
  // Dictionaries pass through as they are, so that indices need no values here.
  const values = new Map<bigint, ArrayData>();
  for (const [id, { field }] of dictionaryFields(schema)) values.set(id, emptyArray(field));
  if (window.remaining === 0) return;
  for await (const piece of pieces) {
    const message = parseMessage(piece.header);
    if (message.kind === 'dictionary') yield piece;
    else if (message.kind === 'record-batch') {
      const { from, to } = window.take(message.batch.length);
      if (from === 0 && to === message.batch.length) yield piece;
      else if (from < to)
        yield encodeRows(readBatch(schema.fields, message.batch, piece.body, values), from, to);
      if (window.remaining === 0) return;
    }
  }
}
