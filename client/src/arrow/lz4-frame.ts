import { copyMatch } from './copy-match.ts';

const magic = 0x184d2204;

/** Decodes one LZ4 frame of a known length. Checksums are passed over: the server compared them when the frame was put. */
export function decodeLz4Frame(input: Uint8Array, outputBytes: number): Uint8Array {
  const view = new DataView(input.buffer, input.byteOffset, input.byteLength);
  if (view.getUint32(0, true) !== magic) throw new RangeError('lz4: not a frame');
  const flags = view.getUint8(4);
  const blockChecksumBytes = (flags & 16) !== 0 ? 4 : 0;
  const contentSizeBytes = (flags & 8) !== 0 ? 8 : 0;
  const output = new Uint8Array(outputBytes);
  let position = 7 + contentSizeBytes;
  let written = 0;
  for (;;) {
    const size = view.getUint32(position, true);
    position += 4;
    if (size === 0) break;
    const blockBytes = size & 0x7fff_ffff;
    const block = input.subarray(position, position + blockBytes);
    if (block.length < blockBytes) throw new RangeError('lz4: the bytes end too early');
    position += blockBytes + blockChecksumBytes;
    if (size >>> 31 === 0) written = decodeBlock(block, output, written);
    else {
      output.set(block, written);
      written += blockBytes;
    }
  }
  if (written !== outputBytes) throw wrongLength();
  return output;
}

/** Returns where the output ends. Matches may reach back into earlier blocks. */
function decodeBlock(block: Uint8Array, output: Uint8Array, start: number): number {
  let from = 0;
  let to = start;
  const longer = (length: number): number => {
    let total = length;
    for (let more = 255; more === 255; total += more) {
      const byte = block[from++];
      if (byte === undefined) throw new RangeError('lz4: the bytes end too early');
      more = byte;
    }
    return total;
  };
  while (from < block.length) {
    const token = block[from++] as number;
    const literals = token >> 4 === 15 ? longer(15) : token >> 4;
    if (from + literals > block.length || to + literals > output.length) throw wrongLength();
    output.set(block.subarray(from, from + literals), to);
    from += literals;
    to += literals;
    if (from === block.length) break;
    const distance = (block[from] as number) | ((block[from + 1] ?? 0) << 8);
    from += 2;
    const length = ((token & 15) === 15 ? longer(15) : token & 15) + 4;
    if (distance === 0 || distance > to || to + length > output.length) throw wrongLength();
    copyMatch(output, to, distance, length);
    to += length;
  }
  return to;
}

function wrongLength(): RangeError {
  return new RangeError('lz4: the content does not have the announced length');
}
