import {
  chunkFields,
  columnFields,
  locationFields,
  type ParquetChunk,
  type ParquetLayout,
  type ParquetPage,
  pageFields,
  plainContent,
  readBlock,
  readPages,
  rowGroupFields,
} from './parquet-layout.ts';
import {
  readThrift,
  setThriftInt,
  type ThriftStruct,
  thriftInt,
  thriftStructs,
  writeThrift,
} from './thrift-compact.ts';

/** Fails unless two Parquet files differ in the compression of their pages only. Uses up both layouts. */
export async function samePages(
  before: ParquetLayout,
  after: ParquetLayout,
  signal: AbortSignal,
): Promise<void> {
  for (const [index, { chunks }] of before.groups.entries()) {
    const others = after.groups[index]?.chunks;
    if (others?.length !== chunks.length) throw different('the number of column chunks');
    for (const [position, chunk] of chunks.entries()) {
      signal.throwIfAborted();
      const other = others[position] as ParquetChunk;
      const pages = await samePagesOfChunk(before, chunk, after, other);
      await sameBeside(before, chunk, after, other, pages);
    }
  }
  if (!same(writeThrift(withoutPlaces(before)), writeThrift(withoutPlaces(after))))
    throw different('the footer');
}

async function samePagesOfChunk(
  before: ParquetLayout,
  chunk: ParquetChunk,
  after: ParquetLayout,
  other: ParquetChunk,
): Promise<readonly ParquetPage[]> {
  const pages = await readPages(before, chunk);
  const others = await readPages(after, other);
  if (pages.length !== others.length) throw different('the number of pages');
  for (const [index, page] of pages.entries()) {
    const counterpart = others[index] as ParquetPage;
    if (!same(page.levels, counterpart.levels) || !same(plainContent(page), plainContent(counterpart)))
      throw different('the content of a page');
    for (const { header } of [page, counterpart]) zero(header, pageFields.compressedBytes, pageFields.crc);
    if (!same(writeThrift(page.header), writeThrift(counterpart.header)))
      throw different('the header of a page');
  }
  for (const field of [
    chunkFields.dataPageOffset,
    chunkFields.indexPageOffset,
    chunkFields.dictionaryPageOffset,
  ]) {
    const at = pages.findIndex((page) => page.offset === thriftInt(chunk.metadata, field));
    const otherAt = others.findIndex((page) => page.offset === thriftInt(other.metadata, field));
    if (at !== otherAt) throw different('the place of a page');
  }
  return others;
}

async function sameBeside(
  before: ParquetLayout,
  chunk: ParquetChunk,
  after: ParquetLayout,
  other: ParquetChunk,
  pages: readonly ParquetPage[],
): Promise<void> {
  const { bloomOffset, bloomBytes } = chunkFields;
  const bloom = await readBlock(before, chunk.metadata, bloomOffset, bloomBytes);
  const otherBloom = await readBlock(after, other.metadata, bloomOffset, bloomBytes);
  if (!same(bloom, otherBloom)) throw different('a bloom filter');
  const { columnIndexOffset, columnIndexBytes, offsetIndexOffset, offsetIndexBytes } = columnFields;
  const columnIndex = await readBlock(before, chunk.column, columnIndexOffset, columnIndexBytes);
  const otherColumnIndex = await readBlock(after, other.column, columnIndexOffset, columnIndexBytes);
  if (!same(columnIndex, otherColumnIndex)) throw different('a column index');
  const offsetIndex = await readBlock(before, chunk.column, offsetIndexOffset, offsetIndexBytes);
  const otherOffsetIndex = await readBlock(after, other.column, offsetIndexOffset, offsetIndexBytes);
  if (offsetIndex === null || otherOffsetIndex === null) {
    if (offsetIndex !== otherOffsetIndex) throw different('an offset index');
    return;
  }
  const index = readThrift(offsetIndex).struct;
  const otherIndex = readThrift(otherOffsetIndex).struct;
  for (const location of thriftStructs(otherIndex, locationFields.list)) {
    const page = pages.find(({ offset }) => offset === thriftInt(location, locationFields.offset));
    if (page?.bytes !== thriftInt(location, locationFields.bytes)) throw different('an offset index');
  }
  for (const each of [index, otherIndex])
    for (const location of thriftStructs(each, locationFields.list))
      zero(location, locationFields.offset, locationFields.bytes);
  if (!same(writeThrift(index), writeThrift(otherIndex))) throw different('an offset index');
}

/** The footer with a zero for everything that may differ. */
function withoutPlaces({ footer, groups }: ParquetLayout): ThriftStruct {
  for (const { group, chunks } of groups) {
    zero(group, rowGroupFields.totalBytes, rowGroupFields.fileOffset, rowGroupFields.compressedBytes);
    for (const { column, metadata } of chunks) {
      const { fileOffset, columnIndexOffset, offsetIndexOffset, offsetIndexBytes } = columnFields;
      zero(column, fileOffset, columnIndexOffset, offsetIndexOffset, offsetIndexBytes);
      const { compressedBytes, uncompressedBytes, dataPageOffset, indexPageOffset } = chunkFields;
      zero(metadata, compressedBytes, uncompressedBytes, dataPageOffset, indexPageOffset);
      zero(metadata, chunkFields.dictionaryPageOffset, chunkFields.bloomOffset);
    }
  }
  return footer;
}

function zero(struct: ThriftStruct, ...fields: number[]): void {
  for (const field of fields) setThriftInt(struct, field, 0);
}

function same(a: Uint8Array | null, b: Uint8Array | null): boolean {
  return a === null || b === null ? a === b : Buffer.compare(a, b) === 0;
}

function different(what: string): Error {
  return new Error(`a Parquet file that was compressed anew differs in ${what}`);
}
