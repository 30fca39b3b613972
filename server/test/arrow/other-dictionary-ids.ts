import assert from 'node:assert/strict';
import { encodeDictionaryHeader } from '../../src/arrow/batches/batch-encoder.ts';
import { parseMessage } from '../../src/arrow/ipc/message.ts';
import { encodeSchema } from '../../src/arrow/ipc/schema-encoder.ts';
import { joinStream, splitStream } from '../../src/parquet/ipc-piece.ts';

/** The same stream with every dictionary id n as 1 - n. */
export function withOtherIds(stream: Uint8Array): Uint8Array {
  const { schemaHeader, pieces } = splitStream(stream);
  const message = parseMessage(schemaHeader);
  assert.ok(message.kind === 'schema');
  const fields = message.schema.fields.map((field) =>
    field.dictionary === null
      ? field
      : { ...field, dictionary: { ...field.dictionary, id: 1n - field.dictionary.id } },
  );
  const changed = pieces.map(({ header, body }) => {
    const piece = parseMessage(header);
    if (piece.kind !== 'dictionary') return { header, body };
    const { batch } = piece;
    const layout = {
      length: batch.length,
      nodes: [...batch.nodeLengths].map((length, node) => ({
        length,
        nullCount: batch.nodeNullCounts[node] ?? 0,
      })),
      buffers: [...batch.bufferOffsets].map((offset, at) => ({
        offset,
        length: batch.bufferLengths[at] ?? 0,
      })),
      variadicCounts: [],
      bodyBytes: body.length,
    };
    return { header: encodeDictionaryHeader(1n - piece.id, false, layout), body };
  });
  return joinStream(encodeSchema({ ...message.schema, fields }), changed);
}
