import { packZstd } from '../arrow/compression/zstd.ts';
import { joinBytes } from '../arrow/join-bytes.ts';
import {
  chunkFields,
  chunkOf,
  columnFields,
  fileFields,
  footerIn,
  locationFields,
  magic,
  pageFields,
  pageOffsetFields,
  rowGroupFields,
} from './parquet-layout.ts';
import {
  hasField,
  readThrift,
  setThriftInt,
  type ThriftStruct,
  thriftInt,
  thriftStructs,
  writeThrift,
} from './thrift-compact.ts';

/**
 * Compresses the pages of a file that the library has written without compression: its own zstd has one level, and is no faster. What the pages
 * contain, statistics, schema and metadata stay as they are.
 */
export function compressPages(file: Uint8Array, level: number): Uint8Array<ArrayBuffer> {
  const { footer, footerOffset } = footerIn(file);
  const target = new CompressedFile(file, level);
  const written: WrittenChunk[] = [];
  for (const group of thriftStructs(footer, fileFields.rowGroups)) {
    const start = target.position;
    const columns = thriftStructs(group, rowGroupFields.columns);
    const chunks = columns.map((column) => target.addChunk(column, footerOffset));
    setThriftInt(group, rowGroupFields.compressedBytes, target.position - start);
    addTo(group, rowGroupFields.totalBytes, sum(chunks.map(({ headerGrowth }) => headerGrowth)));
    if ((thriftInt(group, rowGroupFields.fileOffset) ?? 0) > 0)
      setThriftInt(group, rowGroupFields.fileOffset, start);
    written.push(...chunks);
  }
  for (const chunk of written) target.addIndexes(chunk);
  return target.end(footer);
}

const zstdCodec = 6;
const secondVersion = 3;

/** Version 2 has levels beside what is compressed, and a checksum would be another one. The library writes neither. */
function isSimple(header: ThriftStruct): boolean {
  return thriftInt(header, pageFields.kind) !== secondVersion && !hasField(header, pageFields.crc);
}

interface WrittenChunk {
  readonly column: ThriftStruct;
  /** Where a page was → where it is, and its size. */
  readonly moves: ReadonlyMap<number, { readonly offset: number; readonly bytes: number }>;
  /** Parquet counts page headers as uncompressed bytes, and a smaller size is written with fewer. */
  readonly headerGrowth: number;
}

class CompressedFile {
  readonly #source: Uint8Array;
  readonly #level: number;
  readonly #pieces: Uint8Array[] = [];
  position = 0;

  constructor(source: Uint8Array, level: number) {
    this.#source = source;
    this.#level = level;
    this.#add(magic);
  }

  /** The pages of a column chunk; what its metadata says about them is adapted. */
  addChunk(column: ThriftStruct, footerOffset: number): WrittenChunk {
    const { metadata, start, bytes } = chunkOf(column, footerOffset);
    const chunkStart = this.position;
    const moves = new Map<number, { offset: number; bytes: number }>();
    let headerGrowth = 0;
    for (let at = start; at < start + bytes; ) {
      const { struct: header, end } = readThrift(this.#source, at);
      const next = end + (thriftInt(header, pageFields.compressedBytes) ?? Number.NaN);
      if (!isSimple(header) || !(next <= start + bytes))
        throw new Error('a Parquet page of our own that cannot be compressed');
      const content = packZstd(this.#source.subarray(end, next), this.#level);
      setThriftInt(header, pageFields.compressedBytes, content.length);
      const head = writeThrift(header);
      moves.set(at, { offset: this.position, bytes: head.length + content.length });
      headerGrowth += head.length - (end - at);
      this.#add(head, content);
      at = next;
    }
    for (const field of pageOffsetFields) {
      const moved = moves.get(thriftInt(metadata, field) ?? 0);
      if (moved !== undefined) setThriftInt(metadata, field, moved.offset);
    }
    setThriftInt(metadata, chunkFields.codec, zstdCodec);
    setThriftInt(metadata, chunkFields.compressedBytes, this.position - chunkStart);
    addTo(metadata, chunkFields.uncompressedBytes, headerGrowth);
    // Deprecated, and differently understood: the first page, the end of the chunk, or nothing.
    const fileOffset = thriftInt(column, columnFields.fileOffset) ?? 0;
    const isEnd = fileOffset === start + bytes;
    setThriftInt(
      column,
      columnFields.fileOffset,
      moves.get(fileOffset)?.offset ?? (isEnd ? this.position : 0),
    );
    return { column, moves, headerGrowth };
  }

  /** The indexes of a chunk's pages, which are behind all row groups. Only the places of pages in them change. */
  addIndexes({ column, moves }: WrittenChunk): void {
    const { columnIndexOffset, columnIndexBytes, offsetIndexOffset, offsetIndexBytes } = columnFields;
    this.#addIndex(column, columnIndexOffset, columnIndexBytes, (index) => index);
    this.#addIndex(column, offsetIndexOffset, offsetIndexBytes, (index) => {
      const { struct } = readThrift(index);
      for (const location of thriftStructs(struct, locationFields.list)) {
        const moved = moves.get(thriftInt(location, locationFields.offset) ?? 0);
        if (moved === undefined) throw new Error('an index of a Parquet page that is not there');
        setThriftInt(location, locationFields.offset, moved.offset);
        setThriftInt(location, locationFields.bytes, moved.bytes);
      }
      return writeThrift(struct);
    });
  }

  end(footer: ThriftStruct): Uint8Array<ArrayBuffer> {
    const bytes = writeThrift(footer);
    const tail = new Uint8Array(4);
    new DataView(tail.buffer).setUint32(0, bytes.length, true);
    this.#add(bytes, tail, magic);
    return joinBytes(this.#pieces);
  }

  #addIndex(
    column: ThriftStruct,
    offsetField: number,
    bytesField: number,
    adapted: (index: Uint8Array) => Uint8Array,
  ): void {
    const offset = thriftInt(column, offsetField);
    const length = thriftInt(column, bytesField);
    if (offset === null || length === null) return;
    const index = adapted(this.#source.subarray(offset, offset + length));
    setThriftInt(column, offsetField, this.position);
    setThriftInt(column, bytesField, index.length);
    this.#add(index);
  }

  #add(...pieces: readonly Uint8Array[]): void {
    this.#pieces.push(...pieces);
    this.position += sum(pieces.map(({ length }) => length));
  }
}

function addTo(struct: ThriftStruct, field: number, growth: number): void {
  const before = thriftInt(struct, field);
  if (before !== null) setThriftInt(struct, field, before + growth);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
