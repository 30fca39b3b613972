/**
 * Runs a decoder over mutated samples: `node server/test/fuzz/fuzz.ts --target arrow --count 1000000 [--seed 1] [--from 0]`. The same seed
 * and case make the same bytes; a finding is repeated with `--from <case> --count 1`. The exit code is 1 if there are findings.
 */
import { parseArgs } from 'node:util';
import { type FuzzReport, fuzz } from './fuzz-run.ts';
import { type TargetName, targetNames } from './targets.ts';

const { values } = parseArgs({
  options: {
    target: { type: 'string' },
    seed: { type: 'string' },
    from: { type: 'string', default: '0' },
    count: { type: 'string', default: '100000' },
  },
});
const target = targetNames.find((name) => name === values.target);
if (target === undefined) throw new Error(`--target is one of ${targetNames.join(', ')}`);
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const startedAt = performance.now();
console.log(`${target}: seed ${seed}, ${values.count} cases from ${values.from} on`);

let lastAt = 0;
const report = await fuzz({
  target,
  seed,
  from: Number(values.from),
  count: Number(values.count),
  onProgress: (progress) => {
    if (performance.now() - lastAt < 10_000) return;
    lastAt = performance.now();
    console.log(lineOf(target, progress));
  },
});
console.log(lineOf(target, report));
for (const { caseIndex, what } of report.findings) console.log(`case ${caseIndex}: ${what}`);
process.exitCode = report.findings.length === 0 ? 0 : 1;

function lineOf(name: TargetName, progress: FuzzReport): string {
  const { cases, accepted, refused, trapped, slowestMs, peakBytes, grownBytes, findings } = progress;
  const seconds = (performance.now() - startedAt) / 1_000;
  const megabytes = (bytes: number) => Math.round(bytes / 1024 / 1024);
  return `${name}: ${cases} cases in ${Math.round(seconds)} s (${Math.round(cases / seconds)} a second), ${accepted} accepted, ${refused} refused, ${trapped} ended in a trap, slowest ${slowestMs} ms, at most ${megabytes(peakBytes)} MiB held, ${megabytes(grownBytes)} MiB left behind, ${findings.length} findings`;
}
