import type { Quantity, Sides } from '../benchmark-case.ts';

/** What is drawn over a value that grows. All of them are costs: less is better. */
export type GrowthQuantity = Exclude<Quantity, 'rate'> | 'p99';

export interface GrowthWorkload {
  readonly name: string;
  readonly title: string;
  readonly peer: string;
  /** What one unit of work is. */
  readonly unit: string;
  readonly quantities: readonly GrowthQuantity[];
}

/** Servers with something that can be made to grow. */
export interface OpenAxis extends AsyncDisposable {
  /** Makes it this large, and answers what can be measured then, by workload. Called with growing values. */
  at(value: number): Promise<Readonly<Record<string, Sides>>>;
}

export interface GrowthAxis {
  readonly name: string;
  readonly label: string;
  readonly range: readonly [low: number, high: number];
  readonly stepsPerDecade: 1 | 2;
  readonly workloads: readonly GrowthWorkload[];
  open(): Promise<OpenAxis>;
}

/** Powers of ten, or also three times these, and the end of the range in any case. */
export function growthValues([low, high]: readonly [number, number], stepsPerDecade: 1 | 2): number[] {
  const values: number[] = [];
  for (let power = low; power <= high; power *= 10)
    values.push(...(stepsPerDecade === 1 ? [power] : [power, power * 3]).filter((value) => value <= high));
  return values.at(-1) === high ? values : [...values, high];
}
