import { zstdCompressSync } from 'node:zlib';
import { type ThriftStruct, type ThriftValue, writeThrift } from '../../server/src/parquet/thrift-compact.ts';

/** Small Parquet files that ask for much, written by hand after parquet.thrift. */

const magic = Buffer.from('PAR1');

const int = (value: number): ThriftValue => ({ type: 'int', tag: 6, value: BigInt(value) });
const int32 = (value: number): ThriftValue => ({ type: 'int', tag: 5, value: BigInt(value) });
const text = (value: string): ThriftValue => ({ type: 'binary', bytes: Buffer.from(value) });
const struct = (fields: Readonly<Record<number, ThriftValue>>): ThriftStruct => ({
  fields: Object.entries(fields).map(([id, value]) => ({ id: Number(id), value })),
});
const nested = (fields: Readonly<Record<number, ThriftValue>>): ThriftValue => ({
  type: 'struct',
  value: struct(fields),
});
const list = (elementTag: number, items: ThriftValue[]): ThriftValue => ({
  type: 'list',
  tag: 9,
  elementTag,
  items,
});

interface ColumnFile {
  readonly dictionary?: { readonly values: number; readonly says?: number; readonly bytes?: number };
  readonly rows: number;
  readonly unpackedBytes?: number;
}

/** One required column of 32-bit numbers, compressed; its rows are one run of the same index into a dictionary. */
function columnFile({ dictionary = { values: 1 }, rows, unpackedBytes }: ColumnFile): Uint8Array {
  const plainValues = Buffer.alloc(4 * dictionary.values, 7);
  const values = zstdCompressSync(plainValues);
  const dictionaryHeader = writeThrift(
    struct({
      1: int32(2),
      2: int32(dictionary.bytes ?? plainValues.length),
      3: int32(values.length),
      7: nested({ 1: int32(dictionary.says ?? dictionary.values), 2: int32(0) }),
    }),
  );
  const plainRun = Buffer.concat([Buffer.from([1]), varint(rows * 2), Buffer.from([0])]);
  const run = zstdCompressSync(plainRun);
  const pageHeader = writeThrift(
    struct({
      1: int32(0),
      2: int32(unpackedBytes ?? plainRun.length),
      3: int32(run.length),
      5: nested({ 1: int32(rows), 2: int32(8), 3: int32(3), 4: int32(3) }),
    }),
  );
  const pages = Buffer.concat([dictionaryHeader, values, pageHeader, run]);
  const column = nested({
    2: int(4),
    3: nested({
      1: int32(1),
      2: list(5, [int32(0), int32(8)]),
      3: list(8, [text('n')]),
      4: int32(6),
      5: int(rows),
      6: int(pages.length),
      7: int(pages.length),
      9: int(4 + dictionaryHeader.length + values.length),
      11: int(4),
    }),
  });
  const schema = [
    nested({ 4: text('schema'), 5: int32(1) }),
    nested({ 1: int32(1), 3: int32(0), 4: text('n') }),
  ];
  const group = nested({ 1: list(12, [column]), 2: int(pages.length), 3: int(rows) });
  return file(pages, { 1: int32(1), 2: list(12, schema), 3: int(rows), 4: list(12, [group]) });
}

function file(pages: Uint8Array, footer: Readonly<Record<number, ThriftValue>>): Uint8Array {
  const bytes = writeThrift(struct(footer));
  const tail = Buffer.alloc(4);
  tail.writeUInt32LE(bytes.length);
  return Buffer.concat([magic, pages, bytes, tail, magic]);
}

/** A group in a group, and so on. */
function nestedGroups(depth: number): Uint8Array {
  const schema = Array.from({ length: depth }, () => nested({ 3: int32(1), 4: text('g'), 5: int32(1) }));
  schema.push(nested({ 1: int32(1), 3: int32(1), 4: text('n') }));
  return file(new Uint8Array(0), { 1: int32(1), 2: list(12, schema), 3: int(0), 4: list(12, []) });
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  bytes.push(rest);
  return Buffer.from(bytes);
}

export function parquetBombs(): Readonly<Record<string, Uint8Array>> {
  const footer = Buffer.from(columnFile({ rows: 3 }));
  footer.writeUInt32LE(0xffff_fff0, footer.length - 8);
  return {
    'a footer of 4 GB': footer,
    'a page that unpacks to 2 GB': columnFile({ rows: 3, unpackedBytes: 2 ** 31 - 1 }),
    'a dictionary page of 2 GB': columnFile({ rows: 3, dictionary: { values: 1, bytes: 2 ** 31 - 1 } }),
    'a dictionary of 10^9 entries': columnFile({ rows: 3, dictionary: { values: 1, says: 1_000_000_000 } }),
    'groups nested 10,000 deep': nestedGroups(10_000),
    '10^9 rows in 300 bytes': columnFile({ rows: 1_000_000_000 }),
  };
}

/** A file that is as it should be: the bombs differ from it in one number each. */
export function soundParquet(): Uint8Array {
  return columnFile({ rows: 3 });
}
