import { StreamCheck } from '../arrow/check/stream-check.ts';
import { encodeSchema } from '../arrow/ipc/schema-encoder.ts';
import { schemaOf, schemaRecord } from '../arrow/schema/schema-record.ts';
import { bodyFault } from '../parquet/body-fault.ts';
import { joinStream } from '../parquet/ipc-piece.ts';
import { openParquet } from '../parquet/read-parquet.ts';
import type { ExaminedFile } from '../ports/codec.ts';

export interface ExamineTask {
  readonly files: readonly string[];
  readonly batchBytesMax: number;
}

/** Decodes all rows of each file, with the library that readers use later, and checks the batches as those of an uploaded stream. */
export async function examineFiles(
  { files, batchBytesMax }: ExamineTask,
  signal: AbortSignal,
): Promise<readonly ExaminedFile[]> {
  const examined: ExaminedFile[] = [];
  for (const path of files) examined.push(await examineFile(path, batchBytesMax, signal));
  return examined;
}

async function examineFile(path: string, batchBytesMax: number, signal: AbortSignal): Promise<ExaminedFile> {
  try {
    await using file = await openParquet(path);
    const { fields } = schemaOf(file.schemaHeader);
    let rows = 0;
    for await (const pieces of file.batches()) {
      signal.throwIfAborted();
      const stream = joinStream(file.schemaHeader, pieces);
      const source = { readSync: (target: Uint8Array, position: number) => copyTo(target, stream, position) };
      rows += new StreamCheck(source, { bodyBytesMax: batchBytesMax }).finish(stream.length).rows;
    }
    if (rows !== file.rows) throw new Error(`${rows} rows came of a file that announces ${file.rows}`);
    // What its writer noted about the file is no part of the frame.
    const schema = { fields, metadata: [] };
    return { schema: schemaRecord(encodeSchema(schema), schema), rows };
  } catch (thrown) {
    throw bodyFault(thrown, 'a readable Parquet file');
  }
}

function copyTo(target: Uint8Array, stream: Uint8Array, position: number): number {
  const bytes = stream.subarray(position, position + target.length);
  target.set(bytes);
  return bytes.length;
}
