import type { FileHandle } from 'node:fs/promises';
import { unpackZstd } from '../arrow/compression/zstd.ts';
import {
  hasField,
  readThrift,
  type ThriftStruct,
  thriftBool,
  thriftInt,
  thriftStruct,
  thriftStructs,
} from './thrift-compact.ts';

/** How a Parquet file lies on the disk: footer, column chunks, pages. Only what is needed to compress its pages anew, or to move them. */

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
  bloomBytes: 15,
} as const;
export const pageFields = { kind: 1, uncompressedBytes: 2, compressedBytes: 3, crc: 4, version2: 8 } as const;
export const locationFields = { list: 1, offset: 1, bytes: 2 } as const;

const zstdCodec = 6;
const indexPage = 1;
const dataPageVersion2 = 3;
export const magic: Uint8Array = new TextEncoder().encode('PAR1');
const tailBytes = 8;

/** Our own files have row groups of about 16 MiB. What is much larger is somebody's single huge value: not worth the memory. */
const chunkBytesMax = 128 * 1024 * 1024;
const pageBytesMax = 256 * 1024 * 1024;
/** A footer is parsed as a whole. Tens of thousands of column chunks fit. */
const footerBytesMax = 64 * 1024 * 1024;

/** The file is good, but has something that is not compressed anew: another codec, encryption, pages too large. */
export class NotRecompressible extends Error {}

export interface ParquetLayout {
  readonly file: FileHandle;
  readonly footer: ThriftStruct;
  /** Where the footer begins. */
  readonly footerOffset: number;
  readonly groups: readonly ParquetGroup[];
}

export interface ParquetGroup {
  readonly group: ThriftStruct;
  readonly chunks: readonly ParquetChunk[];
}

export interface ParquetChunk {
  readonly column: ThriftStruct;
  readonly metadata: ThriftStruct;
  readonly start: number;
  readonly bytes: number;
}

export interface ParquetPage {
  readonly header: ThriftStruct;
  /** From the beginning of the file. */
  readonly offset: number;
  /** Header and content. */
  readonly bytes: number;
  /** Of version 2: repetition and definition levels, which are never compressed. */
  readonly levels: Uint8Array;
  readonly packed: Uint8Array;
  /** Whether `packed` is compressed; some pages of a compressed chunk are not. */
  readonly isCompressed: boolean;
  /** Of `packed`, once it is unpacked. */
  readonly plainBytes: number;
}

export async function readLayout(file: FileHandle): Promise<ParquetLayout> {
  const { footer, footerOffset } = await readFooter(file);
  const groups = thriftStructs(footer, fileFields.rowGroups).map((group) => ({
    group,
    chunks: thriftStructs(group, rowGroupFields.columns).map((column) =>
      recompressible(chunkOf(column, footerOffset)),
    ),
  }));
  return { file, footer, footerOffset, groups };
}

export type FooterPlace = Pick<ParquetLayout, 'footer' | 'footerOffset'>;

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
  if (Buffer.compare(tail.subarray(4), Buffer.from('PARE')) === 0)
    throw new NotRecompressible('it is encrypted');
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
    throw new NotRecompressible('it is encrypted');
  if (hasField(column, columnFields.filePath)) throw new NotRecompressible('a column is in another file');
  const bytes = thriftInt(metadata, chunkFields.compressedBytes) ?? -1;
  const dictionary = thriftInt(metadata, chunkFields.dictionaryPageOffset) ?? 0;
  const data = thriftInt(metadata, chunkFields.dataPageOffset) ?? 0;
  // Some writers leave a zero if there is no such page.
  const start = dictionary > 0 && data > 0 ? Math.min(dictionary, data) : Math.max(dictionary, data);
  // Nor do they agree on where a chunk without pages begins.
  if (bytes === 0) return { column, metadata, start: magic.length, bytes };
  if (bytes < 0 || start < magic.length || start + bytes > footerOffset)
    throw new Error('a column chunk reaches outside the Parquet file');
  return { column, metadata, start, bytes };
}

function recompressible(chunk: ParquetChunk): ParquetChunk {
  if (thriftInt(chunk.metadata, chunkFields.codec) !== zstdCodec)
    throw new NotRecompressible('it has another compression');
  if (chunk.bytes > chunkBytesMax) throw new NotRecompressible(`a column chunk has ${chunk.bytes} bytes`);
  return chunk;
}

/** The pages of a chunk, as views of memory that was read for them. */
export async function readPages({ file }: ParquetLayout, chunk: ParquetChunk): Promise<ParquetPage[]> {
  const bytes = await readAt(file, chunk.start, chunk.bytes);
  const pages: ParquetPage[] = [];
  for (let position = 0; position < bytes.length; ) {
    const { struct: header, end } = readThrift(bytes, position);
    const contentBytes = thriftInt(header, pageFields.compressedBytes) ?? -1;
    if (contentBytes < 0 || end + contentBytes > bytes.length)
      throw new Error('a Parquet page reaches outside its column chunk');
    const content = bytes.subarray(end, end + contentBytes);
    const place = { offset: chunk.start + position, bytes: end + contentBytes - position };
    pages.push(pageOf(header, content, place));
    position = end + contentBytes;
  }
  return pages;
}

function pageOf(
  header: ThriftStruct,
  content: Uint8Array,
  place: { readonly offset: number; readonly bytes: number },
): ParquetPage {
  const kind = thriftInt(header, pageFields.kind);
  let levelBytes = 0;
  let isCompressed = kind !== indexPage;
  if (kind === dataPageVersion2) {
    const version2 = thriftStruct(header, pageFields.version2);
    if (version2 === null) throw new Error('a Parquet page without its own header');
    levelBytes = (thriftInt(version2, 5) ?? 0) + (thriftInt(version2, 6) ?? 0);
    isCompressed = thriftBool(version2, 7) ?? true;
  }
  const plainBytes = (thriftInt(header, pageFields.uncompressedBytes) ?? -1) - levelBytes;
  if (levelBytes < 0 || levelBytes > content.length || plainBytes < 0)
    throw new Error('a Parquet page has impossible sizes');
  if (plainBytes > pageBytesMax) throw new NotRecompressible(`a page unpacks to ${plainBytes} bytes`);
  // A page of nulls only has no values, and some writers do not compress nothing.
  const packed = content.subarray(levelBytes);
  return {
    header,
    ...place,
    levels: content.subarray(0, levelBytes),
    packed,
    isCompressed: isCompressed && packed.length > 0,
    plainBytes,
  };
}

/** What the page holds, without its levels. */
export function plainContent(page: ParquetPage): Uint8Array {
  if (page.isCompressed) return unpackZstd(page.packed, page.plainBytes);
  if (page.packed.length !== page.plainBytes) throw new Error('a Parquet page has impossible sizes');
  return page.packed;
}

/** Something elsewhere in the file, with its place and size in two fields; null if the fields are absent. */
export async function readBlock(
  { file, footerOffset }: ParquetLayout,
  struct: ThriftStruct,
  offsetField: number,
  bytesField: number,
): Promise<Uint8Array | null> {
  const offset = thriftInt(struct, offsetField);
  if (offset === null) return null;
  const bytes = thriftInt(struct, bytesField);
  if (bytes === null) throw new NotRecompressible('an index or filter does not say how large it is');
  if (offset < magic.length || bytes < 0 || offset + bytes > footerOffset)
    throw new Error('an index or filter reaches outside the Parquet file');
  return readAt(file, offset, bytes);
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
