/**
 * Runs the tests: `run-tests.ts unit|e2e|long [pattern…]`. A pattern is a part of a test file's path. Unit is everything under
 * server/test but e2e/, long are the files of both that have a longer run. The exit code is node:test's own.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startQuestdb } from '../server/test/parts/questdb-process.ts';

const root = join(import.meta.dirname, '..');

/** A test that has not ended by then hangs: the slowest takes seconds, or for e2e a few minutes, on a machine that does nothing else. */
const timeoutMs = { unit: 600_000, e2e: 1_500_000, long: 3_600_000 };
/** For a whole file. The slowest take half a minute and four minutes there. */
const fileLimitMs = { unit: 900_000, e2e: 1_800_000, long: 3_600_000 };
type Kind = keyof typeof timeoutMs;
/** Files at a time. Each e2e file starts servers of its own, which share the cores with it. */
const concurrency = Math.min(2, cpus().length);

async function main(): Promise<number> {
  const [kind, ...patterns] = process.argv.slice(2);
  if (kind !== 'unit' && kind !== 'e2e' && kind !== 'long') {
    console.error('usage: run-tests.ts unit|e2e|long [pattern…]');
    return 2;
  }
  const files = await testFiles(kind, patterns);
  if (files.length === 0) {
    console.error(`no ${kind} test file matches ${patterns.join(' ') || 'anything'}`);
    return 2;
  }
  // One database for the whole run, because each start of it takes seconds.
  const questdb = files.some((file) => mentions(file, '/questdb-process.ts')) ? await startQuestdb() : null;
  try {
    const environment = {
      ...process.env,
      TEST_FILE_LIMIT_MS: `${fileLimitMs[kind]}`,
      NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'compiled'),
      ...(questdb ? { TEST_QUESTDB_URL: questdb.url } : {}),
    };
    return await runNode(
      [
        `--import=${pathToFileURL(join(import.meta.dirname, 'test-file-limit.ts'))}`,
        '--test',
        '--test-reporter=spec',
        '--test-reporter-destination=stdout',
        `--test-reporter=${pathToFileURL(join(import.meta.dirname, 'slowest-files.ts'))}`,
        '--test-reporter-destination=stdout',
        `--test-timeout=${timeoutMs[kind]}`,
        `--test-concurrency=${concurrency}`,
        ...files,
      ],
      environment,
    );
  } finally {
    await questdb?.stop();
  }
}

async function testFiles(kind: Kind, patterns: readonly string[]): Promise<string[]> {
  const files: string[] = [];
  for await (const file of glob('server/test/**/*.test.ts', { cwd: root })) {
    const isEndToEnd = file.startsWith(join('server', 'test', 'e2e'));
    const ofKind = kind === 'long' ? mentions(file, '/long-run.ts') : isEndToEnd === (kind === 'e2e');
    const wanted = patterns.length === 0 || patterns.some((pattern) => file.includes(pattern));
    if (ofKind && wanted) files.push(file);
  }
  return files.sort();
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
