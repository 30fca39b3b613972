import type { Field } from '../arrow/field.ts';
import { encodeSchema } from '../arrow/ipc/schema-encoder.ts';
import { schemaOf } from '../arrow/schema/schema-record.ts';
import { StreamFile } from '../arrow/stream-file.ts';
import { openParquet } from '../parquet/read-parquet.ts';
import type { DecodeRequest } from '../ports/codec.ts';
import { badBody, shown } from './bad-body.ts';

/** A Parquet file as an Arrow stream, with the types that arrow-rs gives it. */
export async function decodeParquet(request: DecodeRequest, signal: AbortSignal): Promise<void> {
  await using file = await openParquet(request.source);
  if (!file.isFromArrow()) refuseIntervals(schemaOf(file.schemaHeader).fields);
  const header = request.plainNanoseconds ? withPlainNanoseconds(file.schemaHeader) : file.schemaHeader;
  await using target = await StreamFile.create(request.target, header, request.targetBytesMax);
  for await (const batch of file.batchesInPlace()) {
    signal.throwIfAborted();
    if ('columns' in batch) target.batchAtOnce(batch.length, batch.columns);
    else for (const { header, body } of batch) await target.message(header, body);
  }
  await target.end();
}

/**
 * Parquet's intervals have months, days and milliseconds. The library reads them as days and milliseconds, without the months, unless the file's writer
 * had no others.
 */
function refuseIntervals(fields: readonly Field[]): void {
  const refused = fields.find(hasIntervals);
  if (refused !== undefined)
    throw badBody(
      `Column ${shown(refused.name)} has intervals, whose months cannot be read from Parquet.`,
      'Write it as numbers or as text (in DuckDB: interval::VARCHAR), or send the frame as Arrow.',
    );
}

function hasIntervals({ type, children }: Field): boolean {
  return type.kind === 'interval' || children.some(hasIntervals);
}

function withPlainNanoseconds(schemaHeader: Uint8Array): Uint8Array {
  const { fields, metadata } = schemaOf(schemaHeader);
  return encodeSchema({ fields: fields.map(plainNanoseconds), metadata });
}

function plainNanoseconds(field: Field): Field {
  const { type } = field;
  if (type.kind !== 'timestamp' || type.unit !== 'ns' || type.zone !== 'UTC') return field;
  return { ...field, type: { ...type, zone: null } };
}
