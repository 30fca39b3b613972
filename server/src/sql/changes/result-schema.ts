import type { Schema } from '../../arrow/field.ts';
import { parseMessage } from '../../arrow/ipc/message.ts';
import { encodeSchema } from '../../arrow/ipc/schema-encoder.ts';
import { hasWideIntegers, withoutMarks } from '../../arrow/schema/wide-integers.ts';

export function schemaOf(schemaMessage: Uint8Array): Schema {
  const message = parseMessage(schemaMessage);
  if (message.kind !== 'schema') throw new Error('another message than a schema');
  return message.schema;
}

/** Without the marks that only the renderer knows. */
export function plainSchema(schemaMessage: Uint8Array): Uint8Array {
  const schema = schemaOf(schemaMessage);
  return hasWideIntegers(schema) ? encodeSchema(withoutMarks(schema)) : schemaMessage;
}
