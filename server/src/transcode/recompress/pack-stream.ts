import { type FileHandle, open, rm } from 'node:fs/promises';
import { encodeDictionaryHeader, encodeRecordBatchHeader } from '../../arrow/batches/batch-encoder.ts';
import { BodyBuffers, unpackedBytesMaxDefault } from '../../arrow/batches/body-buffers.ts';
import { packZstd } from '../../arrow/compression/zstd.ts';
import { fileSource } from '../../arrow/ipc/file-source.ts';
import { endOfStream, frameHeader } from '../../arrow/ipc/framing.ts';
import {
  type BatchHeader,
  type DictionaryMessage,
  parseMessage,
  type RecordBatchMessage,
} from '../../arrow/ipc/message.ts';
import { type FramedMessage, MessageReader, readBody } from '../../arrow/ipc/message-reader.ts';
import type { PackRequest, Written } from '../../ports/codec.ts';
import { verifyHash } from '../verify-hash.ts';
import { HashedFile } from './hashed-file.ts';

/**
 * A compressed batch must be read whole, where a plain one gives single rows: what is larger than this stays plain, so that its first rows stay
 * cheap. It also bounds what packing holds.
 */
const bodyBytesMax = 64 * 1024 * 1024;
/** A single call compresses a whole buffer and cannot be broken off: above this level it may take half a minute, for very little. */
const levelMax = 9;
const lengthPrefixBytes = 8;
const alignment = 8;
const storedPlain = -1n;

/**
 * Copies an Arrow stream with each buffer of its batches and dictionaries compressed, and compares the copy with the source, buffer by
 * buffer. Everything else stays as it is: schema, dictionary ids and deltas, nodes, metadata. Null, and no file, if the copy is
 * larger than `bytesMax`.
 */
export async function packStream(request: PackRequest, signal: AbortSignal): Promise<Written | null> {
  await verifyHash(request.source, request.sha256, signal);
  await rm(request.target, { force: true });
  let kept = false;
  try {
    const written = await writePacked(request, signal);
    if (written.bytes > request.bytesMax) return null;
    await comparePacked(request, signal);
    kept = true;
    return written;
  } finally {
    if (!kept) await rm(request.target, { force: true });
  }
}

async function writePacked(request: PackRequest, signal: AbortSignal): Promise<Written> {
  await using source = await open(request.source);
  await using target = await open(request.target, 'wx');
  const copy = new HashedFile(target);
  const reader = new MessageReader(fileSource(source));
  for (let message = await reader.next(); message !== null; message = await reader.next()) {
    signal.throwIfAborted();
    const parsed = parseMessage(message.header);
    const packed =
      parsed.kind !== 'schema' && isPackable(parsed.batch, message.bodyBytes)
        ? packMessage(parsed, await readBody(message), Math.min(request.level, levelMax))
        : null;
    if (packed === null) {
      await copy.write(frameHeader(message.header));
      for await (const piece of bodyPieces(source, message)) await copy.write(piece);
    } else for (const piece of packed) await copy.write(piece);
  }
  await copy.write(endOfStream);
  return await copy.end();
}

/** Format version 4 knows no compression. */
function isPackable(batch: BatchHeader, bodyBytes: number): boolean {
  return (
    batch.compression === 'none' && batch.metadataVersion === 5 && bodyBytes > 0 && bodyBytes <= bodyBytesMax
  );
}

/** Header and body, or null if the body would not get smaller. */
function packMessage(
  message: RecordBatchMessage | DictionaryMessage,
  body: Uint8Array,
  level: number,
): Uint8Array[] | null {
  const { batch } = message;
  const pieces: Uint8Array[] = [];
  const buffers: { offset: number; length: number }[] = [];
  let bodyBytes = 0;
  for (const [index, start] of batch.bufferOffsets.entries()) {
    const length = batch.bufferLengths[index] as number;
    const packed = length === 0 ? [] : packBuffer(body.subarray(start, start + length), level);
    const packedBytes = packed.reduce((sum, piece) => sum + piece.length, 0);
    const padding = (alignment - (packedBytes % alignment)) % alignment;
    buffers.push({ offset: bodyBytes, length: packedBytes });
    pieces.push(...packed, new Uint8Array(padding));
    bodyBytes += packedBytes + padding;
  }
  if (bodyBytes >= body.length) return null;
  const nodes = [...batch.nodeLengths].map((length, index) => ({
    length,
    nullCount: batch.nodeNullCounts[index] as number,
  }));
  const layout = {
    length: batch.length,
    nodes,
    buffers,
    variadicCounts: [...batch.variadicCounts],
    bodyBytes,
    compression: 'zstd',
  } as const;
  const header =
    message.kind === 'dictionary'
      ? encodeDictionaryHeader(message.id, message.delta, layout, message.metadata)
      : encodeRecordBatchHeader(layout, message.metadata);
  return [frameHeader(header), ...pieces];
}

/** A buffer behind its length, compressed if that pays. */
function packBuffer(bytes: Uint8Array, level: number): Uint8Array[] {
  const packed = packZstd(bytes, level);
  const isSmaller = packed.length < bytes.length;
  const prefix = new Uint8Array(lengthPrefixBytes);
  new DataView(prefix.buffer).setBigInt64(0, isSmaller ? BigInt(bytes.length) : storedPlain, true);
  return [prefix, isSmaller ? packed : bytes];
}

/** Reads what was written and fails unless every message says the same as its source. */
async function comparePacked(request: PackRequest, signal: AbortSignal): Promise<void> {
  await using source = await open(request.source);
  await using target = await open(request.target);
  const before = new MessageReader(fileSource(source));
  const after = new MessageReader(fileSource(target));
  for (;;) {
    signal.throwIfAborted();
    const message = await before.next();
    const copy = await after.next();
    if (message === null && copy === null) return;
    if (message === null || copy === null) throw different('the number of messages');
    if (Buffer.compare(message.header, copy.header) === 0) await compareBodies(source, message, target, copy);
    else await compareBatches(message, copy);
  }
}

async function compareBodies(
  source: FileHandle,
  message: FramedMessage,
  target: FileHandle,
  copy: FramedMessage,
): Promise<void> {
  const others = bodyPieces(target, copy);
  for await (const piece of bodyPieces(source, message)) {
    const other = await others.next();
    if (other.done || Buffer.compare(piece, other.value) !== 0) throw different('a body');
  }
}

async function compareBatches(message: FramedMessage, copy: FramedMessage): Promise<void> {
  const a = parseMessage(message.header);
  const b = parseMessage(copy.header);
  if (a.kind === 'schema' || b.kind === 'schema' || shown(a) !== shown(b)) throw different('a header');
  const buffers = new BodyBuffers(a.batch, await readBody(message), unpackedBytesMaxDefault);
  const others = new BodyBuffers(b.batch, await readBody(copy), unpackedBytesMaxDefault);
  for (let index = 0; index < a.batch.bufferOffsets.length; index++)
    if (Buffer.compare(buffers.take(), others.take()) !== 0) throw different('a buffer');
  others.end();
}

/** All that a header says, but where its buffers are and whether they are compressed. */
function shown(message: RecordBatchMessage | DictionaryMessage): string {
  const { length, nodeLengths, nodeNullCounts, bufferOffsets, variadicCounts, metadataVersion } =
    message.batch;
  const dictionary = message.kind === 'dictionary' ? [String(message.id), message.delta] : null;
  return JSON.stringify([
    message.metadata,
    dictionary,
    metadataVersion,
    length,
    [...nodeLengths],
    [...nodeNullCounts],
    [...variadicCounts],
    bufferOffsets.length,
  ]);
}

function different(what: string): Error {
  return new Error(`an Arrow stream that was compressed differs in ${what}`);
}

/** So much of a body that is only copied is held at once. */
const copyBytes = 4 * 1024 * 1024;

async function* bodyPieces(
  file: FileHandle,
  { bodyPosition, bodyBytes }: FramedMessage,
): AsyncGenerator<Uint8Array, void, void> {
  const source = fileSource(file);
  for (let done = 0; done < bodyBytes; ) {
    const piece = new Uint8Array(Math.min(copyBytes, bodyBytes - done));
    for (let filled = 0; filled < piece.length; ) {
      const count = await source.read(piece.subarray(filled), bodyPosition + done + filled);
      if (count === 0) throw new Error('an Arrow stream ends inside a body');
      filled += count;
    }
    yield piece;
    done += piece.length;
  }
}
