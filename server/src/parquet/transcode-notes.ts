import type { Field, Schema } from '../arrow/field.ts';
import { parseMessage } from '../arrow/ipc/message.ts';
import { encodeSchema } from '../arrow/ipc/schema-encoder.ts';

/**
 * A JSON list of the columns, counted from 0, whose nanoseconds are all whole microseconds. Readers that
 * have only microseconds may read those. Absent if the file has no such column, and in files of earlier versions.
 */
export const wholeMicrosecondsKey = 'framehold:whole-microseconds';

/**
 * A JSON list of the columns, counted from 0, that have no NaN: statistics of Parquet leave it out, and can be trusted only there. Absent if the file has no column of
 * floating-point numbers, and in files of earlier versions.
 */
export const withoutNanKey = 'framehold:without-nan';

/** What transcoding has found out about a file that it writes, in its footer. It is no part of the frame. */
export const transcodeNotes: ReadonlySet<string> = new Set([wholeMicrosecondsKey, withoutNanKey]);

/** Whether values of the field may be finer than readers with microseconds can represent: instants and durations in nanoseconds. */
export function hasFineTimes({ type, children }: Field): boolean {
  if (type.kind === 'timestamp') return type.unit === 'ns' && type.zone !== null;
  if (type.kind === 'duration') return type.unit === 'ns';
  return children.some(hasFineTimes);
}

/** Whether transcoding says of the column if it has NaN: of plain ones, not of those inside others. */
export function isPlainFloat({ type, dictionary }: Field): boolean {
  return type.kind === 'float' && type.bits !== 16 && dictionary === null;
}

/** The library gives what the footer says as metadata of the schema. */
export function withoutTranscodeNotes(schemaHeader: Uint8Array): Uint8Array {
  const message = parseMessage(schemaHeader);
  if (message.kind !== 'schema' || !hasNotes(message.schema)) return schemaHeader;
  const { fields, metadata } = message.schema;
  return encodeSchema({ fields, metadata: metadata.filter(([key]) => !transcodeNotes.has(key)) });
}

function hasNotes({ metadata }: Schema): boolean {
  return metadata.some(([key]) => transcodeNotes.has(key));
}
