import { readBatch } from '../../src/arrow/batches/batch.ts';
import { Dictionaries } from '../../src/arrow/batches/dictionaries.ts';
import type { Schema } from '../../src/arrow/field.ts';
import { parseMessage } from '../../src/arrow/ipc/message.ts';
import type { IpcMessage } from '../../src/ports/renderer.ts';
import { plainValues } from '../arrow/plain-values.ts';

export function schemaOf(schemaMessage: Uint8Array): Schema {
  const message = parseMessage(schemaMessage);
  if (message.kind !== 'schema') throw new Error(`a ${message.kind} where a schema should be`);
  return message.schema;
}

/** Rows of a stream of batches, each a list of plain values; integers as texts. */
export async function* readRows(
  schemaMessage: Uint8Array,
  messages: AsyncIterable<IpcMessage>,
): AsyncGenerator<unknown[], void, void> {
  const schema = schemaOf(schemaMessage);
  const dictionaries = new Dictionaries(schema);
  for await (const each of messages) {
    const body = new Uint8Array(each.bodyBytes);
    await each.readBody(body);
    const message = parseMessage(each.header);
    if (message.kind === 'dictionary') dictionaries.add(message, body);
    if (message.kind !== 'record-batch') continue;
    const batch = readBatch(schema.fields, message.batch, body, dictionaries.current());
    const columns = batch.columns.map(plainValues);
    for (let row = 0; row < batch.length; row += 1) yield columns.map((column) => column[row]);
  }
}
