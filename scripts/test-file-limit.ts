/**
 * Loaded into each test file's process by run-tests.ts. `--test-timeout` ends a test that hangs, but not a file that cannot end because a
 * test failed before it stopped what it had started: that would hold the whole run up until somebody ends it.
 */
import { basename } from 'node:path';

const endBy = Number(process.env.TEST_END_BY) || Number.POSITIVE_INFINITY;
const limitMs = Math.min(Number(process.env.TEST_FILE_LIMIT_MS), endBy - Date.now());
const file = process.argv[1] ?? '';

if (limitMs > 0 && file.endsWith('.test.ts')) {
  const end = () => {
    const open = process.getActiveResourcesInfo().join(', ');
    console.error(
      `${basename(file)} has not ended after ${(limitMs / 1000).toFixed()} s; still open: ${open}`,
    );
    process.exit(1);
  };
  setTimeout(end, limitMs).unref();
}
