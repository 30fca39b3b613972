import { type BenchmarkCase, figureOf, type Sample } from './benchmark-case.ts';
import { median, type Range, rangeOf, spread } from './statistics.ts';
import { type Verdict, verdictOf } from './verdict.ts';

/** One side of a case, over all rounds. */
export interface SideResult {
  /** In the unit of the case. */
  readonly value: Range;
  readonly cpuSecondsPerUnit: number;
  readonly peakMegabytes: number;
  readonly ownMegabytes: number | null;
  readonly p99Ms: number | null;
  readonly samples: readonly Sample[];
}

export interface CaseResult {
  readonly name: string;
  readonly title: string;
  readonly unit: string;
  readonly quantity: BenchmarkCase['quantity'];
  readonly peerName: string;
  readonly targets: BenchmarkCase['targets'];
  readonly framehold: SideResult;
  readonly peer: SideResult;
  /** Framehold's figure as a share of the peer's, round by round: both met the same moments of the machine. */
  readonly ratio: Range;
  readonly spread: number;
  /** CPU time for the same work, as a share of the peer's. Less is better, whatever the case compares. */
  readonly cpuRatio: number;
  readonly verdict: Verdict;
}

/** Samples of both sides, in the order of their rounds. */
export function caseResult(
  benchmark: BenchmarkCase,
  samples: { readonly framehold: readonly Sample[]; readonly peer: readonly Sample[] },
): CaseResult {
  const framehold = sideResult(benchmark, samples.framehold);
  const peer = sideResult(benchmark, samples.peer);
  const ratios = ofRounds(samples, (sample) => figureOf(sample, benchmark.quantity));
  const ratio = rangeOf(ratios);
  return {
    name: benchmark.name,
    title: benchmark.title,
    unit: benchmark.unit,
    quantity: benchmark.quantity,
    peerName: benchmark.peer,
    targets: benchmark.targets,
    framehold,
    peer,
    ratio,
    spread: spread(ratios),
    cpuRatio: median(ofRounds(samples, (sample) => figureOf(sample, 'cpu'))),
    verdict: verdictOf(benchmark.targets, {
      ratio: ratio.median,
      value: framehold.value.median,
      p99Ms: framehold.p99Ms,
      ownMegabytes: framehold.ownMegabytes,
    }),
  };
}

function ofRounds(
  { framehold, peer }: { readonly framehold: readonly Sample[]; readonly peer: readonly Sample[] },
  figure: (sample: Sample) => number,
): number[] {
  if (framehold.length !== peer.length || framehold.length === 0)
    throw new Error(`${framehold.length} rounds of Framehold, ${peer.length} of its peer`);
  return framehold.map((sample, round) => figure(sample) / figure(peer[round] ?? sample));
}

function sideResult({ quantity }: BenchmarkCase, samples: readonly Sample[]): SideResult {
  const p99s = samples.flatMap(({ p99Ms }) => (p99Ms === undefined ? [] : [p99Ms]));
  const own = samples.flatMap(({ ownMegabytes }) => (ownMegabytes === undefined ? [] : [ownMegabytes]));
  return {
    value: rangeOf(samples.map((sample) => figureOf(sample, quantity))),
    cpuSecondsPerUnit: median(samples.map((sample) => figureOf(sample, 'cpu'))),
    peakMegabytes: Math.max(...samples.map(({ peakMegabytes }) => peakMegabytes)),
    ownMegabytes: own.length === 0 ? null : Math.max(...own),
    p99Ms: p99s.length === 0 ? null : median(p99s),
    samples,
  };
}
