/** Typing errors: at most two letters. */
const distanceMax = 2;

/** " Did you mean …?" if a known name is at most two letters away, else nothing. */
export function suggest(name: string, known: readonly string[]): string {
  const near = nearestName(name, known);
  return near === undefined ? '' : ` Did you mean ${near}?`;
}

/** The known name that takes the fewest letters to add, remove or replace, if they are at most two. */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = distanceMax + 1;
  for (const candidate of known) {
    const distance = editDistance(name, candidate);
    if (distance >= bestDistance) continue;
    best = candidate;
    bestDistance = distance;
  }
  return best;
}

/**
 * Letters to add, remove or replace to get from one to the other; more than `distanceMax` all count as one more. Only cells at most
 * `distanceMax` from the diagonal are computed, so the work grows with the length and not with its square.
 */
function editDistance(from: string, to: string): number {
  const tooFar = distanceMax + 1;
  if (Math.abs(from.length - to.length) > distanceMax) return tooFar;
  let row = new Uint8Array(to.length + 1).fill(tooFar);
  let next = new Uint8Array(to.length + 1).fill(tooFar);
  for (let column = 0; column <= Math.min(distanceMax, to.length); column++) row[column] = column;
  for (let line = 1; line <= from.length; line++) {
    const first = Math.max(0, line - distanceMax);
    const last = Math.min(to.length, line + distanceMax);
    // Left of these is what an earlier line has written.
    if (first > 0) next[first - 1] = tooFar;
    for (let column = first; column <= last; column++) {
      const replaced = (row[column - 1] ?? tooFar) + (from[line - 1] === to[column - 1] ? 0 : 1);
      const removed = (row[column] ?? tooFar) + 1;
      const added = (next[column - 1] ?? tooFar) + 1;
      next[column] = Math.min(replaced, removed, added, tooFar);
    }
    [row, next] = [next, row];
  }
  return row[to.length] ?? tooFar;
}
