import { decodeLz4Frame } from '../compression/lz4-frame.ts';
import { unpackZstd } from '../compression/zstd.ts';
import type { BatchHeader } from '../ipc/message.ts';
import { MalformedArrow } from '../malformed-arrow.ts';

/** Node cannot free a buffer on demand, so the unpacked size of a batch is limited before anything is allocated. */
export const unpackedBytesMaxDefault = 1024 * 1024 * 1024;

const lengthPrefixBytes = 8;
const empty = new Uint8Array(0);

/** The buffers of one batch, in order, each inside the body, unpacked if the batch is compressed. */
export class BodyBuffers {
  readonly #batch: BatchHeader;
  readonly #body: Uint8Array;
  readonly #unpackedBytesMax: number;
  #next = 0;
  #usedBytes = 0;
  #unpackedBytes = 0;

  constructor(batch: BatchHeader, body: Uint8Array, unpackedBytesMax: number) {
    this.#batch = batch;
    this.#body = body;
    this.#unpackedBytesMax = unpackedBytesMax;
  }

  take(): Uint8Array {
    const index = this.#next++;
    const offset = this.#batch.bufferOffsets[index];
    const length = this.#batch.bufferLengths[index];
    if (offset === undefined || length === undefined)
      throw new MalformedArrow(
        `the batch has only ${this.#batch.bufferOffsets.length} buffers, too few for the schema`,
      );
    if (length === 0) return empty;
    if (offset + length > this.#body.length)
      throw new MalformedArrow(`buffer ${index} reaches outside the body of ${this.#body.length} bytes`);
    if (offset % 8 !== 0) throw new MalformedArrow(`buffer ${index} at ${offset} is not aligned to 8 bytes`);
    this.#usedBytes += length;
    // Buffers that overlap would let a small body expand to endless data.
    if (this.#usedBytes > this.#body.length) throw new MalformedArrow(`buffer ${index} overlaps another one`);
    const bytes = this.#body.subarray(offset, offset + length);
    return this.#batch.compression === 'none' ? bytes : this.#unpack(bytes, index);
  }

  skip(count: number): void {
    this.#next += count;
  }

  /** Fails if the batch has buffers that no column used. */
  end(): void {
    if (this.#next !== this.#batch.bufferOffsets.length)
      throw new MalformedArrow(
        `the batch has ${this.#batch.bufferOffsets.length} buffers, the schema needs ${this.#next}`,
      );
  }

  #unpack(packed: Uint8Array, index: number): Uint8Array {
    if (packed.length < lengthPrefixBytes)
      throw new MalformedArrow(`compressed buffer ${index} is shorter than its length prefix`);
    const view = new DataView(packed.buffer, packed.byteOffset, lengthPrefixBytes);
    const announced = view.getBigInt64(0, true);
    const content = packed.subarray(lengthPrefixBytes);
    if (announced === -1n) return content;
    if (announced === 0n) return empty;
    const room = this.#unpackedBytesMax - this.#unpackedBytes;
    if (announced < 0n || announced > BigInt(room))
      throw new MalformedArrow(
        `buffer ${index} announces ${announced} bytes unpacked; a batch may have ${this.#unpackedBytesMax}. Send smaller batches`,
      );
    const length = Number(announced);
    this.#unpackedBytes += length;
    return this.#batch.compression === 'lz4'
      ? unpackLz4(content, length)
      : unpackZstdBuffer(content, length, index);
  }
}

/** LZ4 cannot pack better than 255 to 1, so that a large announcement needs some bytes behind it. */
function unpackLz4(content: Uint8Array, length: number): Uint8Array {
  if (length > content.length * 255 + 255)
    throw new MalformedArrow(`lz4: ${content.length} bytes cannot hold the announced ${length} bytes`);
  const output = new Uint8Array(length);
  decodeLz4Frame(content, output);
  return output;
}

function unpackZstdBuffer(content: Uint8Array, length: number, index: number): Uint8Array {
  try {
    return unpackZstd(content, length);
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    throw new MalformedArrow(`zstd: buffer ${index} cannot be unpacked: ${reason}`);
  }
}
