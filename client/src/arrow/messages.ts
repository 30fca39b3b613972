import { unreadableAnswer } from '../errors.ts';
import type { ByteReader } from './byte-reader.ts';
import { FlatTable } from './flat-table.ts';

export type Message =
  | { readonly kind: 'schema'; readonly header: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'dictionary'; readonly id: number; readonly isDelta: boolean; readonly batch: BatchBody }
  | { readonly kind: 'batch'; readonly batch: BatchBody };

/** Lengths and places of a batch's buffers, and the bytes that they are in. */
export interface BatchBody {
  readonly rowCount: number;
  /** Of each array, in the order of the schema: length and number of nulls. */
  readonly nodes: readonly number[];
  /** Of each buffer: start and length. */
  readonly regions: readonly number[];
  /** Of each array of views: the number of its data buffers. */
  readonly variadicCounts: readonly number[];
  readonly codec: 'none' | 'lz4' | 'zstd';
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Format version 5 or later: unions have no validity buffer. */
  readonly hasPlainUnions: boolean;
}

const continuation = 0xffff_ffff;
/** The server accepts headers of up to 16 MiB, for frames of 10,000 columns and more; a larger one is no Arrow. */
const headerBytesMax = 64 * 1024 * 1024;
/** What one buffer can have in every browser. */
const bodyBytesMax = 2 ** 32;
const schemaHeader = 1;
const dictionaryHeader = 2;
const batchHeader = 3;
/** In Arrow's list of format versions, the first without validity buffers of unions. */
const version5 = 4;

/** The next message of an IPC stream; null at its end mark. A stream without one was cut off. */
export async function readMessage(reader: ByteReader): Promise<Message | null> {
  let headerBytes = firstNumber(await reader.read(4));
  if (headerBytes === continuation) headerBytes = firstNumber(await reader.read(4));
  if (headerBytes === 0) return null;
  if (headerBytes > headerBytesMax) throw notArrow();
  const header = await reader.read(headerBytes);
  const message = parse(() => FlatTable.root(header));
  const bodyBytes = parse(() => message.int64(3));
  if (bodyBytes < 0 || bodyBytes > bodyBytesMax) throw notArrow();
  const bytes = await reader.read(bodyBytes);
  return parse(() => messageOf(message, header, bytes));
}

function messageOf(
  message: FlatTable,
  header: Uint8Array<ArrayBuffer>,
  bytes: Uint8Array<ArrayBuffer>,
): Message {
  const hasPlainUnions = message.int16(0) >= version5;
  const content = message.table(2);
  if (content === null) throw notArrow();
  switch (message.int8(1)) {
    case schemaHeader:
      return { kind: 'schema', header };
    case batchHeader:
      return { kind: 'batch', batch: batchOf(content, bytes, hasPlainUnions) };
    case dictionaryHeader: {
      const data = content.table(1);
      if (data === null) throw notArrow();
      return {
        kind: 'dictionary',
        id: content.int64(0),
        isDelta: content.int8(2) !== 0,
        batch: batchOf(data, bytes, hasPlainUnions),
      };
    }
    default:
      throw notArrow();
  }
}

function batchOf(table: FlatTable, bytes: Uint8Array<ArrayBuffer>, hasPlainUnions: boolean): BatchBody {
  const compression = table.table(3);
  return {
    rowCount: table.int64(0),
    nodes: table.int64s(1, 2),
    regions: table.int64s(2, 2),
    variadicCounts: table.int64s(4),
    codec: compression === null ? 'none' : compression.int8(0) === 0 ? 'lz4' : 'zstd',
    bytes,
    hasPlainUnions,
  };
}

function firstNumber(bytes: Uint8Array): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
}

/** Offsets that lead outside of a header end as a RangeError. */
function parse<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (thrown) {
    throw thrown instanceof RangeError ? notArrow(thrown) : thrown;
  }
}

function notArrow(cause?: unknown): Error {
  return unreadableAnswer(
    'The answer is not a valid Arrow stream.',
    'Check the address; a proxy may have changed the answer.',
    cause,
  );
}
