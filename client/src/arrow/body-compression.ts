import { unreadableAnswer } from '../errors.ts';
import { decodeLz4Frame } from './lz4-frame.ts';
import type { BatchBody } from './messages.ts';

/** More than this is no batch that a browser can hold. Buffers say their length before they are decompressed. */
const bodyBytesMax = 2 ** 32;

/** A page draws about every 16 ms; it gets a turn between two buffers. */
const turnMs = 8;

type Decoder = (input: Uint8Array, outputBytes: number) => Uint8Array;

/** The same batch with plain buffers. Frames are sent as they are stored, and their buffers may be compressed. */
export async function decompressBody(batch: BatchBody): Promise<BatchBody> {
  if (batch.codec === 'none') return batch;
  const decode = batch.codec === 'lz4' ? decodeLz4Frame : await zstdDecoder();
  try {
    return await plainBody(batch, decode);
  } catch (thrown) {
    throw unreadableAnswer(
      `A batch compressed with ${batch.codec} cannot be decompressed.`,
      'Repeat the request; if it fails again, read the frame in another format, such as fmt=csv.',
      thrown,
    );
  }
}

async function plainBody(batch: BatchBody, decode: Decoder): Promise<BatchBody> {
  const { bytes, regions } = batch;
  const buffers: Uint8Array[] = [];
  const plainRegions: number[] = [];
  let end = 0;
  let turnEndMs = performance.now() + turnMs;
  for (let index = 0; index < regions.length; index += 2) {
    const start = regions[index] as number;
    const length = regions[index + 1] as number;
    const buffer =
      length === 0 ? new Uint8Array(0) : plainBuffer(bytes.subarray(start, start + length), decode);
    buffers.push(buffer);
    plainRegions.push(end, buffer.length);
    end = Math.ceil((end + buffer.length) / 8) * 8;
    if (end > bodyBytesMax) throw new RangeError('a batch that is too large');
    if (performance.now() > turnEndMs) {
      await new Promise((resolve) => setTimeout(resolve, 0));
      turnEndMs = performance.now() + turnMs;
    }
  }
  const plain = new Uint8Array(end);
  buffers.forEach((buffer, index) => {
    plain.set(buffer, plainRegions[index * 2] as number);
  });
  return { ...batch, bytes: plain, regions: plainRegions, codec: 'none' };
}

function plainBuffer(buffer: Uint8Array, decode: Decoder): Uint8Array {
  const length = new DataView(buffer.buffer, buffer.byteOffset).getBigInt64(0, true);
  const content = buffer.subarray(8);
  // Compressing it would have made it longer.
  if (length === -1n) return content;
  if (length < 0n || length > BigInt(bodyBytesMax)) throw new RangeError(`a buffer of ${length} bytes`);
  return decode(content, Number(length));
}

interface Zlib {
  zstdDecompressSync?(input: Uint8Array, options: { maxOutputLength: number }): Uint8Array;
}

/** Node's own is faster; elsewhere ours is loaded when it is first needed. */
async function zstdDecoder(): Promise<Decoder> {
  const { process } = globalThis as { process?: { getBuiltinModule?(name: string): Zlib | undefined } };
  const zlib = process?.getBuiltinModule?.('node:zlib');
  const native = zlib?.zstdDecompressSync;
  if (native !== undefined)
    return (input, outputBytes) => {
      const output = native(input, { maxOutputLength: Math.max(outputBytes, 1) });
      if (output.length !== outputBytes) throw new RangeError('a buffer of another length than it says');
      return output;
    };
  const { decodeZstd } = await import('./zstd/decode-zstd.ts');
  return decodeZstd;
}
