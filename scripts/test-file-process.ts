/**
 * Loaded into each test file's process by run-files.ts, before the file. It does what only that process can do: fail in
 * place of a file for which there is no time left, say what keeps a file from ending, and note the CPU time of all that it has started.
 */
import { readFileSync, writeFileSync } from 'node:fs';
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
  const running = join(process.env.TEST_RUNNING_FOLDER ?? '', `${process.pid}`);
  writeFileSync(running, file);
  process.on('exit', () => writeFileSync(`${running}.cpu`, `${processorSeconds()} ${file}`));
  if (endBy > 0 && Date.now() > endBy) failInPlaceOf(file);
}

/** Of this process and of all that it, or they, have waited for. Zero on other systems than Linux. */
function processorSeconds(): number {
  try {
    // The second field is a name in parentheses; utime, stime, cutime and cstime are the 14th to the 17th, in hundredths of a second.
    const fields = readFileSync('/proc/self/stat', 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0) / 100;
  } catch {
    return 0;
  }
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
