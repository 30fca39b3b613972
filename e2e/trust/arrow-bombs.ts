import { Builder } from 'flatbuffers';
import {
  encodeDictionaryHeader,
  encodeRecordBatchHeader,
} from '../../server/src/arrow/batches/batch-encoder.ts';
import { frameHeader } from '../../server/src/arrow/ipc/framing.ts';
import { finishMessage } from '../../server/src/arrow/ipc/message-encoder.ts';
import { encodedField, fieldOf, int64, schemaPiece } from '../../server/test/arrow/hand-made.ts';
import { streamOf } from '../../server/test/arrow/stream-bytes.ts';

/** Small Arrow streams that ask for much. */

const fourGigabytes = 4 * 1024 ** 3;
const numbers = schemaPiece([fieldOf(int64)]);

/** A batch of one 64-bit column whose header says what its body does not have. */
function batch(says: { rows?: number; offset?: number; length?: number; bodyBytes?: number }): Uint8Array {
  const { rows = 8, offset = 0, length = 64, bodyBytes = 64 } = says;
  const header = encodeRecordBatchHeader({
    length: rows,
    nodes: [{ length: rows, nullCount: 0 }],
    buffers: [
      { offset: 0, length: 0 },
      { offset, length },
    ],
    variadicCounts: [],
    bodyBytes,
  });
  return streamOf([numbers, { header, body: new Uint8Array(64) }]);
}

/** The content's announced length is in the eight bytes before the compressed content, which has a magic number. */
export function withUnpackedLength(stream: Uint8Array, magic: number, length: number): Uint8Array {
  const copy = Buffer.from(stream);
  const place = copy.indexOf(Buffer.from(Uint32Array.of(magic).buffer));
  if (place < 8) throw new Error('the stream is not compressed');
  copy.writeBigInt64LE(BigInt(length), place - 8);
  return copy;
}

/** Lists in lists. Not through the schema's own encoder, which would be as deep. */
function nestedLists(depth: number): Uint8Array {
  const builder = new Builder(1024);
  const name = builder.createString('c');
  const table = (): number => {
    builder.startObject(0);
    return builder.endObject();
  };
  let field = 0;
  for (let level = 0; level <= depth; level++) {
    const isLeaf = level === 0;
    const type = table();
    let children = 0;
    if (!isLeaf) {
      builder.startVector(4, 1, 4);
      builder.addOffset(field);
      children = builder.endVector();
    }
    builder.startObject(7);
    builder.addFieldOffset(0, name, 0);
    // 1: null, 12: a list.
    builder.addFieldInt8(2, isLeaf ? 1 : 12, 0);
    builder.addFieldOffset(3, type, 0);
    builder.addFieldOffset(5, children, 0);
    field = builder.endObject();
  }
  return schemaOf(builder, [field]);
}

/** Tables may be shared: ten children that are the same table, ten of which have the same ten children, and so on. */
function sharedFields(levels: number): Uint8Array {
  const builder = new Builder(1024);
  const name = builder.createString('c');
  builder.startObject(0);
  const type = builder.endObject();
  let field = 0;
  for (let level = 0; level <= levels; level++) {
    let children = 0;
    if (level > 0) {
      builder.startVector(4, 10, 4);
      for (let child = 0; child < 10; child++) builder.addOffset(field);
      children = builder.endVector();
    }
    builder.startObject(7);
    builder.addFieldOffset(0, name, 0);
    // 1: null, 13: a struct.
    builder.addFieldInt8(2, level === 0 ? 1 : 13, 0);
    builder.addFieldOffset(3, type, 0);
    builder.addFieldOffset(5, children, 0);
    field = builder.endObject();
  }
  return schemaOf(builder, [field]);
}

function schemaOf(builder: Builder, fields: readonly number[]): Uint8Array {
  builder.startVector(4, fields.length, 4);
  for (const field of fields.toReversed()) builder.addOffset(field);
  const vector = builder.endVector();
  builder.startObject(4);
  builder.addFieldOffset(1, vector, 0);
  return streamOf([{ header: finishMessage(builder, 1, builder.endObject(), 0), body: new Uint8Array(0) }]);
}

/** A dictionary that announces a thousand million values. */
function hugeDictionary(): Uint8Array {
  const values = 1_000_000_000;
  const header = encodeDictionaryHeader(1n, false, {
    length: values,
    nodes: [{ length: values, nullCount: 0 }],
    buffers: [
      { offset: 0, length: 0 },
      { offset: 0, length: values * 8 },
    ],
    variadicCounts: [],
    bodyBytes: 64,
  });
  return streamOf([schemaPiece([encodedField(int64)]), { header, body: new Uint8Array(64) }]);
}

/** Metadata of bytes that are no text: each of them is kept, as a character of its own. */
function longMetadata(byteCount: number): Uint8Array {
  const builder = new Builder(byteCount + 1024);
  const key = builder.createString('k');
  const value = builder.createString(new Uint8Array(byteCount).fill(0xff));
  builder.startObject(2);
  builder.addFieldOffset(0, key, 0);
  builder.addFieldOffset(1, value, 0);
  const entry = builder.endObject();
  builder.startVector(4, 1, 4);
  builder.addOffset(entry);
  const metadata = builder.endVector();
  builder.startVector(4, 0, 4);
  const fields = builder.endVector();
  builder.startObject(4);
  builder.addFieldOffset(1, fields, 0);
  builder.addFieldOffset(2, metadata, 0);
  return frameHeader(finishMessage(builder, 1, builder.endObject(), 0));
}

export function arrowBombs(): Readonly<Record<string, Uint8Array>> {
  const header = Buffer.from(frameHeader(numbers.header));
  header.writeInt32LE(2 ** 31 - 1, 4);
  return {
    'a header of 2 GB': header,
    'a body of 4 GB': batch({ bodyBytes: fourGigabytes }),
    'a body of 2^53 bytes': batch({ bodyBytes: 2 ** 53 - 1 }),
    'a buffer of 4 GB': batch({ length: fourGigabytes }),
    'a buffer behind 4 GB': batch({ offset: fourGigabytes }),
    '2^31 rows': batch({ rows: 2 ** 31 - 1 }),
    'lists nested 10,000 deep': nestedLists(10_000),
    '10^12 fields out of 13 tables': sharedFields(12),
    'a dictionary of 10^9 values': hugeDictionary(),
    'metadata of 40 MB that are no text': longMetadata(40 * 1024 * 1024),
  };
}
