import type { Target } from './verdict.ts';

/** What one side did in one round. */
export interface Sample {
  /** Units of work: requests, gigabytes, statements. */
  readonly work: number;
  readonly seconds: number;
  /** Of the process that is measured and all that it started. */
  readonly cpuSeconds: number;
  /** The sum of what these processes had at the same moment. */
  readonly peakMegabytes: number;
  /** The most of the process itself, if it may start others. */
  readonly ownMegabytes?: number;
  /** The 99th percentile of the response time, if the client saw many responses. */
  readonly p99Ms?: number;
}

/** What a case compares. Of a rate, more is better; of the others, less. */
export type Quantity = 'rate' | 'time' | 'cpu' | 'memory';

export interface BenchmarkCase {
  readonly name: string;
  readonly title: string;
  readonly quantity: Quantity;
  /** Of the quantity, as it is printed: `requests/s`, `CPU s/GB`. */
  readonly unit: string;
  readonly peer: string;
  readonly targets: readonly Target[];
  /** Belongs to the share that CI runs: its CPU ratio hardly depends on what else the machine does. */
  readonly inShare?: boolean;
}

/** How much is measured. The targets apply to `scale` 1. */
export interface Size {
  /** Of the rows and bytes of the whole run. */
  readonly scale: number;
  readonly rounds: number;
  /** Of a round in which clients send requests without a pause. */
  readonly loadSeconds: number;
}

/** One round each. Rounds are numbered from 0; the first one is not counted. */
export interface Sides {
  framehold(round: number): Promise<Sample>;
  peer(round: number): Promise<Sample>;
}

/** Servers that are ready to be measured. */
export interface OpenFamily extends AsyncDisposable {
  readonly sides: Readonly<Record<string, Sides>>;
}

/** Cases that use the same servers and the same data. */
export interface CaseFamily {
  readonly name: string;
  readonly cases: readonly BenchmarkCase[];
  open(size: Size): Promise<OpenFamily>;
}

/** The figure that a case compares, of one round. */
export function figureOf(sample: Sample, quantity: Quantity): number {
  switch (quantity) {
    case 'rate':
      return sample.work / sample.seconds;
    case 'time':
      return sample.seconds / sample.work;
    case 'cpu':
      return sample.cpuSeconds / sample.work;
    case 'memory':
      return sample.peakMegabytes;
  }
}
