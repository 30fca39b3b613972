import { Buffer } from 'node:buffer';
import { type FileHandle, open } from 'node:fs/promises';
import { FlatBuffer, type FlatTable } from '../arrow/ipc/flatbuffer.ts';
import { headerBytesOf, prefixBytes } from '../arrow/ipc/framing.ts';
import { type MessageKind, messageBodyBytes, messageKind } from '../arrow/ipc/message.ts';
import { encodeSchema } from '../arrow/ipc/schema-encoder.ts';
import { parseSchema } from '../arrow/ipc/schema-parser.ts';
import { MalformedArrow } from '../arrow/malformed-arrow.ts';
import { StreamFile } from '../arrow/stream-file.ts';
import type { DecodeRequest } from '../ports/codec.ts';

const magic = Buffer.from('ARROW1');
/** The magic at the beginning is padded. */
const headBytes = 8;
/** Behind the footer: its length and the magic again. */
const tailBytes = 10;
/** Schema and a block of 24 bytes per batch: enough for a million batches. */
const footerBytesMax = 64 * 1024 * 1024;
const blockBytes = 24;
/** Of a body that is copied: large enough for a disk, small beside the batches in memory. */
const copyBytes = 4 * 1024 * 1024;

interface Block {
  readonly position: number;
  readonly headerBytes: number;
  readonly bodyBytes: number;
}

/** An Arrow file (Feather version 2) as an Arrow stream: the same messages in the order of its footer, dictionaries first, nothing decoded. */
export async function decodeArrowFile(request: DecodeRequest, signal: AbortSignal): Promise<void> {
  await using file = await open(request.source);
  const { size } = await file.stat();
  const { footer, footerPosition } = await readFooter(file, size);
  const schemaTable = footer.table(1);
  if (schemaTable === null) throw new MalformedArrow('the footer has no schema');
  const dictionaries = blocksOf(footer, 2);
  const batches = blocksOf(footer, 3);
  checkBlocks([...dictionaries, ...batches], footerPosition);
  await using target = await StreamFile.create(
    request.target,
    encodeSchema(parseSchema(schemaTable)),
    request.targetBytesMax,
  );
  for (const block of dictionaries) await copyMessage(file, block, 'dictionary', target, signal);
  for (const block of batches) await copyMessage(file, block, 'record-batch', target, signal);
  await target.end();
}

async function readFooter(
  file: FileHandle,
  size: number,
): Promise<{ footer: FlatTable; footerPosition: number }> {
  const head = await readExactly(file, 0, Math.min(size, headBytes));
  if (size < headBytes + tailBytes || !head.subarray(0, magic.length).equals(magic))
    throw new MalformedArrow('a file begins with ARROW1');
  const tail = await readExactly(file, size - tailBytes, tailBytes);
  if (!tail.subarray(4).equals(magic)) throw new MalformedArrow('it does not end with ARROW1: it may be cut');
  const footerBytes = tail.readInt32LE(0);
  const footerPosition = size - tailBytes - footerBytes;
  if (footerBytes <= 0 || footerBytes > footerBytesMax || footerPosition < headBytes)
    throw new MalformedArrow(`a footer of ${footerBytes} bytes`);
  const bytes = await readExactly(file, footerPosition, footerBytes);
  return { footer: new FlatBuffer(bytes).root(), footerPosition };
}

function blocksOf(footer: FlatTable, slot: number): Block[] {
  const vector = footer.vector(slot, blockBytes);
  const blocks: Block[] = [];
  for (let index = 0; index < (vector?.length ?? 0); index++) {
    const start = (vector?.start ?? 0) + index * blockBytes;
    blocks.push({
      position: footer.buffer.safeInteger(start),
      headerBytes: footer.buffer.view.getInt32(start + 8, true),
      bodyBytes: footer.buffer.safeInteger(start + 16),
    });
  }
  return blocks;
}

/** Blocks lie apart from one another inside the file: a small file must not become a large stream. */
function checkBlocks(blocks: readonly Block[], end: number): void {
  let free = headBytes;
  for (const block of blocks.toSorted((a, b) => a.position - b.position)) {
    const { position, headerBytes, bodyBytes } = block;
    if (headerBytes > footerBytesMax)
      throw new MalformedArrow(`the footer names a header of ${headerBytes} bytes`);
    if (headerBytes < prefixBytes || bodyBytes < 0 || position + headerBytes + bodyBytes > end)
      throw new MalformedArrow(`the footer names a block outside the file, at byte ${position}`);
    if (position < free) throw new MalformedArrow(`the footer names blocks that overlap at byte ${position}`);
    free = position + headerBytes + bodyBytes;
  }
}

async function copyMessage(
  file: FileHandle,
  block: Block,
  kind: MessageKind,
  target: StreamFile,
  signal: AbortSignal,
): Promise<void> {
  const framed = await readExactly(file, block.position, block.headerBytes);
  const headerBytes = headerBytesOf(new DataView(framed.buffer, framed.byteOffset, framed.length), 0);
  const header = framed.subarray(prefixBytes, prefixBytes + headerBytes);
  if (prefixBytes + headerBytes > block.headerBytes || headerBytes === 0)
    throw new MalformedArrow(`the message at byte ${block.position} is longer than its block`);
  if (messageKind(header) !== kind || messageBodyBytes(header) !== block.bodyBytes)
    throw new MalformedArrow(`the message at byte ${block.position} is not what the footer says`);
  await target.header(header);
  const bodyPosition = block.position + block.headerBytes;
  for (let done = 0; done < block.bodyBytes; done += copyBytes) {
    signal.throwIfAborted();
    await target.bytes(
      await readExactly(file, bodyPosition + done, Math.min(copyBytes, block.bodyBytes - done)),
    );
  }
}

async function readExactly(file: FileHandle, position: number, byteCount: number): Promise<Buffer> {
  const bytes = Buffer.from(new ArrayBuffer(byteCount));
  let filled = 0;
  while (filled < byteCount) {
    const { bytesRead } = await file.read(bytes, filled, byteCount - filled, position + filled);
    if (bytesRead === 0) throw new MalformedArrow('the file is cut');
    filled += bytesRead;
  }
  return bytes;
}
