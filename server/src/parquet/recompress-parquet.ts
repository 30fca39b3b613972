import { open, rm } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { packZstd } from '../arrow/compression/zstd.ts';
import { HashedFile } from './hashed-file.ts';
import {
  chunkFields,
  columnFields,
  locationFields,
  magic,
  NotRecompressible,
  type ParquetChunk,
  type ParquetGroup,
  type ParquetLayout,
  type ParquetPage,
  pageFields,
  plainContent,
  readBlock,
  readLayout,
  readPages,
  rowGroupFields,
} from './parquet-layout.ts';
import { samePages } from './same-pages.ts';
import {
  hasField,
  readThrift,
  setThriftInt,
  type ThriftStruct,
  thriftInt,
  thriftStructs,
  writeThrift,
} from './thrift-compact.ts';

export interface Recompressed {
  readonly bytes: number;
  /** Hex, over the whole file. */
  readonly sha256: string;
}

/**
 * Writes a Parquet file anew with its pages compressed at another level of zstd, and compares what it wrote with what was there, page by page. Only
 * the compression changes: values, encodings, statistics, schema and metadata stay as they are, byte for byte. Null if the file
 * is not one for this (another codec, encryption, pages of hundreds of megabytes), or if the copy is larger than `bytesMax`.
 */
export async function recompressParquet(
  source: string,
  target: string,
  level: number,
  bytesMax: number,
  signal: AbortSignal,
): Promise<Recompressed | null> {
  await using before = await open(source);
  let written: Recompressed;
  try {
    const layout = await readLayout(before);
    await using file = await open(target, 'wx');
    const writer = new HashedFile(file);
    await rewrite(layout, writer, level, signal);
    written = await writer.end();
  } catch (thrown) {
    await rm(target, { force: true });
    if (thrown instanceof NotRecompressible) return null;
    throw thrown;
  }
  if (written.bytes > bytesMax) {
    await rm(target, { force: true });
    return null;
  }
  try {
    await using after = await open(target);
    await samePages(await readLayout(before), await readLayout(after), signal);
  } catch (thrown) {
    await rm(target, { force: true });
    throw thrown;
  }
  return written;
}

/** Old place → new place and size of a page. */
type PageMoves = Map<number, { readonly offset: number; readonly bytes: number }>;

async function rewrite(
  layout: ParquetLayout,
  writer: HashedFile,
  level: number,
  signal: AbortSignal,
): Promise<void> {
  await writer.write(magic);
  const moved: { readonly chunk: ParquetChunk; readonly moves: PageMoves }[] = [];
  for (const group of layout.groups) {
    const start = writer.position;
    let growth = 0;
    for (const chunk of group.chunks) {
      signal.throwIfAborted();
      const { moves, headerGrowth } = await rewriteChunk(layout, chunk, writer, level);
      moved.push({ chunk, moves });
      growth += headerGrowth;
    }
    adaptGroup(group, start, writer.position - start, growth);
  }
  for (const { chunk, moves } of moved) await rewriteBeside(layout, chunk, moves, writer);
  const footer = writeThrift(layout.footer);
  const tail = new Uint8Array(4);
  new DataView(tail.buffer).setUint32(0, footer.length, true);
  for (const bytes of [footer, tail, magic]) await writer.write(bytes);
}

/** Writes a chunk's pages and adapts what its metadata says about them. */
async function rewriteChunk(
  layout: ParquetLayout,
  chunk: ParquetChunk,
  writer: HashedFile,
  level: number,
): Promise<{ moves: PageMoves; headerGrowth: number }> {
  const start = writer.position;
  const moves: PageMoves = new Map();
  let headerGrowth = 0;
  for (const page of await readPages(layout, chunk)) {
    const { header, content } = rewritePage(page, level);
    const bytes = header.length + content.length;
    moves.set(page.offset, { offset: writer.position, bytes });
    headerGrowth += header.length - (page.bytes - page.levels.length - page.packed.length);
    await writer.write(header);
    await writer.write(content);
  }
  const { column, metadata } = chunk;
  for (const field of [
    chunkFields.dataPageOffset,
    chunkFields.indexPageOffset,
    chunkFields.dictionaryPageOffset,
  ]) {
    const offset = thriftInt(metadata, field) ?? 0;
    if (offset > 0 && chunk.bytes > 0) setThriftInt(metadata, field, movedTo(moves, offset).offset);
  }
  const fileOffset = thriftInt(column, columnFields.fileOffset) ?? 0;
  // Deprecated, and differently understood: the first page, the end of the chunk, or nothing.
  const isEnd = fileOffset === chunk.start + chunk.bytes;
  setThriftInt(
    column,
    columnFields.fileOffset,
    moves.get(fileOffset)?.offset ?? (isEnd ? writer.position : 0),
  );
  setThriftInt(metadata, chunkFields.compressedBytes, writer.position - start);
  // Parquet counts page headers as uncompressed bytes.
  add(metadata, chunkFields.uncompressedBytes, headerGrowth);
  return { moves, headerGrowth };
}

function rewritePage(page: ParquetPage, level: number): { header: Uint8Array; content: Uint8Array } {
  const packed = page.isCompressed ? smaller(page.packed, packZstd(plainContent(page), level)) : page.packed;
  const content = page.levels.length === 0 ? packed : Buffer.concat([page.levels, packed]);
  setThriftInt(page.header, pageFields.compressedBytes, content.length);
  if (hasField(page.header, pageFields.crc)) setThriftInt(page.header, pageFields.crc, crc32(content) | 0);
  return { header: writeThrift(page.header), content };
}

function smaller(a: Uint8Array, b: Uint8Array): Uint8Array {
  return b.length < a.length ? b : a;
}

function adaptGroup({ group }: ParquetGroup, start: number, bytes: number, headerGrowth: number): void {
  setThriftInt(group, rowGroupFields.compressedBytes, bytes);
  add(group, rowGroupFields.totalBytes, headerGrowth);
  if ((thriftInt(group, rowGroupFields.fileOffset) ?? 0) > 0)
    setThriftInt(group, rowGroupFields.fileOffset, start);
}

/** Bloom filters and page indexes follow the pages; only the places of pages in them change. */
async function rewriteBeside(
  layout: ParquetLayout,
  { column, metadata }: ParquetChunk,
  moves: PageMoves,
  writer: HashedFile,
): Promise<void> {
  const bloom = await readBlock(layout, metadata, chunkFields.bloomOffset, chunkFields.bloomBytes);
  if (bloom !== null) {
    setThriftInt(metadata, chunkFields.bloomOffset, writer.position);
    await writer.write(bloom);
  }
  const { columnIndexOffset, columnIndexBytes, offsetIndexOffset, offsetIndexBytes } = columnFields;
  const columnIndex = await readBlock(layout, column, columnIndexOffset, columnIndexBytes);
  if (columnIndex !== null) {
    setThriftInt(column, columnIndexOffset, writer.position);
    await writer.write(columnIndex);
  }
  const offsetIndex = await readBlock(layout, column, offsetIndexOffset, offsetIndexBytes);
  if (offsetIndex !== null) {
    const { struct } = readThrift(offsetIndex);
    for (const location of thriftStructs(struct, locationFields.list)) {
      const { offset, bytes } = movedTo(moves, thriftInt(location, locationFields.offset) ?? -1);
      setThriftInt(location, locationFields.offset, offset);
      setThriftInt(location, locationFields.bytes, bytes);
    }
    const rewritten = writeThrift(struct);
    setThriftInt(column, offsetIndexOffset, writer.position);
    setThriftInt(column, offsetIndexBytes, rewritten.length);
    await writer.write(rewritten);
  }
}

function movedTo(moves: PageMoves, offset: number): { readonly offset: number; readonly bytes: number } {
  const move = moves.get(offset);
  if (move === undefined) throw new Error(`there is no Parquet page at byte ${offset}`);
  return move;
}

function add(struct: ThriftStruct, field: number, growth: number): void {
  const before = thriftInt(struct, field);
  if (before !== null) setThriftInt(struct, field, before + growth);
}
