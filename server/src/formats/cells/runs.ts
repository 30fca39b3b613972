/** Which run holds a row, given the row after the last one of each run. */
export function runAt(ends: ArrayLike<number>, row: number): number {
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ends[middle] as number) > row) high = middle;
    else low = middle + 1;
  }
  return low;
}
