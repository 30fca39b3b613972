import type { BenchmarkCase, Sample, Sides, Size } from './benchmark-case.ts';
import { type CaseResult, caseResult } from './case-result.ts';

/** Framehold and its peer in turns. The first round warms both up. */
export async function measureCase(
  benchmark: BenchmarkCase,
  sides: Sides,
  { rounds }: Size,
): Promise<CaseResult> {
  const samples = { framehold: [] as Sample[], peer: [] as Sample[] };
  for (let round = 0; round <= rounds; round++) {
    // The one that comes second may find a warmer or a busier machine: each has that place in turn.
    const order = round % 2 === 0 ? (['peer', 'framehold'] as const) : (['framehold', 'peer'] as const);
    for (const side of order) {
      const sample = await sides[side](round);
      if (round > 0) samples[side].push(sample);
    }
  }
  return caseResult(benchmark, samples);
}
