/** `npm run soak -- [minutes, 60] [folder, docs/figures]`: mixed work for long, and a plot of what it does to the server. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mixedLoad, type Sample } from './mixed-load.ts';
import { plot } from './plot.ts';
import { phaseLine } from './watched-server.ts';

const sampleMs = 5_000;
const [minutes = '60', folder = join(import.meta.dirname, '..', '..', 'docs', 'figures')] =
  process.argv.slice(2);
const report = await mixedLoad(Number(minutes) * 60, sampleMs, {});

mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, 'soak.json'), `${JSON.stringify(report, null, 1)}\n`);
const panel = (title: string, key: keyof Sample) => ({
  title,
  points: report.samples.map((sample) => [sample.seconds / 60, sample[key]] as const),
});
const panels = [
  panel('Resident memory, MB', 'residentMegabytes'),
  panel('Open descriptors', 'descriptors'),
  panel('Temporary files', 'temporaryFiles'),
  panel('Objects on disk', 'objects'),
  panel('Catalog with its log, MB', 'catalogMegabytes'),
];
const { done, expected, failed, late } = report.counts;
writeFileSync(
  join(folder, 'soak.svg'),
  plot(`${minutes} minutes of mixed work, ${done} requests`, 'minutes', panels),
);

console.log(phaseLine(report.figures));
console.log(
  `${done} done, ${expected} refused as expected, ${failed} failed, ${late} left out because the last were not done`,
);
for (const { what, early, late: last, allowed, flat } of report.flatness)
  console.log(
    `${what.padEnd(20)} ${early.toFixed(0)} → ${last.toFixed(0)}, allowed ${allowed.toFixed(0)}: ${flat ? 'flat' : 'GROWS'}`,
  );
for (const failure of report.failures) console.log(failure);
process.exitCode =
  report.flatness.every((each) => each.flat) && failed === 0 && report.figures.ping.met ? 0 : 1;
