/** Where messages of an Arrow file are, so that rows in its middle are found without reading what comes before them. */
export interface ArrowPositions {
  /** Of some batches, in order: how many rows come before each, and where its message begins. */
  readonly rowsBefore: Float64Array<ArrayBuffer>;
  readonly positions: Float64Array<ArrayBuffer>;
  /** Of all dictionaries, in order. null if there are too many to keep: then the file is read from its beginning. */
  readonly dictionaries: DictionaryPositions | null;
}

interface DictionaryPositions {
  readonly positions: Float64Array<ArrayBuffer>;
  readonly ids: BigInt64Array<ArrayBuffer>;
  /** 1 for those that add to the values before. */
  readonly deltas: Uint8Array<ArrayBuffer>;
}

/** Where to begin reading a file. */
export interface SeekPoint {
  /** Rows before the message at `position`. */
  readonly rows: number;
  readonly position: number;
  /** Messages with the dictionaries that are valid there. */
  readonly dictionaries: readonly number[];
}

/** The nearest known batch at or before a row; null if that is no better than the beginning of the file. */
export function seekPoint(
  { rowsBefore, positions, dictionaries }: ArrowPositions,
  row: number,
): SeekPoint | null {
  if (dictionaries === null) return null;
  let low = 0;
  let high = rowsBefore.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((rowsBefore[middle] as number) <= row) low = middle + 1;
    else high = middle;
  }
  // Batches without rows share their number with the next one: the last of them is right, too.
  const position = positions[low - 1];
  const rows = rowsBefore[low - 1];
  if (position === undefined || rows === undefined || rows === 0) return null;
  return { rows, position, dictionaries: validBefore(dictionaries, position) };
}

/** Of each dictionary its last values before the position, and what was added to them since. */
function validBefore({ positions, ids, deltas }: DictionaryPositions, position: number): number[] {
  const pieces = new Map<bigint, number[]>();
  for (let index = 0; index < positions.length && (positions[index] as number) < position; index++) {
    const id = ids[index] as bigint;
    const known = pieces.get(id);
    if (deltas[index] === 1 && known !== undefined) known.push(positions[index] as number);
    else pieces.set(id, [positions[index] as number]);
  }
  return [...pieces.values()].flat().sort((a, b) => a - b);
}

export function positionBytes({ rowsBefore, positions, dictionaries }: ArrowPositions): number {
  return rowsBefore.byteLength + positions.byteLength + 17 * (dictionaries?.positions.length ?? 0);
}
