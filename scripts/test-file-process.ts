/**
 * Loaded into each test file's process by run-files.ts, before the file. It does the two things that only that process can do: fail in
 * place of a file for which there is no time left, and say what keeps a file from ending.
 */
import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isMainThread } from 'node:worker_threads';

const file = process.argv[1] ?? '';
const endBy = Number(process.env.TEST_END_BY);

// Threads, and programs that are forked, are given the same flags.
if (isMainThread && file.endsWith('.test.ts')) {
  process.on('SIGTERM', () => {
    console.error(`open when it was ended: ${process.getActiveResourcesInfo().join(', ')}`);
    // What a test started is stopped when its process exits.
    process.exit(1);
  });
  writeFileSync(join(process.env.TEST_RUNNING_FOLDER ?? '', `${process.pid}`), file);
  if (endBy > 0 && Date.now() > endBy) failInPlaceOf(file);
}

function failInPlaceOf(file: string): void {
  const own = pathToFileURL(file).href;
  const source = `import { test } from 'node:test';
test('the file is run', () => { throw new Error('not run: the time of the whole run (TEST_END_BY) is over'); });`;
  registerHooks({
    load: (url, context, next) =>
      url === own ? { format: 'module', source, shortCircuit: true } : next(url, context),
  });
}
