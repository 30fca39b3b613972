import type { Field, Schema } from '../arrow/field.ts';
import { parseMessage } from '../arrow/ipc/message.ts';
import { encodeSchema } from '../arrow/ipc/schema-encoder.ts';

/**
 * In the footer of a file that settling writes: a JSON list of the columns, counted from 0, whose nanoseconds are all whole microseconds. Readers that
 * have only microseconds may read those. Absent if the file has no such column, and in files of earlier versions.
 */
export const wholeMicrosecondsKey = 'framehold:whole-microseconds';

/** Whether values of the field may be finer than readers with microseconds can represent: instants and durations in nanoseconds. */
export function hasFineTimes({ type, children }: Field): boolean {
  if (type.kind === 'timestamp') return type.unit === 'ns' && type.zone !== null;
  if (type.kind === 'duration') return type.unit === 'ns';
  return children.some(hasFineTimes);
}

/** The library gives what the footer says as metadata of the schema: what settling has added is no part of the frame. */
export function withoutMicrosecondMetadata(schemaHeader: Uint8Array): Uint8Array {
  const message = parseMessage(schemaHeader);
  if (message.kind !== 'schema' || !hasNotes(message.schema)) return schemaHeader;
  const { fields, metadata } = message.schema;
  return encodeSchema({ fields, metadata: metadata.filter(([key]) => key !== wholeMicrosecondsKey) });
}

function hasNotes({ metadata }: Schema): boolean {
  return metadata.some(([key]) => key === wholeMicrosecondsKey);
}
