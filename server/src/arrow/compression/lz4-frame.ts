import { MalformedArrow } from '../malformed-arrow.ts';
import { xxhash32 } from './xxhash32.ts';

const magic = 0x184d2204;

/** Decodes one LZ4 frame into `output`, which it must fill exactly. Nothing is written or read outside either array. */
export function decodeLz4Frame(input: Uint8Array, output: Uint8Array): void {
  const view = new DataView(input.buffer, input.byteOffset, input.byteLength);
  if (input.length < 7 || view.getUint32(0, true) !== magic)
    throw new MalformedArrow('lz4: not an LZ4 frame');
  const flags = view.getUint8(4);
  if (flags >> 6 !== 1) throw new MalformedArrow(`lz4: frame version ${flags >> 6}`);
  if (flags & 1) throw new MalformedArrow('lz4: a frame that needs a dictionary');
  const blockChecksums = (flags & 16) !== 0;
  const contentSized = (flags & 8) !== 0;
  const contentChecksum = (flags & 4) !== 0;
  const descriptorEnd = contentSized ? 14 : 6;
  if (descriptorEnd >= input.length) throw cut();
  if (((xxhash32(input.subarray(4, descriptorEnd)) >>> 8) & 255) !== input[descriptorEnd])
    throw new MalformedArrow('lz4: the checksum of the frame header is wrong');
  if (contentSized && view.getBigUint64(6, true) !== BigInt(output.length)) throw wrongLength(output);

  let position = descriptorEnd + 1;
  let written = 0;
  for (;;) {
    if (position + 4 > input.length) throw cut();
    const size = view.getUint32(position, true);
    position += 4;
    if (size === 0) break;
    const block = input.subarray(position, position + (size & 0x7fffffff));
    position += size & 0x7fffffff;
    const end = position + (blockChecksums ? 4 : 0);
    if (end > input.length) throw cut();
    if (blockChecksums && view.getUint32(position, true) !== xxhash32(block))
      throw new MalformedArrow('lz4: the checksum of a block is wrong');
    position = end;
    written = size >>> 31 ? storeBlock(block, output, written) : decodeBlock(block, output, written);
  }
  if (written !== output.length) throw wrongLength(output);
  const end = position + (contentChecksum ? 4 : 0);
  if (end > input.length) throw cut();
  if (contentChecksum && view.getUint32(position, true) !== xxhash32(output))
    throw new MalformedArrow('lz4: the checksum of the content is wrong');
  if (end !== input.length) throw new MalformedArrow('lz4: there are bytes after the frame');
}

function storeBlock(block: Uint8Array, output: Uint8Array, start: number): number {
  if (start + block.length > output.length) throw wrongLength(output);
  output.set(block, start);
  return start + block.length;
}

/** Returns where the output ends. Matches may reach back into blocks before. */
function decodeBlock(block: Uint8Array, output: Uint8Array, start: number): number {
  const inputEnd = block.length;
  const outputEnd = output.length;
  let from = 0;
  let to = start;
  while (from < inputEnd) {
    const token = block[from++] as number;
    let literals = token >> 4;
    if (literals === 15) {
      let more = 255;
      while (more === 255) {
        if (from >= inputEnd) throw cut();
        more = block[from++] as number;
        literals += more;
      }
    }
    if (from + literals > inputEnd) throw cut();
    if (to + literals > outputEnd) throw wrongLength(output);
    if (literals > 32) output.set(block.subarray(from, from + literals), to);
    else for (let index = 0; index < literals; index++) output[to + index] = block[from + index] as number;
    from += literals;
    to += literals;
    if (from === inputEnd) return to;

    if (from + 2 > inputEnd) throw cut();
    const distance = (block[from] as number) | ((block[from + 1] as number) << 8);
    from += 2;
    if (distance === 0 || distance > to) throw new MalformedArrow('lz4: a match before the beginning');
    let length = (token & 15) + 4;
    if (length === 19) {
      let more = 255;
      while (more === 255) {
        if (from >= inputEnd) throw cut();
        more = block[from++] as number;
        length += more;
      }
    }
    if (to + length > outputEnd) throw wrongLength(output);
    copyMatch(output, to, distance, length);
    to += length;
  }
  throw cut();
}

function copyMatch(output: Uint8Array, to: number, distance: number, length: number): void {
  if (length <= 32) {
    for (let index = to, end = to + length; index < end; index++)
      output[index] = output[index - distance] as number;
    return;
  }
  if (distance === 1) {
    output.fill(output[to - 1] as number, to, to + length);
    return;
  }
  // If the match overlaps what it writes, the repeated pattern doubles with each copy.
  let done = 0;
  while (done < length) {
    const count = Math.min(distance + done, length - done);
    output.copyWithin(to + done, to - distance, to - distance + count);
    done += count;
  }
}

function cut(): MalformedArrow {
  return new MalformedArrow('lz4: the compressed bytes end too early');
}

function wrongLength(output: Uint8Array): MalformedArrow {
  return new MalformedArrow(`lz4: the content does not have the announced ${output.length} bytes`);
}
