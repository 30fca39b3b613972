/**
 * The CPU time and the memory of two builds of the server, doing what some cases of `npm run bench` do at a small size, in turns on one machine.
 * Both checkouts must have been built. The clients are those of this checkout.
 *   npm run bench:compare -- --old DIRECTORY --new DIRECTORY [--runs 10] [--only exec|flight|sql|memory]
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { arrowBytes } from '../../server/test/support/python.ts';
import { questdbExec, questdbRows, startQuestdb } from '../../server/test/support/questdb-process.ts';
import { runClient } from '../flight/servers.ts';
import { wrk } from '../load/wrk.ts';
import { median, spread } from '../suite/statistics.ts';
import { exec, type Figures, flight, flightBatches, memory, type Shared, sql } from './workloads.ts';

/** A new build may take this much of the old one's time, or memory. */
const allowed = 1.05;

const { values } = parseArgs({
  options: {
    old: { type: 'string' },
    new: { type: 'string' },
    runs: { type: 'string', default: '10' },
    only: { type: 'string' },
  },
});
const builds = { old: checkout('old', values.old), new: checkout('new', values.new) };
const runs = Number(values.runs);
if (!(runs >= 1)) throw new Error('--runs: a number of at least 1');

const all = { exec, flight, sql, memory };
if (values.only !== undefined && !Object.hasOwn(all, values.only))
  throw new Error(`--only: one of ${Object.keys(all).join(', ')}`);
const workloads = Object.entries(all).filter(([name]) => name === (values.only ?? name));

type Build = keyof typeof builds;
const measured = new Map<string, Record<Build, number[]>>();

const folder = mkdtempSync(join(tmpdir(), 'framehold-compare-'));
const questdb = await startQuestdb();
try {
  const shared = await prepare();
  for (let run = 1; run <= runs; run++) {
    const began = performance.now();
    // The one that comes second may find a warmer or a busier machine: each has that place in turn.
    const order: readonly Build[] = run % 2 === 1 ? ['old', 'new'] : ['new', 'old'];
    for (const [, workload] of workloads)
      for (const build of order) keep(build, await workload(builds[build], shared));
    console.log(`run ${run} of ${runs}: ${((performance.now() - began) / 1_000).toFixed()} s`);
  }
} finally {
  await questdb.stop();
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = report() ? 0 : 1;

function checkout(option: string, given: string | undefined): string {
  if (given === undefined) throw new Error(`--${option} DIRECTORY is missing`);
  const directory = resolve(given);
  if (!existsSync(join(directory, 'server', 'dist', 'main.js')))
    throw new Error(`--${option}: ${directory} has no server/dist/main.js; run npm run build there`);
  return directory;
}

async function prepare(): Promise<Shared> {
  await questdbExec(
    questdb.url,
    `create table ticks as (select x id, x * 1.25 price, timestamp_sequence('2024-01-01', 1000000) ts,
     cast('name-' || x as string) name from long_sequence(1000)) timestamp(ts) partition by day`,
  );
  await questdbRows(questdb.url, 'ticks', 1000);
  // Its compiler is still at work during the first requests, and would take time from the build that is measured first.
  await wrk(`${questdb.url}/exec?query=ticks&fmt=json`, { seconds: 5 });
  const { ticks } = await arrowBytes({
    ticks: `pa.table({'id': pa.array(range(1, 1001), pa.int64()), 'price': [x * 1.25 for x in range(1, 1001)],
      'ts': pa.array([1704067200000000 + x * 1000000 for x in range(1000)], pa.timestamp('us')),
      'name': [f'name-{x}' for x in range(1, 1001)]})`,
  });
  const flightSource = join(folder, 'source.arrow');
  await runClient('make', flightSource, String(flightBatches));
  return { questdbUrl: questdb.url, ticks, flightSource };
}

function keep(build: Build, figures: Figures): void {
  for (const [name, value] of Object.entries(figures)) {
    const both = measured.get(name) ?? { old: [], new: [] };
    both[build].push(value);
    measured.set(name, both);
  }
}

function report(): boolean {
  let met = true;
  const columns = (cells: readonly string[]) =>
    console.log(cells.map((cell, at) => (at === 0 ? cell.padEnd(34) : cell.padStart(10))).join(''));
  columns(['median', 'old', 'new', 'new / old', 'spread']);
  for (const [name, both] of measured) {
    const [before, after] = [median(both.old), median(both.new)];
    const ratio = after / before;
    met &&= ratio <= allowed;
    const noise = Math.max(spread(both.old), spread(both.new));
    columns([name, before.toFixed(3), after.toFixed(3), ratio.toFixed(3), noise.toFixed(3)]);
  }
  console.log(`at most ${allowed} each: ${met ? 'met' : 'MISSED'}`);
  return met;
}
