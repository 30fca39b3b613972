import type { Metadata, Schema } from '../field.ts';
import { MalformedArrow } from '../malformed-arrow.ts';
import { FlatBuffer, type FlatTable } from './flatbuffer.ts';
import { parseMetadata, parseSchema } from './schema-parser.ts';

export type MessageKind = 'schema' | 'dictionary' | 'record-batch';
export type Compression = 'none' | 'lz4' | 'zstd';

/** The header of a record batch or of a dictionary's values. All numbers are safe integers and not negative. */
export interface BatchHeader {
  /** Of Arrow's metadata: 4 or 5. They differ in unions only. */
  readonly metadataVersion: number;
  readonly length: number;
  readonly nodeLengths: Float64Array;
  readonly nodeNullCounts: Float64Array;
  /** From the beginning of the message's body. */
  readonly bufferOffsets: Float64Array;
  readonly bufferLengths: Float64Array;
  readonly compression: Compression;
  /** How many data buffers each view column has, in the order of the columns. */
  readonly variadicCounts: Float64Array;
}

interface MessageBase {
  readonly bodyBytes: number;
  readonly metadata: Metadata;
}

type SchemaMessage = MessageBase & { readonly kind: 'schema'; readonly schema: Schema };
export type DictionaryMessage = MessageBase & {
  readonly kind: 'dictionary';
  readonly id: bigint;
  readonly delta: boolean;
  readonly batch: BatchHeader;
};
export type RecordBatchMessage = MessageBase & { readonly kind: 'record-batch'; readonly batch: BatchHeader };
export type Message = SchemaMessage | DictionaryMessage | RecordBatchMessage;

/** The whole header of an IPC message: the flatbuffer after the length prefix. */
export function parseMessage(header: Uint8Array): Message {
  const { table, kind, metadataVersion } = open(header);
  const base: MessageBase = {
    bodyBytes: bodyBytesOf(table),
    metadata: parseMetadata(table, 4),
  };
  const content = table.table(2);
  if (content === null) throw new MalformedArrow('metadata: the message is empty');
  switch (kind) {
    case 'schema':
      return { ...base, kind, schema: parseSchema(content) };
    case 'record-batch':
      return { ...base, kind, batch: parseBatch(content, metadataVersion) };
    case 'dictionary': {
      const data = content.table(1);
      if (data === null) throw new MalformedArrow('metadata: a dictionary without values');
      const batch = parseBatch(data, metadataVersion);
      return { ...base, kind, id: content.bigInt64(0), delta: content.bool(2), batch };
    }
  }
}

/** Without looking further into the header. */
export function messageBodyBytes(header: Uint8Array): number {
  return bodyBytesOf(open(header).table);
}

/** Without looking further into the header. */
export function messageKind(header: Uint8Array): MessageKind {
  return open(header).kind;
}

/** What of a message is needed to find rows. */
export type BatchSummary =
  | { readonly kind: 'schema' }
  | { readonly kind: 'record-batch'; readonly rows: number }
  | { readonly kind: 'dictionary'; readonly id: bigint; readonly delta: boolean };

/** Without looking at its columns: a header may describe a hundred thousand of them. */
export function batchSummary(header: Uint8Array): BatchSummary {
  const { table, kind } = open(header);
  const content = table.table(2);
  if (kind === 'schema') return { kind };
  if (content === null) throw new MalformedArrow('metadata: the message is empty');
  if (kind === 'record-batch') return { kind, rows: content.int64(0) };
  return { kind, id: content.bigInt64(0), delta: content.bool(2) };
}

interface Opened {
  readonly table: FlatTable;
  readonly kind: MessageKind;
  readonly metadataVersion: number;
}

function open(header: Uint8Array): Opened {
  const table = new FlatBuffer(header).root();
  const metadataVersion = table.int16(0, 0) + 1;
  if (metadataVersion !== 4 && metadataVersion !== 5)
    throw new MalformedArrow(
      `metadata: version ${metadataVersion} of the format is not accepted; use 4 or 5`,
    );
  return { table, kind: kindOf(table.uint8(1)), metadataVersion };
}

function kindOf(number: number): MessageKind {
  switch (number) {
    case 1:
      return 'schema';
    case 2:
      return 'dictionary';
    case 3:
      return 'record-batch';
    case 4:
    case 5:
      throw new MalformedArrow('metadata: tensors are not accepted; send record batches');
    default:
      throw new MalformedArrow(`metadata: unknown kind of message ${number}`);
  }
}

function bodyBytesOf(table: FlatTable): number {
  const bodyBytes = table.int64(3);
  if (bodyBytes < 0) throw new MalformedArrow('metadata: a body of negative length');
  return bodyBytes;
}

function parseBatch(table: FlatTable, metadataVersion: number): BatchHeader {
  const length = table.int64(0);
  if (length < 0) throw new MalformedArrow('metadata: a batch of negative length');
  const [nodeLengths, nodeNullCounts] = pairs(table, 1, 'field node');
  const [bufferOffsets, bufferLengths] = pairs(table, 2, 'buffer');
  return {
    metadataVersion,
    length,
    nodeLengths,
    nodeNullCounts,
    bufferOffsets,
    bufferLengths,
    compression: compressionOf(table),
    variadicCounts: counts(table, 4),
  };
}

/** A vector of structs of two 64-bit numbers. */
function pairs(table: FlatTable, slot: number, what: string): [Float64Array, Float64Array] {
  const vector = table.vector(slot, 16);
  const length = vector?.length ?? 0;
  const firsts = new Float64Array(length);
  const seconds = new Float64Array(length);
  if (vector === null) return [firsts, seconds];
  for (let index = 0, position = vector.start; index < length; index++, position += 16) {
    const first = table.buffer.safeInteger(position);
    const second = table.buffer.safeInteger(position + 8);
    if (first < 0 || second < 0) throw new MalformedArrow(`metadata: ${what} ${index} has a negative number`);
    firsts[index] = first;
    seconds[index] = second;
  }
  return [firsts, seconds];
}

function counts(table: FlatTable, slot: number): Float64Array {
  const vector = table.vector(slot, 8);
  const values = new Float64Array(vector?.length ?? 0);
  if (vector === null) return values;
  for (let index = 0; index < values.length; index++) {
    const value = table.buffer.safeInteger(vector.start + index * 8);
    if (value < 0) throw new MalformedArrow(`metadata: negative count of view buffers`);
    values[index] = value;
  }
  return values;
}

function compressionOf(table: FlatTable): Compression {
  const body = table.table(3);
  if (body === null) return 'none';
  const codec = body.uint8(0);
  if (body.uint8(1) !== 0 || codec > 1)
    throw new MalformedArrow(`metadata: unknown compression ${codec}; use lz4, zstd or none`);
  return codec === 0 ? 'lz4' : 'zstd';
}
