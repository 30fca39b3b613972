/**
 * Runs the tests: `run-tests.ts unit|integration|e2e|cluster|spark|long [pattern…]`. test-kinds.ts says which file is of which kind; long are the files of
 * any kind that have a longer run; cluster are end-to-end tests against several nodes in place of one server (cluster-files.ts).
 * With TEST_SPARK=share, spark runs the files of spark-files.ts, at a smaller size. A pattern is a part of a test file's path; with one, unit includes the integration tests that match. The
 * exit code is node:test's own.
 *
 * If TEST_END_BY says when the run must be over (milliseconds since 1970), files that could not end by then are skipped.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startQuestdb } from '../server/test/support/questdb-process.ts';
import { startSparkConnect } from '../server/test/support/spark/spark-connect-server.ts';
import { clusterFiles, skippedTests } from './cluster-files.ts';
import { isInSparkShare } from './spark-files.ts';
import { processorTime, stolenShare } from './stolen-time.ts';
import { allTestFiles, hasLongRun, isOnlyInLongRun, kindOf, needsSparkCluster } from './test-kinds.ts';

const root = join(import.meta.dirname, '..');

/** A test that has not ended by then hangs: the slowest takes seconds, or for e2e a few minutes, on a machine that does nothing else. */
const timeoutMs = {
  unit: 600_000,
  integration: 600_000,
  e2e: 1_500_000,
  cluster: 1_500_000,
  spark: 1_800_000,
  long: 3_600_000,
};
/** For a whole file. The slowest take half a minute and four minutes there. */
const fileLimitMs = {
  unit: 900_000,
  integration: 900_000,
  e2e: 1_800_000,
  cluster: 1_800_000,
  spark: 3_600_000,
  long: 3_600_000,
};
type Kind = keyof typeof timeoutMs;
/** Files at a time. Each e2e file starts servers of its own, which share the cores with it. */
const concurrency = Math.min(2, cpus().length);
const isShareOfSpark = process.env.TEST_SPARK === 'share';
/** A file that starts later than this before TEST_END_BY might not end in time. */
const lastFileMs = 25 * 60_000;
/** Above this share of stolen CPU time, a test that waits for real processes may fail only because they did not get to run. */
const stolenMax = 0.15;
/** More failed files than this are not an accident. */
const againMax = 12;
/** So few are repeated on any machine: of some hundred files with real processes and clocks, one that lost a race should not hide what the later steps find. */
const alwaysAgainMax = 2;

async function main(): Promise<number> {
  const [kind, ...patterns] = process.argv.slice(2);
  if (kind === undefined || !isKind(kind)) {
    console.error(`usage: run-tests.ts ${Object.keys(timeoutMs).join('|')} [pattern…]`);
    return 2;
  }
  const files = testFiles(kind, patterns);
  if (files.length === 0) {
    console.error(`no ${kind} test file matches ${patterns.join(' ') || 'anything'}`);
    return 2;
  }
  // One database for the whole run, because each start of it takes seconds.
  const questdb = files.some((file) => mentions(file, '/questdb-process.ts')) ? await startQuestdb() : null;
  try {
    // The same for Spark Connect, which takes half a minute.
    const shared = kind === 'spark' && files.some((file) => !needsSparkCluster(file));
    await using spark = shared ? await startedSpark() : null;
    return await runAndRepeat(kind, files, {
      ...(questdb ? { TEST_QUESTDB_URL: questdb.url } : {}),
      ...(spark ? { TEST_SPARK_URL: spark.url } : {}),
    });
  } finally {
    await questdb?.stop();
  }
}

async function startedSpark(): Promise<AsyncDisposable & { readonly url: string }> {
  const spark = await startSparkConnect();
  return { url: spark.url, [Symbol.asyncDispose]: () => spark.stop() };
}

/** All files, and those that failed once more if the machine may have been why. */
async function runAndRepeat(
  kind: Kind,
  files: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<number> {
  const endBy = Number(process.env.TEST_END_BY);
  const beginBy = endBy > 0 ? { TEST_BEGIN_BY: `${endBy - lastFileMs}` } : {};
  const folder = mkdtempSync(join(tmpdir(), 'framehold-tests-'));
  const failedList = join(folder, 'failed');
  try {
    const began = processorTime();
    // A cluster of Spark takes both cores and 4 GB by itself.
    const filesAtOnce = kind === 'spark' && !isShareOfSpark ? 1 : concurrency;
    const code = await runFiles(kind, files, filesAtOnce, failedList, { ...environment, ...beginBy });
    const stolen = stolenShare(began);
    console.log(`\nthe host gave ${(100 * stolen).toFixed()} % of the CPU time to other machines`);
    if (code === 0) return 0;
    const failed = linesOf(failedList);
    const failedFiles = [...new Set(failed.map((test) => test.split('\t', 1)[0] ?? ''))];
    const repeatedMax = stolen < stolenMax ? alwaysAgainMax : againMax;
    if (failedFiles.length === 0 || failedFiles.length > repeatedMax) return code;
    console.log(`\n=== failed files, run once more, one at a time:\n${failedFiles.join('\n')}\n`);
    // Whatever the time: a file that is skipped has not passed.
    const again = await runFiles(kind, failedFiles, 1, failedList, environment);
    if (again === 0) {
      console.log(`\n=== tests that passed only when run once more: ${failed.length}\n${failed.join('\n')}`);
      return 0;
    }
    // A file that ended before its tests did is in the list by its own name: they have not passed.
    const twice = linesOf(failedList).filter((test) => failed.includes(test) || test.endsWith('.test.ts'));
    console.log(`\n=== tests that failed twice: ${twice.length}\n${twice.join('\n')}`);
    return twice.length === 0 ? 0 : again;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function runFiles(
  kind: Kind,
  files: readonly string[],
  filesAtOnce: number,
  failedList: string,
  environment: NodeJS.ProcessEnv,
): Promise<number> {
  const here = (name: string) => pathToFileURL(join(import.meta.dirname, name));
  return runNode(
    [
      `--import=${here('test-file-limit.ts')}`,
      `--import=${here('test-deadline.ts')}`,
      ...(kind === 'cluster' ? clusterFlags(here('../server/test/support/cluster/in-place-of-one.ts')) : []),
      '--test',
      '--test-reporter=spec',
      '--test-reporter-destination=stdout',
      `--test-reporter=${here('report-files.ts')}`,
      '--test-reporter-destination=stdout',
      `--test-timeout=${timeoutMs[kind]}`,
      `--test-concurrency=${filesAtOnce}`,
      ...files,
    ],
    {
      ...process.env,
      ...environment,
      TEST_FAILED_LIST: failedList,
      TEST_FILE_LIMIT_MS: `${fileLimitMs[kind]}`,
      NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'compiled'),
    },
  );
}

/** Nodes are started where a file starts a server; tests that need exactly one are skipped by their titles. */
function clusterFlags(replacement: URL): string[] {
  const titles = Object.keys(skippedTests).map((title) => `--test-skip-pattern=^${RegExp.escape(title)}$`);
  return [`--import=${replacement}`, ...titles];
}

function isKind(word: string): word is Kind {
  return Object.hasOwn(timeoutMs, word);
}

function testFiles(kind: Kind, patterns: readonly string[]): string[] {
  const wanted = (kind === 'cluster' ? clusterFiles() : allTestFiles())
    .filter((file) => patterns.length === 0 || patterns.some((pattern) => file.includes(pattern)))
    .filter((file) => {
      if (kind === 'cluster') return true;
      const own = kindOf(file);
      if (kind === 'long') return hasLongRun(file) && own !== 'spark';
      // A file that was asked for by its name is run, whatever it needs.
      if (kind === 'unit' && patterns.length > 0) return own === 'unit' || own === 'integration';
      if (kind === 'e2e' && patterns.length === 0 && isOnlyInLongRun(file)) return false;
      return own === kind && (!isShareOfSpark || isInSparkShare(file));
    });
  // Files with a long run come last, because they are skipped first if time runs out.
  return wanted.sort((a, b) => Number(hasLongRun(a)) - Number(hasLongRun(b)) || (a < b ? -1 : 1));
}

/** No lines if there is no file: a run that was interrupted does not write its list. */
function linesOf(path: string): string[] {
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : [];
}

function mentions(file: string, text: string): boolean {
  return readFileSync(join(root, file), 'utf8').includes(text);
}

async function runNode(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'inherit', 'inherit'] });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => child.kill(signal));
  return await new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code) => resolve(code ?? 1));
  });
}

process.exitCode = await main();
