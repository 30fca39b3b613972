/**
 * What happens as things grow: frames held, rows, columns, concurrent readers, concurrent statements; Framehold and a peer in turns. What
 * grows faster than its peer is printed as a finding. Writes bench-growth.json and a page with plots.
 *   npm run bench:growth -- [axis or axis=highest value …] [--rounds 3] [--out FOLDER]
 *   npm run bench:growth -- rows=1e6 readers=100
 */
import { parseArgs } from 'node:util';
import type { Sample, Sides } from '../benchmark-case.ts';
import { buildServer } from '../build-server.ts';
import { figureText } from '../figure-text.ts';
import { machineText, thisMachine } from '../machine.ts';
import { writeOutput } from '../output-folder.ts';
import { growthPage } from '../page/growth-page.ts';
import { columns } from './columns.ts';
import { framesHeld } from './frames-held.ts';
import { type GrowthAxis, growthValues } from './growth-axis.ts';
import { type GrowthSeries, growthSeries, type MeasuredValue } from './growth-series.ts';
import { readers } from './readers.ts';
import { rows } from './rows.ts';
import { statementsAtOnce } from './statements-at-once.ts';

const all: readonly GrowthAxis[] = [framesHeld, rows, columns, readers, statementsAtOnce];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '3' }, out: { type: 'string' } },
});
const rounds = Number(values.rounds);
if (!(rounds >= 1)) throw new Error('--rounds: a number of at least 1');
const chosen = chooseAxes(positionals);
buildServer();
const machine = thisMachine();
const series: GrowthSeries[] = [];
const failed: string[] = [];
for (const [axis, highest] of chosen) {
  const measured = await measureAxis(axis, highest);
  for (const each of measured) console.log(lineOf(each));
  series.push(...measured);
  // After each axis: the full ranges take long, and a run that is stopped should leave what it has.
  const page = growthPage(machine, rounds, series, failed);
  writeOutput('bench-growth', values.out, { machine, rounds, failed, series }, page);
}

const findings = series.filter(({ isFinding }) => isFinding);
console.log(`\n${machineText(machine)}; ${rounds} rounds`);
for (const each of findings) console.log(lineOf(each));
console.log(
  findings.length === 0
    ? 'nothing grows faster than its peer'
    : `${findings.length} of ${series.length} grow faster than their peers`,
);
if (failed.length > 0) console.error(`not measured completely: ${failed.join(', ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;

/** The figures of an axis up to where it failed, if it did. */
async function measureAxis(axis: GrowthAxis, highest: number): Promise<GrowthSeries[]> {
  const measured = new Map(axis.workloads.map(({ name }) => [name, [] as MeasuredValue[]]));
  try {
    await using open = await axis.open();
    for (const x of growthValues([axis.range[0], highest], axis.stepsPerDecade)) {
      const sides = await open.at(x);
      for (const { name } of axis.workloads) {
        const both = sides[name];
        if (both === undefined) throw new Error(`${axis.name}: ${name} is described, but not measured`);
        measured.get(name)?.push({ x, ...(await measureValue(both)) });
      }
      console.log(`${axis.name} ${x.toLocaleString('en-US')}: measured`);
    }
  } catch (error) {
    failed.push(axis.name);
    console.error(`${axis.name} failed:`, error);
  }
  return axis.workloads.flatMap((workload) =>
    workload.quantities.map((quantity) =>
      growthSeries(axis, workload, quantity, measured.get(workload.name) ?? []),
    ),
  );
}

/** In turns; the first round warms both up. */
async function measureValue(sides: Sides) {
  const samples = { framehold: [] as Sample[], peer: [] as Sample[] };
  for (let round = 0; round <= rounds; round++)
    for (const side of ['framehold', 'peer'] as const) {
      const sample = await sides[side](round);
      if (round > 0) samples[side].push(sample);
    }
  return samples;
}

function lineOf({ axis, workload, yLabel, points, relativeGrowth, isFinding }: GrowthSeries): string {
  const figures = points.map(
    ({ x, framehold, peer }) =>
      `${x.toLocaleString('en-US')}: ${figureText(framehold)} / ${figureText(peer)}`,
  );
  const growth = `grows ${relativeGrowth.toFixed(2)} times as much as its peer`;
  return `${isFinding ? 'FINDING ' : ''}${axis} ${workload}, ${yLabel}: ${figures.join('; ')}. ${growth}`;
}

function chooseAxes(given: readonly string[]): (readonly [GrowthAxis, number])[] {
  if (given.length === 0) return all.map((axis) => [axis, axis.range[1]]);
  return given.map((argument) => {
    const [name, text] = argument.split('=');
    const axis = all.find((each) => each.name === name);
    if (axis === undefined)
      throw new Error(`no axis ${name}; there are ${all.map((each) => each.name).join(', ')}`);
    const highest = text === undefined ? axis.range[1] : Number(text);
    if (!(highest >= axis.range[0])) throw new Error(`${name}: a number of at least ${axis.range[0]}`);
    return [axis, highest];
  });
}
