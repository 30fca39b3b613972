import { createHash } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readBatch } from '../../arrow/batches/batch.ts';
import { Dictionaries } from '../../arrow/batches/dictionaries.ts';
import type { Field, Schema } from '../../arrow/field.ts';
import { parseMessage } from '../../arrow/ipc/message.ts';
import { sameSchema, sameType } from '../../arrow/schema/same-schema.ts';
import { schemaOf } from '../../arrow/schema/schema-record.ts';
import type { ParquetCompression } from '../../parquet/parquet-encodings.ts';
import { hasTrapped, ParquetFault } from '../../parquet/parquet-fault.ts';
import { openParquet } from '../../parquet/read-parquet.ts';
import { wholeMicrosecondsKey, withoutNanKey } from '../../parquet/transcode-notes.ts';
import { writeStream } from '../../parquet/write-parquet.ts';
import type { TranscodeReport, TranscodeRequest } from '../../ports/codec.ts';
import { isComparable } from '../compare-arrays.ts';
import { verifyHash } from '../verify-hash.ts';
import { type ArrowRun, openArrowRuns } from './arrow-runs.ts';
import { schemaNotProven } from './proven-types.ts';
import { RowComparison } from './row-comparison.ts';
import { wholeColumns } from './whole-columns.ts';
import { columnsWithoutNan } from './without-nan.ts';

/**
 * Arrow that becomes one Parquet file. The Parquet library holds a run three times; with 16 MB a transcode takes about 100 MB, and readers of the
 * file hold one run. Smaller runs save memory, but make more files.
 */
const runBytes = 16 * 1024 * 1024;

type TranscodedFile = TranscodeReport['files'][number];

export interface PartCompression {
  readonly algorithm: ParquetCompression;
  /** Of zstd, 1 to 22. null leaves it to the library, to compare with. */
  readonly level: number | null;
}

/** Writes what Parquet can hold of a part, reads each file back and compares it with the source. */
export async function transcodePart(
  request: TranscodeRequest,
  { algorithm, level }: PartCompression,
  signal: AbortSignal,
): Promise<TranscodeReport> {
  // What the library cannot do for another part's sake says nothing about this one.
  if (hasTrapped()) throw new Error('the Parquet library gave up earlier in this thread');
  await verifyHash(request.source, request.sha256, signal);
  const files: TranscodedFile[] = [];
  try {
    await using source = await openArrowRuns(request.source, runBytes);
    let exact = !source.isPartial && schemaNotProven(source.schema) === null;
    for await (const run of source.runs(signal)) {
      const path = join(request.targetDirectory, `${request.targetPrefix}${files.length}.parquet`);
      const notes = notesOf(source.schema, run);
      const bytes = writeStream(run.stream, algorithm, { level, notes });
      files.push({ path, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') });
      await writeDurably(path, bytes);
      const back = await compareWithFile(source.schema, run, path, signal);
      if (back.difference !== null) {
        await removeAll(files);
        return {
          files: [],
          exact: false,
          refusal: `Parquet did not give back what was written: ${back.difference}.`,
        };
      }
      exact &&= back.sameSchema;
    }
    return { files, exact: exact && !source.hasBatchMetadata, refusal: null };
  } catch (thrown) {
    await removeAll(files);
    if (thrown instanceof ParquetFault)
      return { files: [], exact: false, refusal: `Parquet cannot hold this frame: ${thrown.message}.` };
    throw thrown;
  }
}

function notesOf({ fields }: Schema, { batches }: ArrowRun): ReadonlyMap<string, string> | null {
  const lists = [
    [wholeMicrosecondsKey, wholeColumns(fields, batches)],
    [withoutNanKey, columnsWithoutNan(fields, batches)],
  ] as const;
  const notes = lists.flatMap(([key, columns]) =>
    columns === null ? [] : [[key, JSON.stringify(columns)] as const],
  );
  return notes.length === 0 ? null : new Map(notes);
}

async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  await using file = await open(path, 'wx');
  await file.writeFile(bytes);
  await file.sync();
}

async function compareWithFile(
  schema: Schema,
  run: ArrowRun,
  path: string,
  signal: AbortSignal,
): Promise<{ difference: string | null; sameSchema: boolean }> {
  await using file = await openParquet(path);
  const schemaBack = schemaOf(file.schemaHeader);
  const same = sameSchema(schema, schemaBack);
  if (schemaBack.fields.length !== schema.fields.length)
    return { difference: 'another number of columns', sameSchema: same };
  // What changed its type has no common layout to compare; such a frame is not exact anyway.
  const columns = [...schema.fields.keys()].filter((index) => {
    const field = schema.fields[index] as Field;
    return isComparable(field) && sameType(field, schemaBack.fields[index] as Field);
  });
  const comparison = new RowComparison(columns);
  for (const batch of run.batches) comparison.expect(batch);
  for await (const pieces of file.batches()) {
    signal.throwIfAborted();
    const dictionaries = new Dictionaries(schemaBack);
    for (const { header, body } of pieces) {
      const message = parseMessage(header);
      if (message.kind === 'dictionary') dictionaries.add(message, body);
      else if (message.kind === 'record-batch') {
        const batch = readBatch(schemaBack.fields, message.batch, body, dictionaries.current());
        const difference = comparison.compare(batch);
        if (difference !== null) return { difference, sameSchema: same };
      }
    }
  }
  return { difference: comparison.end(), sameSchema: same };
}

async function removeAll(files: readonly TranscodedFile[]): Promise<void> {
  for (const { path } of files) await rm(path, { force: true });
}
