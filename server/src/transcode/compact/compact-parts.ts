import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { BatchData } from '../../arrow/arrays/array-data.ts';
import { readBatch } from '../../arrow/batches/batch.ts';
import { Dictionaries } from '../../arrow/batches/dictionaries.ts';
import { parseMessage } from '../../arrow/ipc/message.ts';
import { compareSchemas } from '../../arrow/schema/schema-difference.ts';
import { schemaOf } from '../../arrow/schema/schema-record.ts';
import { type IpcPiece, splitStream } from '../../parquet/ipc-piece.ts';
import type { CompactionSource, CompactReport, CompactRequest } from '../../ports/codec.ts';
import { changedBytes, verifyHash } from '../verify-hash.ts';
import { CompactedStream } from './compacted-stream.ts';

/** Why a part cannot be compacted. */
class StaysApart extends Error {}

/**
 * Writes the rows of several parts, one behind the other, as one stream. Parts are small, so each is in memory as a whole; what is written is a few
 * batches at a time.
 */
export async function compactParts(request: CompactRequest, signal: AbortSignal): Promise<CompactReport> {
  await using target = await CompactedStream.create(request.target, request.schema.message);
  for (const [index, source] of request.sources.entries()) {
    signal.throwIfAborted();
    try {
      await (source.kind === 'arrow' ? addArrow(source, target) : addParquet(source, target, signal));
      if (target.bytes > request.targetBytesMax)
        throw new StaysApart(`unpacked, the run exceeds ${request.targetBytesMax} bytes with this part`);
    } catch (thrown) {
      if (thrown instanceof StaysApart) return { refusal: { source: index, reason: thrown.message } };
      throw thrown;
    }
  }
  await target.end();
  return { refusal: null };
}

async function addArrow({ files }: CompactionSource, target: CompactedStream): Promise<void> {
  for (const { path, sha256 } of files) {
    const { schemaHeader, pieces } = splitStream(await readVerified(path, sha256));
    await addPieces(schemaHeader, pieces, target);
  }
}

/** Only exact Parquet forms are a part's only form, and these have no dictionaries. */
async function addParquet(
  { files }: CompactionSource,
  target: CompactedStream,
  signal: AbortSignal,
): Promise<void> {
  // Only if it is needed: the library takes long to load.
  const { openParquet } = await import('../../parquet/read-parquet.ts');
  for (const { path, sha256 } of files) {
    await verifyHash(path, sha256, signal);
    await using file = await openParquet(path);
    for await (const pieces of file.batches()) await addPieces(file.schemaHeader, pieces, target);
  }
}

/** The bytes are needed whole anyway: hashed as they are held, the file is read once. */
async function readVerified(path: string, sha256: string): Promise<Uint8Array> {
  const bytes = await readFile(path);
  if (createHash('sha256').update(bytes).digest('hex') !== sha256) throw changedBytes();
  return bytes;
}

async function addPieces(
  schemaHeader: Uint8Array,
  pieces: readonly IpcPiece[],
  target: CompactedStream,
): Promise<void> {
  const schema = schemaOf(schemaHeader);
  const { difference, dictionaryIdsDiffer, widened } = compareSchemas(target.schema, schema);
  if (difference !== null || dictionaryIdsDiffer || widened)
    throw new StaysApart(`its schema does not fit: ${difference ?? 'other dictionary ids, or nulls'}`);
  const dictionaries = new Dictionaries(schema);
  for (const { header, body } of pieces) {
    const message = parseMessage(header);
    // There is no place for it once batches are joined.
    if (message.metadata.length > 0) throw new StaysApart('its batches have metadata of their own');
    if (message.kind === 'dictionary') dictionaries.add(message, body);
    else if (message.kind === 'record-batch') {
      const current = dictionaries.current();
      const batch: BatchData = readBatch(schema.fields, message.batch, body, current);
      await target.add(batch, current);
    }
  }
}
