import type { KnownRace } from './known-races.ts';
import { type FilesToRun, type Outcome, runFiles } from './run-files.ts';
import type { FailedTest } from './test-record.ts';

/**
 * Whether every test passes. Only the files of known races are run a second time, one at a time and if nothing else has failed; then every
 * test of them must pass.
 */
export async function everyTestPasses(
  wanted: FilesToRun,
  knownRaces: readonly KnownRace[],
): Promise<boolean> {
  const first = await runFiles(wanted);
  if (isGreen(first)) return true;
  const isKnown = ({ file, title }: FailedTest) =>
    knownRaces.some((race) => race.file === file && race.title === title);
  if (first.faults.length > 0 || !first.failed.every(isKnown)) {
    printFaults(first);
    return false;
  }
  const files = [...new Set(first.failed.map(({ file }) => file))];
  console.log(`\n=== known races have failed; their files are run once more:\n${files.join('\n')}\n`);
  const second = await runFiles({ ...wanted, files, filesAtOnce: 1 });
  if (!isGreen(second)) {
    printFaults(second);
    return false;
  }
  console.log(`\n=== passed only when they were run once more:\n${first.failed.map(lineOf).join('\n')}`);
  return true;
}

function isGreen({ failed, faults }: Outcome): boolean {
  return failed.length + faults.length === 0;
}

function printFaults({ failed, faults }: Outcome): void {
  console.log(`\n=== not every test has passed:\n${[...failed.map(lineOf), ...faults].join('\n')}`);
}

function lineOf({ file, title }: FailedTest): string {
  return `${file}: ${title}`;
}
