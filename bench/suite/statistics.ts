/** The arithmetic of repeated measurements. */

/** Of an even number, the mean of the two in the middle. */
export function median(numbers: readonly number[]): number {
  return quantile(numbers, 0.5);
}

/** Between two neighbours in order, in proportion. */
export function quantile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const low = sorted[Math.floor(place)] ?? Number.NaN;
  const high = sorted[Math.ceil(place)] ?? Number.NaN;
  return low === high ? low : low + (high - low) * (place - Math.floor(place));
}

/** How far runs of the same thing differ: the distance between the medians of the lower and the upper half, as a share of the median. */
export function spread(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const half = Math.ceil(sorted.length / 2);
  return (median(sorted.slice(-half)) - median(sorted.slice(0, half))) / median(sorted);
}

export interface Range {
  readonly low: number;
  readonly median: number;
  readonly high: number;
}

/** The median with the quartiles around it. */
export function rangeOf(numbers: readonly number[]): Range {
  return { low: quantile(numbers, 0.25), median: median(numbers), high: quantile(numbers, 0.75) };
}
