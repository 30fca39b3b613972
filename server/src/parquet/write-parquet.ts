import type { Schema } from '../arrow/field.ts';
import { parseMessage } from '../arrow/ipc/message.ts';
import { compressPages } from './compress-pages.ts';
import { GrowingFile } from './growing-file.ts';
import { firstHeader, type IpcPiece, joinStream } from './ipc-piece.ts';
import { isTooWide, type ParquetCompression, writerProperties } from './parquet-encodings.ts';
import { ParquetFault, parquetFault } from './parquet-fault.ts';
import { parquetModule } from './parquet-module.ts';

/**
 * Writes Arrow as Parquet. Only in worker threads, and better in one that ends afterwards: the library's memory only grows. Bodies must not be
 * compressed, and the dictionaries that a batch needs come with it. A ParquetFault says what the library cannot write;
 * after a fatal one (unions, for example) the thread must end.
 */

export interface WriteOptions {
  /** Of zstd. Default, and null: that of the library, 1, which cannot be set. */
  readonly level?: number | null;
  /** Keys and values for the footer. */
  readonly notes?: ReadonlyMap<string, string> | null;
}

/** One Parquet file, in memory, out of a bounded stream. */
export function writeStream(
  stream: Uint8Array,
  compression: ParquetCompression,
  { level = null, notes = null }: WriteOptions = {},
): Uint8Array {
  const schema = schemaOf(firstHeader(stream));
  const isLeveled = level !== null && compression === 'zstd' && !isTooWide(schema);
  const file = writtenByLibrary(stream, schema, isLeveled ? 'none' : compression, notes);
  return isLeveled ? compressPages(file, level) : file;
}

function writtenByLibrary(
  stream: Uint8Array,
  schema: Schema,
  compression: ParquetCompression,
  notes: ReadonlyMap<string, string> | null,
): Uint8Array {
  try {
    const { Table, writeParquet } = parquetModule();
    return writeParquet(Table.fromIPCStream(stream), writerProperties(schema, compression, notes));
  } catch (thrown) {
    throw parquetFault(thrown);
  }
}

/** What every reader of today knows, and the smallest. */
const exportCompression: ParquetCompression = 'zstd';

/**
 * One Parquet file of any length. Each item becomes row groups of its own: the dictionaries that record batches need, and the batches, as `written` says.
 * The file says that its rows are `declared`, if that is something else. The library's own streams lose their errors: a file ends early without a word, or never.
 */
export async function* streamParquet(
  { declared, written }: { readonly declared: Uint8Array | null; readonly written: Uint8Array },
  runs: AsyncIterable<readonly IpcPiece[]>,
): AsyncGenerator<Uint8Array, void, void> {
  const file = new GrowingFile(declared);
  const write = (pieces: readonly IpcPiece[]) => writeStream(joinStream(written, pieces), exportCompression);
  let isEmpty = true;
  for await (const pieces of runs) {
    isEmpty = false;
    yield* file.add(write(pieces));
  }
  if (isEmpty) yield* file.add(write([]));
  yield* file.end();
}

function schemaOf(schemaHeader: Uint8Array): Schema {
  const message = parseMessage(schemaHeader);
  if (message.kind !== 'schema') throw new ParquetFault('not a schema', false, null);
  return message.schema;
}
