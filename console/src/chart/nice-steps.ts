/** Widths of bins that people can read: 1, 2 or 5 times a power of ten. */
export function niceWidth(span: number, binsMax: number): number {
  if (!(span > 0) || !Number.isFinite(span)) return 1;
  const least = span / binsMax;
  const power = 10 ** Math.floor(Math.log10(least));
  const factor = [1, 2, 5, 10].find((each) => each * power >= least * (1 - 1e-9)) ?? 10;
  return factor * power;
}

const secondNs = 1_000_000_000n;
const dayNs = 86_400n * secondNs;
const niceTimes: readonly bigint[] = [
  ...[1n, 2n, 5n, 10n, 15n, 30n].map((each) => each * secondNs),
  ...[1n, 2n, 5n, 10n, 15n, 30n].map((each) => each * 60n * secondNs),
  ...[1n, 2n, 3n, 6n, 12n].map((each) => each * 3_600n * secondNs),
  ...[1n, 2n, 7n, 14n, 28n, 91n, 182n, 364n].map((each) => each * dayNs),
];

/** The same for times, in nanoseconds. */
export function niceTimeWidth(spanNs: bigint, binsMax: number): bigint {
  const least = spanNs / BigInt(binsMax) + 1n;
  if (least <= secondNs) {
    let width = 1n;
    for (;;) {
      for (const factor of [1n, 2n, 5n]) if (factor * width >= least) return factor * width;
      width *= 10n;
    }
  }
  const found = niceTimes.find((each) => each >= least);
  if (found !== undefined) return found;
  // Years.
  const years = niceWidth(Number(least / (365n * dayNs) + 1n), 1);
  return BigInt(Math.max(1, Math.ceil(years))) * 365n * dayNs;
}

const units: readonly (readonly [bigint, string])[] = [
  [365n * dayNs, 'year'],
  [7n * dayNs, 'week'],
  [dayNs, 'day'],
  [3_600n * secondNs, 'hour'],
  [60n * secondNs, 'minute'],
  [secondNs, 'second'],
  [1_000_000n, 'millisecond'],
  [1_000n, 'microsecond'],
  [1n, 'nanosecond'],
];

/** `5 minutes` */
export function timeWidthText(widthNs: bigint): string {
  const [unit, name] = units.find(([each]) => widthNs % each === 0n) ?? [1n, 'nanosecond'];
  const count = widthNs / unit;
  return count === 1n ? name : `${count} ${name}s`;
}
