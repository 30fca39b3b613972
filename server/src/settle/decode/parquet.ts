import type { DecodeRequest } from '../../frames/ports/codec.ts';
import { openParquet } from '../../parquet/read-parquet.ts';
import { StreamFile } from './stream-file.ts';

/** A Parquet file as an Arrow stream, with the types that arrow-rs gives it. */
export async function decodeParquet(request: DecodeRequest, signal: AbortSignal): Promise<void> {
  await using file = await openParquet(request.source);
  await using target = await StreamFile.create(request.target, file.schemaHeader);
  for await (const pieces of file.batches()) {
    signal.throwIfAborted();
    for (const { header, body } of pieces) await target.message(header, body);
  }
  await target.end();
}
