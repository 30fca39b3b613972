import { type FileHandle, open } from 'node:fs/promises';
import type { ParquetFile, RecordBatch } from 'parquet-wasm/esm';
import type { BatchData } from '../arrow/arrays/array-data.ts';
import type { Field } from '../arrow/field.ts';
import { parseMessage } from '../arrow/ipc/message.ts';
import { batchInPlace } from './batch-in-place.ts';
import { type IpcPiece, splitStream } from './ipc-piece.ts';
import { ParquetFault, parquetFault } from './parquet-fault.ts';
import { parquetModule, reserveMemory, untilTrap } from './parquet-module.ts';
import { withoutTranscodeNotes } from './transcode-notes.ts';

/**
 * Reads a Parquet file as Arrow, in memory bounded by the file's row groups. Only in worker threads. What goes wrong is a ParquetFault;
 * after a fatal one the thread must end.
 *
 *     await using file = await openParquet(path);
 *     file.rows; file.schemaHeader;
 *     for await (const pieces of file.batches()) …   // dictionaries (if the file has them) and then one record batch
 */
export interface OpenParquet extends AsyncDisposable {
  readonly rows: number;
  /** The flatbuffer of the Arrow schema message. */
  readonly schemaHeader: Uint8Array;
  /** Whether the writer said which Arrow types it had; else they are guessed from Parquet's. */
  isFromArrow(): boolean;
  batches(range?: RowRange): AsyncGenerator<readonly IpcPiece[], void, void>;
  /** All rows, with fewer copies: a batch in place is good until the next one is asked for. */
  batchesInPlace(): AsyncGenerator<BatchData | readonly IpcPiece[], void, void>;
  /** The same of some columns only, in the order of the file, each with its own schema. The bytes of others are not read. */
  projected(range: RowRange, names: readonly string[]): AsyncGenerator<ProjectedBatch, void, void>;
}

interface ProjectedBatch {
  readonly schemaHeader: Uint8Array;
  readonly pieces: readonly IpcPiece[];
}

interface RowRange {
  readonly offset: number;
  readonly rowCount: number;
}

/** Of decoded Arrow in a batch: large enough that the cost of a message does not matter, small enough to hold several. */
const batchBytesTarget = 4 * 1024 * 1024;
const batchRowsMax = 65_536;
/** Compressed bytes of a row group: all of them are in memory at once. */
const rowGroupBytesMax = 512 * 1024 * 1024;
/** What the library allocates to decompress a column of zstd, measured. With other codecs it is too little to matter. */
const zstdColumnBytes = 130_000;

export async function openParquet(path: string): Promise<OpenParquet> {
  const handle = await open(path);
  try {
    const { size } = await handle.stat();
    const source = new FileSlice(handle, 0, size);
    // The library asks a Blob for its size, for slices and for their bytes, and for nothing else.
    const opening = parquetModule().ParquetFile.fromFile(source as unknown as Blob);
    const rows = new ParquetRows(handle, await untilTrap(opening));
    await rows.peek();
    return rows;
  } catch (thrown) {
    await handle.close();
    throw parquetFault(thrown);
  }
}

class ParquetRows implements OpenParquet {
  readonly rows: number;
  schemaHeader: Uint8Array;
  readonly #handle: FileHandle;
  readonly #file: ParquetFile;
  readonly #bytesPerRow: number;
  readonly #columns: number;
  readonly #isZstd: boolean;

  constructor(handle: FileHandle, file: ParquetFile) {
    this.#handle = handle;
    this.#file = file;
    const metadata = file.metadata();
    this.rows = metadata.fileMetadata().numRows();
    let decodedBytes = 0;
    for (const group of metadata.rowGroups()) {
      decodedBytes += group.totalByteSize();
      if (group.compressedSize() > rowGroupBytesMax)
        throw new ParquetFault(
          `a row group of ${group.compressedSize()} bytes; at most ${rowGroupBytesMax} can be read: write the file with smaller row groups`,
          false,
          null,
        );
    }
    const firstGroup = metadata.numRowGroups() > 0 ? metadata.rowGroup(0) : null;
    this.#columns = firstGroup?.numColumns() ?? 0;
    this.#isZstd =
      this.#columns > 0 && firstGroup?.column(0).compression() === parquetModule().Compression.ZSTD;
    this.#bytesPerRow = decodedBytes / Math.max(1, this.rows);
    this.schemaHeader = withoutTranscodeNotes(splitStream(file.schema().intoIPCStream()).schemaHeader);
  }

  isFromArrow(): boolean {
    return this.#file.metadata().fileMetadata().keyValueMetadata().has('ARROW:schema');
  }

  /** The library announces views and run ends if the file's writer had them, and then gives plain arrays: what the rows say counts. */
  async peek(): Promise<void> {
    const announced = parseMessage(this.schemaHeader);
    if (this.rows === 0 || announced.kind !== 'schema' || !announced.schema.fields.some(isUncertain)) return;
    const stream = await untilTrap(this.#file.stream({ batchSize: 1, limit: 1, concurrency: 1 }));
    const reader = stream.getReader();
    const { value } = await untilTrap(reader.read());
    if (value !== undefined)
      this.schemaHeader = withoutTranscodeNotes(
        splitStream((value as RecordBatch).intoIPCStream()).schemaHeader,
      );
    await reader.cancel();
  }

  async *batches(range?: RowRange): AsyncGenerator<readonly IpcPiece[], void, void> {
    for await (const { pieces } of this.#streams(range)) yield pieces;
  }

  projected(range: RowRange, names: readonly string[]): AsyncGenerator<ProjectedBatch, void, void> {
    return this.#streams(range, names);
  }

  async *batchesInPlace(): AsyncGenerator<BatchData | readonly IpcPiece[], void, void> {
    const announced = parseMessage(this.schemaHeader);
    const fields = announced.kind === 'schema' ? announced.schema.fields : [];
    for await (const batch of this.#read(undefined)) {
      const inPlace = batchInPlace(batch, fields);
      if (inPlace === null) {
        yield splitStream(batch.intoIPCStream()).pieces;
        continue;
      }
      try {
        yield inPlace;
      } finally {
        inPlace.release();
        batch.free();
      }
    }
  }

  async *#streams(
    range: RowRange | undefined,
    names?: readonly string[],
  ): AsyncGenerator<ProjectedBatch, void, void> {
    for await (const batch of this.#read(range, names)) yield splitStream(batch.intoIPCStream());
  }

  /** Batches in the library's memory, each to be consumed or freed. */
  async *#read(
    range: RowRange | undefined,
    names?: readonly string[],
  ): AsyncGenerator<RecordBatch, void, void> {
    const rows = Math.floor(batchBytesTarget / Math.max(1, this.#bytesPerRow));
    const options = {
      batchSize: Math.max(1, Math.min(batchRowsMax, rows)),
      concurrency: 1,
      ...(range === undefined ? {} : { offset: range.offset, limit: range.rowCount }),
      ...(names === undefined ? {} : { columns: [...names] }),
    };
    try {
      if (this.#isZstd) reserveMemory(zstdColumnBytes * (names?.length ?? this.#columns));
      const stream = await untilTrap(this.#file.stream(options));
      const reader = stream.getReader();
      try {
        for (;;) {
          const { done, value } = await untilTrap(reader.read());
          if (done) return;
          yield* cut(value as RecordBatch);
        }
      } finally {
        await reader.cancel().catch(() => {});
      }
    } catch (thrown) {
      throw parquetFault(thrown);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.#file.free();
    } catch {
      // Behind a fault the library may still hold it; its memory goes with the thread.
    }
    await this.#handle.close();
  }
}

function isUncertain(field: Field): boolean {
  const { kind } = field.type;
  return kind.endsWith('-view') || kind === 'run-end' || field.children.some(isUncertain);
}

/** A file's own figures may understate its rows (one long string in a dictionary, a million times used): cut what came out too large. */
function* cut(batch: RecordBatch): Generator<RecordBatch, void, void> {
  const bytes = batch.getArrayMemorySize();
  if (bytes <= 2 * batchBytesTarget) {
    yield batch;
    return;
  }
  const rows = batch.numRows;
  const step = Math.max(1, Math.floor((rows * batchBytesTarget) / bytes));
  for (let offset = 0; offset < rows; offset += step)
    yield batch.slice(offset, Math.min(step, rows - offset));
  batch.free();
}

/** As much of a Blob as the library uses, over an open file. */
class FileSlice {
  readonly size: number;
  readonly #handle: FileHandle;
  readonly #start: number;

  constructor(handle: FileHandle, start: number, end: number) {
    this.#handle = handle;
    this.#start = start;
    this.size = Math.max(0, end - start);
  }

  slice(start = 0, end = this.size): FileSlice {
    // What a file says of its own offsets may be anything: a slice has no more than there is.
    const first = Math.min(Math.max(0, start < 0 ? this.size + start : start), this.size);
    const last = Math.min(Math.max(first, end < 0 ? this.size + end : end), this.size);
    return new FileSlice(this.#handle, this.#start + first, this.#start + last);
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    const bytes = new Uint8Array(this.size);
    let filled = 0;
    while (filled < bytes.length) {
      const { bytesRead } = await this.#handle.read(
        bytes,
        filled,
        bytes.length - filled,
        this.#start + filled,
      );
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return bytes.buffer;
  }
}
