import type { Field } from '../../arrow/field.ts';
import { encodeSchema } from '../../arrow/ipc/schema-encoder.ts';
import type { DecodeRequest } from '../../frames/ports/codec.ts';
import { openParquet } from '../../parquet/read-parquet.ts';
import { schemaOf } from '../schema-record.ts';
import { StreamFile } from '../stream-file.ts';

/** A Parquet file as an Arrow stream, with the types that arrow-rs gives it. */
export async function decodeParquet(request: DecodeRequest, signal: AbortSignal): Promise<void> {
  await using file = await openParquet(request.source);
  const header = request.plainNanoseconds ? withPlainNanoseconds(file.schemaHeader) : file.schemaHeader;
  await using target = await StreamFile.create(request.target, header, request.targetBytesMax);
  for await (const batch of file.batchesInPlace()) {
    signal.throwIfAborted();
    if ('columns' in batch) target.batchAtOnce(batch.length, batch.columns);
    else for (const { header, body } of batch) await target.message(header, body);
  }
  await target.end();
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
