import { createHash } from 'node:crypto';
import type { Schema } from '../arrow/field.ts';
import { parseMessage } from '../arrow/ipc/message.ts';
import { describeColumn } from '../arrow/schema/column-types.ts';
import type { SchemaRecord } from '../frames/version.ts';

/** What the catalog keeps of a schema: the message as it came. */
export function schemaRecord(message: Uint8Array, schema: Schema): SchemaRecord {
  return {
    hash: createHash('sha256').update(message).digest('hex'),
    message,
    columns: schema.fields.map(describeColumn),
  };
}

export function schemaOf(message: Uint8Array): Schema {
  const parsed = parseMessage(message);
  if (parsed.kind !== 'schema') throw new Error('a schema record without a schema');
  return parsed.schema;
}
