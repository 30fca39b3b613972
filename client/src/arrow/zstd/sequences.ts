import { copyMatch } from '../copy-match.ts';
import { BackwardBits } from './backward-bits.ts';
import { type FseTable, fseTable, readFseTable, singleSymbol } from './fse-table.ts';

/** The tables of the block before, which a block may use again. */
export interface SequenceTables {
  literalLengths: FseTable | null;
  offsets: FseTable | null;
  matchLengths: FseTable | null;
}

/** What a code stands for: a base, and how many bits to add. */
interface Codes {
  readonly bases: readonly number[];
  readonly bits: readonly number[];
}

/** RFC 8878, 3.1.1.3.2.1.1 */
const literalLengthCodes = codesOf(
  16,
  0,
  [1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16],
  16,
);
const matchLengthCodes = codesOf(
  32,
  3,
  [1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16],
  35,
);
const offsetCodeMax = 31;

/** RFC 8878, 3.1.1.3.2.2: the tables of blocks that bring none. */
const usualLiteralLengths = fseTable(
  [
    4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1,
    -1, -1,
  ],
  6,
);
const usualMatchLengths = fseTable(
  [
    1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1,
  ],
  6,
);
const usualOffsets = fseTable(
  [1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1],
  5,
);

/** The first codes stand for themselves; those after them for ranges, each of which begins where the one before ends. */
function codesOf(plain: number, shift: number, rangeBits: readonly number[], firstBase: number): Codes {
  const bases = Array.from({ length: plain }, (_, code) => code + shift);
  const bits = bases.map(() => 0);
  let base = firstBase;
  for (const each of rangeBits) {
    bases.push(base);
    bits.push(each);
    base += 2 ** each;
  }
  return { bases, bits };
}

/** Three tables, each the usual one, a single symbol, a new one, or that of the block before. */
function readTables(bytes: Uint8Array, start: number, tables: SequenceTables): number {
  const modes = bytes[start] as number;
  let position = start + 1;
  const next = (
    mode: number,
    usual: FseTable,
    before: FseTable | null,
    accuracyMax: number,
    symbolMax: number,
  ) => {
    if (mode === 0) return usual;
    if (mode === 1) return singleSymbol(bytes[position++] as number);
    if (mode === 2) {
      const { table, end } = readFseTable(bytes, position, accuracyMax, symbolMax);
      position = end;
      return table;
    }
    if (before === null) throw new RangeError('zstd: a table to be used again that was never there');
    return before;
  };
  tables.literalLengths = next(modes >> 6, usualLiteralLengths, tables.literalLengths, 9, 35);
  tables.offsets = next((modes >> 4) & 3, usualOffsets, tables.offsets, 8, offsetCodeMax);
  tables.matchLengths = next((modes >> 2) & 3, usualMatchLengths, tables.matchLengths, 9, 52);
  return position;
}

export interface SequenceInput {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
  readonly literals: Uint8Array;
}

/** Writes the content of a block: literals and matches in turn. Returns where the output ends. */
export function decodeSequences(
  { bytes, start, end, literals }: SequenceInput,
  tables: SequenceTables,
  recentOffsets: [number, number, number],
  output: Uint8Array,
  outputStart: number,
): number {
  let position = start;
  let count = bytes[position++] as number;
  if (count === 255) {
    count = (bytes[position] as number) + ((bytes[position + 1] as number) << 8) + 0x7f00;
    position += 2;
  } else if (count >= 128) count = ((count - 128) << 8) + (bytes[position++] as number);
  let to = outputStart;
  let literal = 0;
  if (count > 0) {
    position = readTables(bytes, position, tables);
    const { literalLengths, offsets, matchLengths } = tables as { [Name in keyof SequenceTables]: FseTable };
    const bits = new BackwardBits(bytes, position, end);
    let literalState = bits.read(literalLengths.accuracyBits);
    let offsetState = bits.read(offsets.accuracyBits);
    let matchState = bits.read(matchLengths.accuracyBits);
    for (let left = count; left > 0; left--) {
      const offsetCode = offsets.symbols[offsetState] as number;
      const matchCode = matchLengths.symbols[matchState] as number;
      const literalCode = literalLengths.symbols[literalState] as number;
      if (offsetCode > offsetCodeMax || matchCode > 52 || literalCode > 35) throw outside();
      const offsetValue = 2 ** offsetCode + bits.read(offsetCode);
      const matchLength =
        (matchLengthCodes.bases[matchCode] as number) + bits.read(matchLengthCodes.bits[matchCode] as number);
      const literalLength =
        (literalLengthCodes.bases[literalCode] as number) +
        bits.read(literalLengthCodes.bits[literalCode] as number);
      const offset = offsetOf(offsetValue, literalLength, recentOffsets);
      if (left > 1) {
        literalState = nextState(literalLengths, literalState, bits);
        matchState = nextState(matchLengths, matchState, bits);
        offsetState = nextState(offsets, offsetState, bits);
      }
      const matchStart = to + literalLength;
      if (literal + literalLength > literals.length || matchStart + matchLength > output.length)
        throw outside();
      if (offset === 0 || offset > matchStart) throw outside();
      copyLiterals(literals, literal, literalLength, output, to);
      literal += literalLength;
      copyMatch(output, matchStart, offset, matchLength);
      to = matchStart + matchLength;
    }
    if (bits.position !== 0) throw outside();
  }
  const rest = literals.length - literal;
  if (to + rest > output.length) throw outside();
  copyLiterals(literals, literal, rest, output, to);
  return to + rest;
}

function nextState({ bases, bits: counts }: FseTable, state: number, bits: BackwardBits): number {
  return (bases[state] as number) + bits.read(counts[state] as number);
}

/** Small values mean one of the three offsets used last; without literals before it, the one after that. */
function offsetOf(value: number, literalLength: number, recent: [number, number, number]): number {
  if (value > 3) {
    const offset = value - 3;
    recent[2] = recent[1];
    recent[1] = recent[0];
    recent[0] = offset;
    return offset;
  }
  const place = value - (literalLength === 0 ? 0 : 1);
  if (place === 0) return recent[0];
  const offset = place === 3 ? recent[0] - 1 : (recent[place as 1 | 2] as number);
  if (place > 1) recent[2] = recent[1];
  recent[1] = recent[0];
  recent[0] = offset;
  return offset;
}

function copyLiterals(
  literals: Uint8Array,
  from: number,
  count: number,
  output: Uint8Array,
  to: number,
): void {
  if (count > 16) output.set(literals.subarray(from, from + count), to);
  else for (let index = 0; index < count; index++) output[to + index] = literals[from + index] as number;
}

function outside(): RangeError {
  return new RangeError('zstd: a sequence leads outside of the content');
}
