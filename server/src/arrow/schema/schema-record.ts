import { createHash } from 'node:crypto';
import type { SchemaRecord } from '../../model/version.ts';
import type { Schema } from '../field.ts';
import { parseMessage } from '../ipc/message.ts';
import { describeColumn } from './column-types.ts';

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
