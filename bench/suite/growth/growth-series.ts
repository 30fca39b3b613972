import { figureOf, type Sample } from '../benchmark-case.ts';
import { median } from '../statistics.ts';
import type { GrowthAxis, GrowthQuantity, GrowthWorkload } from './growth-axis.ts';

export interface GrowthPoint {
  readonly x: number;
  readonly framehold: number;
  readonly peer: number;
}

/** One plot: a cost over a value that grows. */
export interface GrowthSeries {
  readonly axis: string;
  readonly workload: string;
  readonly quantity: GrowthQuantity;
  readonly title: string;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly peerName: string;
  readonly points: readonly GrowthPoint[];
  /** How much the ratio to the peer has grown at most: 1 if both grow alike. */
  readonly relativeGrowth: number;
  readonly isFinding: boolean;
}

/** What is called a finding: runs of the same thing on a shared machine differ by up to a third. */
const growthNoticed = 1.5;

/** All rounds of both sides at one value. */
export interface MeasuredValue {
  readonly x: number;
  readonly framehold: readonly Sample[];
  readonly peer: readonly Sample[];
}

export function growthSeries(
  axis: Pick<GrowthAxis, 'name' | 'label'>,
  workload: GrowthWorkload,
  quantity: GrowthQuantity,
  values: readonly MeasuredValue[],
): GrowthSeries {
  const figure = (samples: readonly Sample[]) =>
    median(
      samples.map((sample) =>
        quantity === 'p99' ? (sample.p99Ms ?? Number.NaN) : figureOf(sample, quantity),
      ),
    );
  const points = values.map(({ x, framehold, peer }) => ({
    x,
    framehold: figure(framehold),
    peer: figure(peer),
  }));
  const growth = relativeGrowth(points);
  return {
    axis: axis.name,
    workload: workload.name,
    quantity,
    title: workload.title,
    xLabel: axis.label,
    yLabel: labelOf(quantity, workload.unit),
    peerName: workload.peer,
    points,
    relativeGrowth: growth,
    isFinding: growth > growthNoticed,
  };
}

/**
 * By how much the ratio to the peer is higher at some value than at a smaller one. A peer without a figure (a p99 that it cannot have) is left
 * out: then Framehold is compared with itself, and may stay the same.
 */
export function relativeGrowth(points: readonly GrowthPoint[]): number {
  let lowest = Number.POSITIVE_INFINITY;
  let growth = 1;
  for (const { framehold, peer } of points) {
    const ratio = framehold / (Number.isFinite(peer) ? peer : 1);
    // A CPU time of less than a tick of the kernel's clock says nothing.
    if (!(ratio > 0) || !Number.isFinite(ratio)) continue;
    growth = Math.max(growth, ratio / lowest);
    lowest = Math.min(lowest, ratio);
  }
  return growth;
}

function labelOf(quantity: GrowthQuantity, unit: string): string {
  const labels = {
    time: `s per ${unit}`,
    cpu: `CPU s per ${unit}`,
    memory: 'MB, highest',
    p99: 'ms, 99th percentile',
  };
  return labels[quantity];
}
