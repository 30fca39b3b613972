/**
 * Framehold beside its peers, in turns, on one machine in one run. Prints a table, and writes bench-results.json and a page with plots.
 *   npm run bench -- [case or beginning of a name …] [--list] [--scale 1] [--rounds 5] [--seconds 4] [--out FOLDER]
 *   npm run bench -- --share [--write-baseline]
 * A run of the full size adds its ratios to history.jsonl, and its figures to bench/bench-results.json, from which docs/figures.md is written. The share is what CI runs: some cases at a small size, whose CPU ratios are compared with bench/baseline.json.
 */
import { parseArgs } from 'node:util';
import { compareWithBaseline, readBaseline, writeBaseline } from './baseline.ts';
import type { BenchmarkCase, OpenFamily, Size } from './benchmark-case.ts';
import { buildServer } from './build-server.ts';
import type { CaseResult } from './case-result.ts';
import { chooseCases } from './choose-cases.ts';
import { allFamilies } from './families/all-families.ts';
import { appendHistory } from './history.ts';
import { machineText, thisMachine } from './machine.ts';
import { measureCase } from './measure-case.ts';
import { outputFolder, writeOutput } from './output-folder.ts';
import { resultPage } from './page/result-page.ts';
import { recordCases } from './recorded-cases.ts';
import { resultTable } from './table.ts';

const fullSize: Size = { scale: 1, rounds: 5, loadSeconds: 4 };
/** Large enough that the kernel's hundredths of a second of CPU time are a few per cent. */
const shareSize: Size = { scale: 0.1, rounds: 3, loadSeconds: 1 };
/** A case of the share that is worse is measured again this often: somebody else may have used the machine. */
const retries = 4;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    list: { type: 'boolean', default: false },
    share: { type: 'boolean', default: false },
    'write-baseline': { type: 'boolean', default: false },
    scale: { type: 'string' },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    out: { type: 'string' },
  },
});
const usual = values.share ? shareSize : fullSize;
const size: Size = {
  scale: positive('scale', values.scale) ?? usual.scale,
  rounds: positive('rounds', values.rounds) ?? usual.rounds,
  loadSeconds: positive('seconds', values.seconds) ?? usual.loadSeconds,
};
const chosen = chooseCases(allFamilies, positionals, (each) => !values.share || each.inShare === true);

if (values.list) {
  for (const { cases } of chosen)
    for (const { name, title, peer } of cases) console.log(`${name.padEnd(22)} ${title}; ${peer}`);
} else {
  buildServer();
  process.exitCode = (await run()) ? 0 : 1;
}

async function run(): Promise<boolean> {
  const machine = thisMachine();
  const results: CaseResult[] = [];
  const failed: string[] = [];
  let isKept = true;
  for (const { family, cases } of chosen) {
    const began = performance.now();
    try {
      await using open = await family.open(size);
      for (const benchmark of cases) {
        const { result, kept } = await (values.share ? sharedCase : plainCase)(benchmark, open);
        results.push(result);
        isKept &&= kept;
      }
    } catch (error) {
      // The others can still be measured.
      failed.push(family.name);
      console.error(`${family.name} failed:`, error);
    }
    console.log(`${family.name}: ${((performance.now() - began) / 1_000).toFixed(0)} s`);
  }
  console.log(`\n${machineText(machine)}; scale ${size.scale}, ${size.rounds} rounds`);
  console.log(resultTable(results));
  writeOutput(
    'bench-results',
    values.out,
    { machine, size, failed, results },
    resultPage(machine, size, results, failed),
  );
  // Ratios of smaller sizes are other ratios.
  if (!values.share && size.scale === fullSize.scale) {
    appendHistory(outputFolder(values.out), machine, results);
    recordCases(machine, results);
  }
  if (values['write-baseline'])
    writeBaseline(Object.fromEntries(results.map(({ name, cpuRatio }) => [name, cpuRatio])));
  if (failed.length > 0) console.error(`failed: ${failed.join(', ')}`);
  // Targets apply to the whole size; a share, or a smaller size, only shows them.
  const isMet = values.share || size.scale < 1 || results.every(({ verdict }) => verdict !== 'missed');
  return failed.length === 0 && isKept && isMet;
}

interface Measured {
  readonly result: CaseResult;
  readonly kept: boolean;
}

async function plainCase(benchmark: BenchmarkCase, open: OpenFamily): Promise<Measured> {
  return { result: await measureCase(benchmark, sidesOf(benchmark, open), size), kept: true };
}

/** Compared with the baseline, and measured again if it is worse. */
async function sharedCase(benchmark: BenchmarkCase, open: OpenFamily): Promise<Measured> {
  for (let retry = 0; ; retry++) {
    const { result } = await plainCase(benchmark, open);
    if (values['write-baseline']) return { result, kept: true };
    const { before, now, outcome } = compareWithBaseline(benchmark.name, result.cpuRatio, readBaseline());
    console.log(
      `${benchmark.name.padEnd(22)} CPU ratio ${now.toFixed(2)}, baseline ${before?.toFixed(2) ?? 'missing: run npm run bench -- --share --write-baseline'}: ${outcome}`,
    );
    if (outcome !== 'worse' || retry === retries) return { result, kept: outcome === 'kept' };
  }
}

function sidesOf({ name }: BenchmarkCase, { sides }: OpenFamily) {
  const found = sides[name];
  if (found === undefined) throw new Error(`${name} is described, but not measured`);
  return found;
}

function positive(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (!(number > 0)) throw new Error(`--${option}: a number above 0`);
  return number;
}
