/** Bins of a histogram: as many as a small chart can show. */
const binsMax = 24;

/**
 * The upper ends of bins of equal width between two whole numbers, which are exact: nothing passes through a double. At most one bin for each
 * number. The last end is `max`.
 */
export function wholeEdges(min: bigint, max: bigint): bigint[] {
  const span = max - min;
  if (span < BigInt(binsMax))
    return Array.from({ length: Number(span) + 1 }, (_, step) => min + BigInt(step));
  return Array.from({ length: binsMax }, (_, bin) => min + (span * BigInt(bin + 1)) / BigInt(binsMax));
}

/** The same between two finite doubles. Ends that cannot be told apart are one. */
export function doubleEdges(min: number, max: number): number[] {
  const ends = new Set<number>();
  for (let bin = 1; bin < binsMax; bin++) {
    const share = bin / binsMax;
    // Not min + (max - min) · share, because the difference of two doubles may be infinite.
    const end = min * (1 - share) + max * share;
    if (end >= min && end < max) ends.add(end);
  }
  return [...[...ends].sort((a, b) => a - b), max];
}
