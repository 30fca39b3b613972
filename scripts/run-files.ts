import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { pathToFileURL } from 'node:url';
import { RunningFiles } from './running-files.ts';
import { processorTime, stolenShare } from './stolen-time.ts';
import { type FailedTest, fileOf, isFile, TestRecord } from './test-record.ts';
import { keepTimes } from './test-run/test-times.ts';

export interface FilesToRun {
  /** Paths of files are relative to it, also those that are printed. */
  readonly root: string;
  readonly files: readonly string[];
  readonly filesAtOnce: number;
  /** For one file, of the time that the machine had for itself. */
  readonly fileLimitMs: number;
  /** When all of it must be over, whatever the machine does: milliseconds since 1970, or infinity. */
  readonly endBy: number;
  /** Of node, for the process of each file. */
  readonly flags: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
  /** A file that keeps how long each file took. */
  readonly timesRecord?: string | undefined;
}

export interface Outcome {
  readonly failed: readonly FailedTest[];
  /** Whatever else means that not every test has passed, a line each. */
  readonly faults: readonly string[];
}

/** How often the files that run are looked at. */
const checkEveryMs = 2_000;
/** A run that became too long says where. */
const slowestShown = 10;
const signals = ['SIGINT', 'SIGTERM'] as const;

/** Runs the files, each once and in its own process, and begins them in their order. Prints what node prints, the stolen time and the slowest files. */
export async function runFiles(wanted: FilesToRun): Promise<Outcome> {
  const { root, fileLimitMs, endBy } = wanted;
  const files = wanted.files.map((file) => resolve(root, file));
  const began = processorTime();
  const folder = mkdtempSync(join(tmpdir(), 'framehold-tests-'));
  // What the first file that needs it makes for the others.
  const shared = mkdtempSync(join(tmpdir(), 'framehold-shared-'));
  const aborted = new AbortController();
  const abort = () => aborted.abort();
  // First: others exit when they hear it, and the files would stay.
  for (const signal of signals) process.prependOnceListener(signal, abort);
  const running = new RunningFiles({ fileMs: fileLimitMs, endBy }, folder, abort);
  const checks = setInterval(() => running.check(), Math.min(checkEveryMs, fileLimitMs / 4));
  try {
    const events = run({
      files,
      cwd: root,
      concurrency: wanted.filesAtOnce,
      signal: aborted.signal,
      execArgv: [
        `--import=${pathToFileURL(join(import.meta.dirname, 'test-file-process.ts'))}`,
        ...wanted.flags,
      ],
      env: {
        ...process.env,
        ...wanted.environment,
        TEST_RUNNING_FOLDER: folder,
        TEST_SHARED_FOLDER: shared,
        TEST_END_BY: `${endBy}`,
      },
    });
    events.on('test:dequeue', (event) => {
      if (isFile(event)) running.begin(event.name);
      else running.beginTest(fileOf(event), event.testId, { title: event.name, parentId: event.parentId });
    });
    events.on('test:complete', (event) => {
      if (isFile(event)) running.end(event.name);
      else running.endTest(fileOf(event), event.testId);
    });
    const record = new TestRecord(events);
    await pipeline(events.compose(new spec()), process.stdout, { end: false });
    console.log(
      `\nthe host gave ${(100 * stolenShare(began)).toFixed()} % of the CPU time to other machines`,
    );
    printSlowest(root, record.seconds, processorSecondsIn(folder));
    if (wanted.timesRecord !== undefined)
      keepTimes(
        wanted.timesRecord,
        new Map([...record.seconds].map(([file, seconds]) => [relative(root, file), seconds])),
      );
    return {
      failed: record.failed.map(({ file, title }) => ({ file: relative(root, file), title })),
      faults: [...running.ended, ...record.faults(files)].map((line) => line.replace(`${root}/`, '')),
    };
  } finally {
    // Nobody reads any more, if it has not ended.
    abort();
    clearInterval(checks);
    for (const signal of signals) process.removeListener(signal, abort);
    for (const each of [folder, shared]) rmSync(each, { recursive: true, force: true });
  }
}

/** Of each file that has ended by itself, as test-file-process.ts has noted it, and forked-script.ts for the scripts of the file. */
function processorSecondsIn(folder: string): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const name of readdirSync(folder).filter((each) => each.endsWith('.cpu'))) {
    const [seconds = '', ...words] = readFileSync(join(folder, name), 'utf8').split(' ');
    const file = words.join(' ');
    sums.set(file, (sums.get(file) ?? 0) + Number(seconds));
  }
  return sums;
}

function printSlowest(
  root: string,
  seconds: ReadonlyMap<string, number>,
  processorSeconds: ReadonlyMap<string, number>,
): void {
  const all = [...seconds].sort(([, a], [, b]) => b - a);
  const sum = (times: Iterable<number>) => [...times].reduce((total, each) => total + each, 0).toFixed();
  console.log(
    `\nslowest of ${seconds.size} files, which took ${sum(seconds.values())} s one by one, and ${sum(processorSeconds.values())} s of CPU time:`,
  );
  // All of them for whoever looks for what to make faster.
  const shown = process.env.TEST_TIMES === 'all' ? all.length : slowestShown;
  for (const [file, each] of all.slice(0, shown)) {
    const cpu = processorSeconds.get(file)?.toFixed() ?? '?';
    console.log(`${each.toFixed().padStart(6)} s ${cpu.padStart(5)} s CPU  ${relative(root, file)}`);
  }
}
