import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { importedModules, resolveImport } from '../server/test/house/source-files.ts';

const root = join(import.meta.dirname, '..');

/**
 * Each test file has one of these kinds. `npm test` runs the unit tests: they need neither Python nor Java, and
 * none should take longer than about fifteen seconds on a quiet machine.
 */
export type FileKind = 'unit' | 'integration' | 'e2e' | 'spark';

/** All test files, as paths from the repository's root. */
export function allTestFiles(): string[] {
  return globSync(['{cli,client,console,engines/*,server}/test/**/*.test.ts', 'e2e/**/*.test.ts'], {
    cwd: root,
  }).sort();
}

export function kindOf(file: string): FileKind {
  // Spark takes a gigabyte of memory and half a minute to start: those tests are a tier of their own, wherever they are.
  if (reaches(file, (each) => each.startsWith('engines/spark/test/support/'))) return 'spark';
  if (file.startsWith('e2e/')) return 'e2e';
  return file.endsWith('.slow.test.ts') || usesOtherPrograms(file) ? 'integration' : 'unit';
}

/** Whether its longer run belongs to `npm run test:long`. */
export function hasLongRun(file: string): boolean {
  return textOf(file).includes('/long-run.ts');
}

/** Whether a test, or a tool that it imports, uses what `npm run setup` brings: Python, QuestDB and others. */
function usesOtherPrograms(file: string): boolean {
  return reaches(file, (each) => /^import .*\bpartsFolder\b/m.test(textOf(each)));
}

/** Whether this holds for a test, or for a tool that it imports, however far. */
function reaches(file: string, holds: (file: string) => boolean): boolean {
  const seen = new Set([file]);
  for (const each of seen) {
    if (holds(each)) return true;
    for (const imported of importsOf(each)) seen.add(imported);
  }
  return false;
}

/** Whether a test of Spark needs a cluster of its own: master, workers and S3. The others share one Spark Connect. */
export function needsSparkCluster(file: string): boolean {
  return file.endsWith('.cluster.test.ts');
}

const texts = new Map<string, string>();

function textOf(file: string): string {
  const text = texts.get(file) ?? readFileSync(join(root, file), 'utf8');
  texts.set(file, text);
  return text;
}

/** Test tools only: no source of the server starts these programs. */
function importsOf(file: string): string[] {
  return (
    importedModules(textOf(file))
      .filter((module) => module.startsWith('.'))
      .map((module) => resolveImport(file, module))
      // Some tests name a module that is not there on purpose.
      .filter((path) => /^((server|engines\/[a-z-]+)\/test|e2e)\//.test(path) && existsSync(join(root, path)))
  );
}
