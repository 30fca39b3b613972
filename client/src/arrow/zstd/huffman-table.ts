import { BackwardBits } from './backward-bits.ts';
import { readFseTable } from './fse-table.ts';

/** For the next bits of a stream: the symbol that they begin with, and how many of them it takes. */
export interface HuffmanTable {
  readonly bitsMax: number;
  readonly symbols: Uint8Array;
  readonly bits: Uint8Array;
}

/** What the format allows. */
const bitsMaxMax = 11;
const weightAccuracyMax = 6;
const weightMax = 12;
const weightsMax = 255;

export function readHuffmanTable(
  bytes: Uint8Array,
  start: number,
): { readonly table: HuffmanTable; readonly end: number } {
  const size = bytes[start] as number;
  const first = start + 1;
  if (size < 128)
    return { table: huffmanTable(compressedWeights(bytes, first, first + size)), end: first + size };
  const count = size - 127;
  const weights = Array.from({ length: count }, (_, index) => {
    const pair = bytes[first + (index >> 1)] as number;
    return index % 2 === 0 ? pair >> 4 : pair & 15;
  });
  return { table: huffmanTable(weights), end: first + ((count + 1) >> 1) };
}

/** Two states take turns until the bits are used up. */
function compressedWeights(bytes: Uint8Array, start: number, end: number): number[] {
  const { table, end: tableEnd } = readFseTable(bytes, start, weightAccuracyMax, weightMax);
  const bits = new BackwardBits(bytes, tableEnd, end);
  const states = [bits.read(table.accuracyBits), bits.read(table.accuracyBits)] as [number, number];
  const weights: number[] = [];
  for (let turn: 0 | 1 = 0; ; turn = turn === 0 ? 1 : 0) {
    const state = states[turn];
    weights.push(table.symbols[state] as number);
    states[turn] = (table.bases[state] as number) + bits.read(table.bits[state] as number);
    if (bits.position < 0) {
      weights.push(table.symbols[states[turn === 0 ? 1 : 0]] as number);
      return weights;
    }
    if (weights.length > weightsMax) throw new RangeError('zstd: too many Huffman weights');
  }
}

/** The weight of the last symbol is what is missing to a power of two. */
function huffmanTable(given: readonly number[]): HuffmanTable {
  const sum = given.reduce((total, weight) => total + (weight === 0 ? 0 : 1 << (weight - 1)), 0);
  const bitsMax = 32 - Math.clz32(sum);
  const left = (1 << bitsMax) - sum;
  const lastWeight = 32 - Math.clz32(left);
  if (sum === 0 || bitsMax > bitsMaxMax || 1 << (lastWeight - 1) !== left)
    throw new RangeError('zstd: Huffman weights that do not fit');
  const weights = [...given, lastWeight];
  const symbols = new Uint8Array(1 << bitsMax);
  const bits = new Uint8Array(1 << bitsMax);
  let position = 0;
  for (let weight = 1; weight <= bitsMax; weight++)
    weights.forEach((each, symbol) => {
      if (each !== weight) return;
      const end = position + (1 << (weight - 1));
      symbols.fill(symbol, position, end);
      bits.fill(bitsMax + 1 - weight, position, end);
      position = end;
    });
  return { bitsMax, symbols, bits };
}

/** Fills a range of the output from one stream, which it must use up. */
export function decodeHuffman(
  table: HuffmanTable,
  stream: BackwardBits,
  output: Uint8Array,
  from: number,
  to: number,
): void {
  const { bitsMax, symbols, bits } = table;
  let { position } = stream;
  for (let at = from; at < to; at++) {
    const code = stream.at(position - bitsMax, bitsMax);
    output[at] = symbols[code] as number;
    position -= bits[code] as number;
  }
  if (position !== 0) throw new RangeError('zstd: a Huffman stream of another length');
}
