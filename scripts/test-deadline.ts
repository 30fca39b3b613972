/**
 * Loaded into each test file's process by run-tests.ts. A file that starts after TEST_BEGIN_BY is not run; it is reported as skipped, with
 * the reason.
 */
import { registerHooks } from 'node:module';
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';

const beginBy = Number(process.env.TEST_BEGIN_BY);
const file = process.argv[1] ?? '';

if (beginBy > 0 && Date.now() > beginBy && file.endsWith('.test.ts')) {
  const title = JSON.stringify(`${basename(file)} is not run`);
  const reason = JSON.stringify('the run is out of time');
  const source = `import { test } from 'node:test';\ntest(${title}, { skip: ${reason} });\n`;
  const skipped = pathToFileURL(file).href;
  registerHooks({
    load: (url, context, next) =>
      url === skipped ? { format: 'module', source, shortCircuit: true } : next(url, context),
  });
}
