import type { FileHandle } from 'node:fs/promises';
import { hasField, readThrift, type ThriftStruct, thriftInt, thriftStruct } from './thrift-compact.ts';

/** How a Parquet file lies on the disk: footer, column chunks, pages. Only what is needed to compress its pages, or to move them. */

/** Numbers of the fields in parquet.thrift that say where something is or how large it is. */
export const fileFields = {
  schema: 2,
  rows: 3,
  rowGroups: 4,
  keyValues: 5,
  createdBy: 6,
  columnOrders: 7,
} as const;
export const rowGroupFields = {
  columns: 1,
  totalBytes: 2,
  fileOffset: 5,
  compressedBytes: 6,
  ordinal: 7,
} as const;
export const columnFields = {
  filePath: 1,
  fileOffset: 2,
  metadata: 3,
  offsetIndexOffset: 4,
  offsetIndexBytes: 5,
  columnIndexOffset: 6,
  columnIndexBytes: 7,
  crypto: 8,
  encryptedMetadata: 9,
} as const;
export const chunkFields = {
  codec: 4,
  uncompressedBytes: 6,
  compressedBytes: 7,
  dataPageOffset: 9,
  indexPageOffset: 10,
  dictionaryPageOffset: 11,
  bloomOffset: 14,
} as const;
/** Of a chunk: where its pages begin. */
export const pageOffsetFields = [
  chunkFields.dataPageOffset,
  chunkFields.indexPageOffset,
  chunkFields.dictionaryPageOffset,
] as const;
export const pageFields = { kind: 1, compressedBytes: 3, crc: 4 } as const;
export const locationFields = { list: 1, offset: 1, bytes: 2 } as const;

export const magic: Uint8Array = new TextEncoder().encode('PAR1');
const tailBytes = 8;

/** A footer is parsed as a whole. Tens of thousands of column chunks fit. */
const footerBytesMax = 64 * 1024 * 1024;

/** The file is good, but has something that is not moved: encryption, or columns in other files. */
export class NotMovable extends Error {}

export interface FooterPlace {
  readonly footer: ThriftStruct;
  /** Where the footer begins. */
  readonly footerOffset: number;
}

export interface ParquetChunk {
  readonly metadata: ThriftStruct;
  readonly start: number;
  readonly bytes: number;
}

export async function readFooter(file: FileHandle): Promise<FooterPlace> {
  const { size } = await file.stat();
  if (size < magic.length + tailBytes) throw new Error('not a Parquet file: too short');
  const footerOffset = footerOffsetOf(await readAt(file, size - tailBytes, tailBytes), size);
  const { struct: footer } = readThrift(await readAt(file, footerOffset, size - tailBytes - footerOffset));
  return { footer, footerOffset };
}

/** Of a whole file in memory. */
export function footerIn(file: Uint8Array): FooterPlace {
  const footerOffset = footerOffsetOf(file.subarray(-tailBytes), file.length);
  return { footer: readThrift(file.subarray(footerOffset, -tailBytes)).struct, footerOffset };
}

function footerOffsetOf(tail: Uint8Array, fileBytes: number): number {
  if (Buffer.compare(tail.subarray(4), Buffer.from('PARE')) === 0) throw new NotMovable('it is encrypted');
  if (Buffer.compare(tail.subarray(4), magic) !== 0)
    throw new Error('not a Parquet file: no PAR1 at its end');
  const footerBytes = new DataView(tail.buffer, tail.byteOffset).getUint32(0, true);
  const footerOffset = fileBytes - tailBytes - footerBytes;
  if (footerBytes > footerBytesMax || footerOffset < magic.length)
    throw new Error(`a Parquet footer of ${footerBytes} bytes`);
  return footerOffset;
}

/** Throws if it is outside the file, or cannot be moved. */
export function chunkOf(column: ThriftStruct, footerOffset: number): ParquetChunk {
  const metadata = thriftStruct(column, columnFields.metadata);
  if (
    metadata === null ||
    hasField(column, columnFields.crypto) ||
    hasField(column, columnFields.encryptedMetadata)
  )
    throw new NotMovable('it is encrypted');
  if (hasField(column, columnFields.filePath)) throw new NotMovable('a column is in another file');
  const bytes = thriftInt(metadata, chunkFields.compressedBytes) ?? -1;
  const dictionary = thriftInt(metadata, chunkFields.dictionaryPageOffset) ?? 0;
  const data = thriftInt(metadata, chunkFields.dataPageOffset) ?? 0;
  // Some writers leave a zero if there is no such page.
  const start = dictionary > 0 && data > 0 ? Math.min(dictionary, data) : Math.max(dictionary, data);
  // Nor do they agree on where a chunk without pages begins.
  if (bytes === 0) return { metadata, start: magic.length, bytes };
  if (bytes < 0 || start < magic.length || start + bytes > footerOffset)
    throw new Error('a column chunk reaches outside the Parquet file');
  return { metadata, start, bytes };
}

/** In memory of their own, which can be given to another thread. */
export async function readAt(
  file: FileHandle,
  position: number,
  byteCount: number,
): Promise<Uint8Array<ArrayBuffer>> {
  // Not filled with zeros: every byte is read, or reading fails.
  const bytes = new Uint8Array(Buffer.allocUnsafeSlow(byteCount).buffer);
  for (let filled = 0; filled < byteCount; ) {
    const { bytesRead } = await file.read(bytes, filled, byteCount - filled, position + filled);
    if (bytesRead === 0) throw new Error('a Parquet file ends early');
    filled += bytesRead;
  }
  return bytes;
}
