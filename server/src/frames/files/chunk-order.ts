import type { JoinableFile } from '../../ports/parquet-joiner.ts';

/** A column chunk of one of several files. */
export interface PlacedChunk {
  /** The number of the file, and of the chunk in it. */
  readonly file: number;
  readonly chunk: number;
  /** In that file. */
  readonly start: number;
  readonly bytes: number;
}

/** Above this many chunks the layout itself would be large: some 6 MB in memory. */
const chunksMax = 262_144;

/**
 * The order of column chunks in one file: all row groups of the first column, then of the second, and so on. Row groups are small, so that a chunk is too:
 * row group by row group, readers that want two columns would fetch what lies between them rather than send a request for each chunk. Very many chunks stay
 * in the order that they have.
 */
export function* chunkOrder(files: readonly JoinableFile[]): Generator<PlacedChunk, void, void> {
  const chunks = files.reduce((sum, file) => sum + file.chunks.length / 2, 0);
  const columns = files.reduce((most, file) => Math.max(most, columnsOf(file)), 0);
  if (chunks > chunksMax) {
    for (const [number, file] of files.entries())
      for (let chunk = 0; chunk < file.chunks.length / 2; chunk++) yield placed(number, file, chunk);
    return;
  }
  for (let column = 0; column < columns; column++)
    for (const [number, file] of files.entries())
      for (let group = 0; group < file.groups; group++) yield placed(number, file, group * columns + column);
}

function placed(number: number, { chunks }: JoinableFile, chunk: number): PlacedChunk {
  return { file: number, chunk, start: chunks[2 * chunk] as number, bytes: chunks[2 * chunk + 1] as number };
}

/** The same in all row groups: they have one schema. */
function columnsOf({ chunks, groups }: JoinableFile): number {
  return groups === 0 ? 0 : chunks.length / 2 / groups;
}
