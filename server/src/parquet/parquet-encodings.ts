import type { Compression, Encoding, WriterProperties } from 'parquet-wasm/esm';
import type { ArrowType, Field, Schema } from '../arrow/field.ts';
import { parquetModule } from './parquet-module.ts';

export type ParquetCompression = 'zstd' | 'snappy' | 'gzip' | 'lz4' | 'none';

/** Encoded, before compression. A writer holds one row group, and so does a reader. */
const rowGroupBytesMax = 16 * 1024 * 1024;
/** The writer takes 1 MB for each column of differences, however few rows there are. */
const deltaColumnsMax = 48;
/** And 0.1 MB for each column that zstd compresses; LZ4 takes next to nothing. */
const zstdColumnsMax = 500;

/**
 * How columns are written: no dictionaries (they cost three times the CPU and made files larger), differences for integers and times,
 * byte planes for floats. The library names a column by its top-level name only, so nested columns stay plain.
 */
export function writerProperties(
  schema: Schema,
  compression: ParquetCompression,
  notes: ReadonlyMap<string, string> | null = null,
): WriterProperties {
  const { WriterPropertiesBuilder } = parquetModule();
  let builder = new WriterPropertiesBuilder()
    .setCompression(codecOf(isTooWide(schema) && compression === 'zstd' ? 'lz4' : compression))
    .setDictionaryEnabled(false)
    .setMaxRowGroupBytes(rowGroupBytesMax);
  if (notes !== null) builder = builder.setKeyValueMetadata(new Map(notes));
  for (const [name, encoding] of columnEncodings(schema)) builder = builder.setColumnEncoding(name, encoding);
  return builder.build();
}

/** Columns with zstd would take too much memory: they get LZ4. */
export function isTooWide(schema: Schema): boolean {
  return schema.fields.reduce((sum, field) => sum + leafCount(field), 0) > zstdColumnsMax;
}

function codecOf(compression: ParquetCompression): Compression {
  const { Compression } = parquetModule();
  switch (compression) {
    case 'zstd':
      return Compression.ZSTD;
    case 'snappy':
      return Compression.SNAPPY;
    case 'gzip':
      return Compression.GZIP;
    case 'lz4':
      // Not LZ4: its framing was never agreed on, and readers name it unknown.
      return Compression.LZ4_RAW;
    case 'none':
      return Compression.UNCOMPRESSED;
  }
}

function columnEncodings(schema: Schema): Map<string, Encoding> {
  const { Encoding } = parquetModule();
  const encodings = new Map<string, Encoding>();
  const plain = new Set<string>();
  let deltaColumns = 0;
  for (const field of schema.fields) {
    const encoding = field.dictionary === null ? encodingOf(field.type) : null;
    if (encoding === Encoding.DELTA_BINARY_PACKED) deltaColumns++;
    const isTooMany = encoding === Encoding.DELTA_BINARY_PACKED && deltaColumns > deltaColumnsMax;
    // Columns of one name share the setting: only what all of them can take.
    const isAmbiguous = encodings.has(field.name) && encodings.get(field.name) !== encoding;
    if (encoding === null || isTooMany || isAmbiguous) plain.add(field.name);
    else encodings.set(field.name, encoding);
  }
  for (const name of plain) encodings.delete(name);
  return encodings;
}

function encodingOf(type: ArrowType): Encoding | null {
  const { Encoding } = parquetModule();
  switch (type.kind) {
    case 'int':
    case 'date':
    case 'time':
    case 'timestamp':
    case 'duration':
      return Encoding.DELTA_BINARY_PACKED;
    case 'float':
      return type.bits === 16 ? null : Encoding.BYTE_STREAM_SPLIT;
    default:
      return null;
  }
}

function leafCount(field: Field): number {
  if (field.dictionary !== null || field.children.length === 0) return 1;
  return field.children.reduce((sum, child) => sum + leafCount(child), 0);
}
