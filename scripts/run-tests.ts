/**
 * Runs the tests: `run-tests.ts unit|integration|e2e|cluster|spark|long [pattern…]`. test-kinds.ts says which file is of which kind; long are
 * the files of any kind that have a longer run; cluster are end-to-end tests against several nodes in place of one server (cluster-files.ts).
 * With TEST_SPARK=share, spark runs the files of spark-files.ts, at a smaller size. A pattern is a part of a test file's path; with one, unit
 * includes the integration tests that match. The exit code is 0 only if every test has passed.
 *
 * TEST_END_BY says when the run must be over (milliseconds since 1970). Files that have not ended by then fail. TEST_FILE_LIMIT_MS is another limit for
 * each file.
 */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startSparkConnect } from '../engines/spark/test/support/spark-connect-server.ts';
import { PythonForks } from '../server/test/support/python/python-forks.ts';
import { startQuestdb } from '../server/test/support/questdb-process.ts';
import { clusterFiles, skippedTests } from './cluster-files.ts';
import { knownRaces } from './known-races.ts';
import { isInSparkShare } from './spark-files.ts';
import { allTestFiles, hasLongRun, kindOf, needsSparkCluster } from './test-kinds.ts';
import { longestFirst, timesRecordOf } from './test-run/test-times.ts';
import { everyTestPasses } from './test-verdict.ts';

const root = join(import.meta.dirname, '..');

/**
 * For a whole file, of the time that the machine had for itself. On two quiet cores the slowest unit test takes fifteen seconds, the slowest
 * of e2e four minutes. Single tests have no limit of their own: the one that hangs is named when its file is ended.
 */
const fileLimitMs = {
  unit: 300_000,
  integration: 600_000,
  e2e: 900_000,
  cluster: 900_000,
  spark: 3_600_000,
  long: 3_600_000,
};
type Kind = keyof typeof fileLimitMs;
const isShareOfSpark = process.env.TEST_SPARK === 'share';
/**
 * Files at a time: one more than two cores, because a file waits for a quarter of its time, for programs that start and for limits that it
 * tests. Two of full size have the memory for themselves. Spark takes both cores, and its cluster 4 GB.
 */
const filesAtOnce: Readonly<Record<Kind, number>> = {
  unit: 3,
  integration: 3,
  e2e: 3,
  cluster: 3,
  spark: isShareOfSpark ? 2 : 1,
  long: 2,
};

async function main(): Promise<number> {
  const [kind, ...patterns] = process.argv.slice(2);
  if (kind === undefined || !isKind(kind)) {
    console.error(`usage: run-tests.ts ${Object.keys(fileLimitMs).join('|')} [pattern…]`);
    return 2;
  }
  const files = testFiles(kind, patterns);
  if (files.length === 0) {
    console.error(`no ${kind} test file matches ${patterns.join(' ') || 'anything'}`);
    return 2;
  }
  const timesRecord = timesRecordOf(kind);
  // One database for the whole run, because each start of it takes seconds.
  const questdb = files.some((file) => mentions(file, '/questdb-process.ts')) ? await startQuestdb() : null;
  try {
    // The same for Spark Connect, which takes half a minute.
    const shared = kind === 'spark' && files.some((file) => !needsSparkCluster(file));
    await using spark = shared ? await startedSpark() : null;
    // And for Python with its packages, which every script would import again. Unit tests use none. It waits for its scripts as only Linux can.
    const forks = process.platform === 'linux' && files.some((file) => kindOf(file) !== 'unit');
    await using python = forks ? await PythonForks.start() : null;
    const passed = await everyTestPasses(
      {
        root,
        files: longestFirst(files, timesRecord),
        timesRecord,
        filesAtOnce: Math.min(filesAtOnce[kind], availableParallelism() + 1),
        fileLimitMs: Number(process.env.TEST_FILE_LIMIT_MS) || fileLimitMs[kind],
        endBy: Number(process.env.TEST_END_BY) || Number.POSITIVE_INFINITY,
        flags: kind === 'cluster' ? clusterFlags() : [],
        environment: {
          ...(questdb ? { TEST_QUESTDB_URL: questdb.url } : {}),
          ...(spark ? { TEST_SPARK_URL: spark.url } : {}),
          ...python?.environment,
          NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'compiled'),
        },
      },
      knownRaces,
    );
    return passed ? 0 : 1;
  } finally {
    await questdb?.stop();
  }
}

async function startedSpark(): Promise<AsyncDisposable & { readonly url: string }> {
  const spark = await startSparkConnect();
  return { url: spark.url, [Symbol.asyncDispose]: () => spark.stop() };
}

/** Nodes are started where a file starts a server; tests that need exactly one are left out by their titles. */
function clusterFlags(): string[] {
  const replacement = join(root, 'server/test/support/cluster/in-place-of-one.ts');
  const titles = Object.keys(skippedTests).map((title) => `--test-skip-pattern=^${RegExp.escape(title)}$`);
  return [`--import=${pathToFileURL(replacement)}`, ...titles];
}

function isKind(word: string): word is Kind {
  return Object.hasOwn(fileLimitMs, word);
}

function testFiles(kind: Kind, patterns: readonly string[]): string[] {
  const candidates = kind === 'cluster' ? clusterFiles() : allTestFiles();
  const named = candidates.filter(
    (file) => patterns.length === 0 || patterns.some((pattern) => file.includes(pattern)),
  );
  return named.filter((file) => {
    if (kind === 'cluster') return true;
    const own = kindOf(file);
    if (kind === 'long') return hasLongRun(file) && own !== 'spark';
    // A file that was asked for by its name is run, whatever it needs.
    if (kind === 'unit' && patterns.length > 0) return own === 'unit' || own === 'integration';
    return own === kind && (!isShareOfSpark || isInSparkShare(file));
  });
}

function mentions(file: string, text: string): boolean {
  return readFileSync(join(root, file), 'utf8').includes(text);
}

// At once: a program that a file has left behind may hold its output open.
process.exit(await main());
