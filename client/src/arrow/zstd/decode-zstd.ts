import { BackwardBits } from './backward-bits.ts';
import { decodeHuffman, type HuffmanTable, readHuffmanTable } from './huffman-table.ts';
import { decodeSequences, type SequenceTables } from './sequences.ts';

const magic = 0xfd2f_b528;
const blockBytesMax = 128 * 1024;
const dictionaryIdBytes = [0, 1, 2, 4] as const;

/** What a block may use of those before it. */
interface Memory extends SequenceTables {
  huffman: HuffmanTable | null;
  readonly recentOffsets: [number, number, number];
}

/** Decodes one zstd frame (RFC 8878) of a known length, without a dictionary. A checksum is passed over: the server compared it. */
export function decodeZstd(input: Uint8Array, outputBytes: number): Uint8Array {
  const view = new DataView(input.buffer, input.byteOffset, input.byteLength);
  if (input.length < 6 || view.getUint32(0, true) !== magic) throw new RangeError('zstd: not a frame');
  const descriptor = input[4] as number;
  const isSingleSegment = (descriptor & 32) !== 0;
  const sizeFlag = descriptor >> 6;
  const sizeBytes = sizeFlag === 0 ? (isSingleSegment ? 1 : 0) : 1 << sizeFlag;
  let position = 5 + (isSingleSegment ? 0 : 1) + (dictionaryIdBytes[descriptor & 3] as number) + sizeBytes;
  const output = new Uint8Array(outputBytes);
  const memory: Memory = {
    huffman: null,
    literalLengths: null,
    offsets: null,
    matchLengths: null,
    recentOffsets: [1, 4, 8],
  };
  let written = 0;
  for (let isLast = false; !isLast; ) {
    if (position + 3 > input.length) throw cut();
    const header = view.getUint16(position, true) | ((input[position + 2] as number) << 16);
    position += 3;
    isLast = (header & 1) === 1;
    const kind = (header >> 1) & 3;
    const size = header >> 3;
    const end = position + (kind === 1 ? 1 : size);
    if (end > input.length) throw cut();
    if (kind === 3 || (kind === 2 && size > blockBytesMax)) throw new RangeError('zstd: not a block');
    if (kind !== 2 && written + size > outputBytes) throw new RangeError('zstd: more content than announced');
    if (kind === 2) written = decodeBlock(input, position, end, memory, output, written);
    else {
      if (kind === 0) output.set(input.subarray(position, end), written);
      else output.fill(input[position] as number, written, written + size);
      written += size;
    }
    position = end;
  }
  if (written !== outputBytes) throw new RangeError('zstd: less content than announced');
  return output;
}

function decodeBlock(
  bytes: Uint8Array,
  start: number,
  end: number,
  memory: Memory,
  output: Uint8Array,
  outputStart: number,
): number {
  const { literals, next } = readLiterals(bytes, start, end, memory);
  if (next >= end) throw cut();
  return decodeSequences(
    { bytes, start: next, end, literals },
    memory,
    memory.recentOffsets,
    output,
    outputStart,
  );
}

interface Literals {
  readonly literals: Uint8Array;
  /** Where the sequences begin. */
  readonly next: number;
}

function readLiterals(bytes: Uint8Array, start: number, end: number, memory: Memory): Literals {
  const [first = 0, second = 0, third = 0, fourth = 0, fifth = 0] = bytes.subarray(start, start + 5);
  const kind = first & 3;
  const sizeFormat = (first >> 2) & 3;
  if (kind < 2) {
    const headerBytes = sizeFormat === 1 ? 2 : sizeFormat === 3 ? 3 : 1;
    const size =
      headerBytes === 1 ? first >> 3 : (first >> 4) | (second << 4) | (headerBytes === 3 ? third << 12 : 0);
    const from = start + headerBytes;
    if (size > blockBytesMax || from + (kind === 0 ? size : 1) > end) throw cut();
    if (kind === 0) return { literals: bytes.subarray(from, from + size), next: from + size };
    return { literals: new Uint8Array(size).fill(bytes[from] as number), next: from + 1 };
  }
  let headerBytes = 3;
  let size = (first >> 4) | ((second & 63) << 4);
  let compressed = (second >> 6) | (third << 2);
  if (sizeFormat === 2) {
    headerBytes = 4;
    size = (first >> 4) | (second << 4) | ((third & 3) << 12);
    compressed = (third >> 2) | (fourth << 6);
  } else if (sizeFormat === 3) {
    headerBytes = 5;
    size = (first >> 4) | (second << 4) | ((third & 63) << 12);
    compressed = (third >> 6) | (fourth << 2) | (fifth << 10);
  }
  const next = start + headerBytes + compressed;
  if (size > blockBytesMax || next > end) throw cut();
  let from = start + headerBytes;
  if (kind === 2) {
    const { table, end: tableEnd } = readHuffmanTable(bytes, from);
    memory.huffman = table;
    from = tableEnd;
  }
  if (memory.huffman === null)
    throw new RangeError('zstd: a Huffman table to be used again that was never there');
  const streams = sizeFormat === 0 ? 1 : 4;
  return { literals: huffmanLiterals(bytes, from, next, size, streams, memory.huffman), next };
}

/** One stream, or four that have a quarter of the literals each; the lengths of the first three come before them. */
function huffmanLiterals(
  bytes: Uint8Array,
  start: number,
  end: number,
  size: number,
  streams: 1 | 4,
  table: HuffmanTable,
): Uint8Array {
  const literals = new Uint8Array(size);
  if (streams === 1) {
    decodeHuffman(table, new BackwardBits(bytes, start, end), literals, 0, size);
    return literals;
  }
  const quarter = (size + 3) >> 2;
  let from = start + 6;
  for (let stream = 0; stream < 4; stream++) {
    const length = (bytes[start + stream * 2] as number) | ((bytes[start + stream * 2 + 1] as number) << 8);
    const to = stream === 3 ? end : from + length;
    if (to > end) throw cut();
    const first = Math.min(quarter * stream, size);
    const last = stream === 3 ? size : Math.min(quarter * (stream + 1), size);
    decodeHuffman(table, new BackwardBits(bytes, from, to), literals, first, last);
    from = to;
  }
  return literals;
}

function cut(): RangeError {
  return new RangeError('zstd: the bytes end too early');
}
