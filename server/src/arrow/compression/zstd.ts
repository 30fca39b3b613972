import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

/** zlib's own minimum; and a chunk that is worth a call, but not the whole size that an untrusted sender announced. */
const chunkBytesMin = 64;
const chunkBytesMax = 1024 * 1024;

/** One frame that must give exactly `length` bytes and use all of its own. */
export function unpackZstd(content: Uint8Array, length: number): Uint8Array {
  const chunkSize = Math.min(Math.max(length, chunkBytesMin), chunkBytesMax);
  // With `info`, which the types do not know, it also returns how many bytes it read.
  const { buffer, engine } = zstdDecompressSync(content, {
    maxOutputLength: Math.max(1, length),
    chunkSize,
    info: true,
  } as never) as unknown as {
    readonly buffer: Uint8Array;
    readonly engine: { readonly bytesWritten: number };
  };
  if (buffer.length !== length)
    throw new RangeError(`${buffer.length} bytes came out, ${length} were announced`);
  if (engine.bytesWritten !== content.length) throw new RangeError('there are bytes after the frame');
  return buffer;
}

/** One frame. Levels are 1 to 22; the frame says how long its content is, which some readers want to know before. */
export function packZstd(bytes: Uint8Array, level: number): Uint8Array {
  return zstdCompressSync(bytes, {
    params: { [constants.ZSTD_c_compressionLevel]: level },
    pledgedSrcSize: bytes.length,
    chunkSize: Math.min(Math.max(bytes.length, chunkBytesMin), chunkBytesMax),
  });
}
