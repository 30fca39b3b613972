/** Rows of a version, one after the other. */
export interface RowRange {
  readonly offset: number;
  readonly limit: number;
}

/** A border moves to the end of a part if that is at most this share of a range away: ranges stay about equal. */
const moveShareMax = 0.25;

/**
 * Cuts the rows of a version into ranges of about the same size, in order: as many as wanted, but none without rows. Only a version
 * without rows has one such range, so that there is always something to read its schema from. `partRows` are the rows of its parts:
 * a range that begins and ends with a part opens no other file, and its bytes are sent as they were put.
 */
export function rowRanges(rows: number, countMax: number, partRows: readonly number[]): readonly RowRange[] {
  const count = Math.max(1, Math.min(countMax, rows));
  const size = rows / count;
  const ends = endsOf(partRows);
  const ranges: RowRange[] = [];
  for (let index = 1, offset = 0; index <= count; index++) {
    const end = index === count ? rows : borderNear(index * size, ends, size);
    ranges.push({ offset, limit: end - offset });
    offset = end;
  }
  return ranges;
}

function endsOf(partRows: readonly number[]): Float64Array {
  const ends = new Float64Array(partRows.length);
  let end = 0;
  for (const [index, rows] of partRows.entries()) ends[index] = end += rows;
  return ends;
}

/** The nearest end of a part, or the row itself if none is near. */
function borderNear(row: number, ends: Float64Array, size: number): number {
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ends[middle] as number) < row) low = middle + 1;
    else high = middle;
  }
  const before = ends[low - 1] ?? Number.NEGATIVE_INFINITY;
  const after = ends[low] ?? Number.POSITIVE_INFINITY;
  const nearest = row - before <= after - row ? before : after;
  return Math.abs(nearest - row) <= size * moveShareMax ? nearest : Math.round(row);
}
