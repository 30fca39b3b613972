/** From figures to places on a plot. */

export interface Scale {
  /** The place of a value. */
  readonly at: (value: number) => number;
  readonly ticks: readonly number[];
  readonly domain: readonly [low: number, high: number];
}

type Interval = readonly [from: number, to: number];

/** Equal factors have equal lengths. The domain is widened to whole ticks, so that every value has its place. */
export function logScale(values: readonly number[], [from, to]: Interval): Scale {
  const positive = values.filter((value) => Number.isFinite(value) && value > 0);
  const low = niceFloor(Math.min(...(positive.length > 0 ? positive : [1])));
  const atLeast = niceCeiling(Math.max(...(positive.length > 0 ? positive : [1])));
  const high = atLeast > low ? atLeast : low * 10;
  const perUnit = (to - from) / Math.log(high / low);
  return {
    at: (value) => from + perUnit * Math.log(Math.min(high, Math.max(low, value)) / low),
    ticks: logTicks(low, high),
    domain: [low, high],
  };
}

/** Steps of 1, 2 and 5 within two decades, of powers of ten within eight, and of thousands above: labels stay apart. */
export function logTicks(low: number, high: number): number[] {
  const decades = Math.log10(high / low);
  const steps = decades <= 2.05 ? [1, 2, 5] : [1];
  const every = decades > 8 ? 3 : 1;
  const ticks: number[] = [];
  for (let power = Math.floor(Math.log10(low) + 1e-9); power <= Math.ceil(Math.log10(high)); power++) {
    if (power % every !== 0) continue;
    for (const step of steps) {
      const tick = Number(`${step}e${power}`);
      if (tick >= low * (1 - 1e-9) && tick <= high * (1 + 1e-9)) ticks.push(tick);
    }
  }
  return ticks;
}

/** The next of 1, 2 and 5 times a power of ten. */
export function niceCeiling(value: number): number {
  const power = Math.floor(Math.log10(value) + 1e-9);
  const step = [1, 2, 5].find((each) => Number(`${each}e${power}`) >= value * (1 - 1e-9));
  return step === undefined ? Number(`1e${power + 1}`) : Number(`${step}e${power}`);
}

/** The one before. */
export function niceFloor(value: number): number {
  const power = Math.floor(Math.log10(value) + 1e-9);
  const step = [5, 2, 1].find((each) => Number(`${each}e${power}`) <= value * (1 + 1e-9));
  return Number(`${step ?? 1}e${power}`);
}
