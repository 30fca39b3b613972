import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onlyInLongRun } from '../../../scripts/long-files.ts';
import { allTestFiles, hasLongRun } from '../../../scripts/test-kinds.ts';

test('every file that CI leaves to the long run is there, and runs in it', () => {
  const all = new Set(allTestFiles());
  for (const file of Object.keys(onlyInLongRun)) assert.ok(all.has(file) && hasLongRun(file), file);
});
