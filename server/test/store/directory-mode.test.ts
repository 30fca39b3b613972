import assert from 'node:assert/strict';
import { chmodSync, statSync } from 'node:fs';
import { test } from 'node:test';
import { protectDirectory } from '../../src/store/directory-mode.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const cases = [
  ['private', 0o755, 0o700],
  ['private', 0o2770, 0o2700],
  ['private', 0o500, 0o500],
  ['group', 0o755, 0o750],
  ['group', 0o700, 0o750],
  ['group', 0o2777, 0o2750],
] as const;

for (const [permissions, before, after] of cases)
  test(`${permissions}: ${before.toString(8)} becomes ${after.toString(8)}, once`, () => {
    const path = temporaryFolder('mode');
    chmodSync(path, before);
    const told =
      before === after
        ? null
        : { path, before: before.toString(8), after: after.toString(8), isForeign: false };
    assert.deepEqual(protectDirectory(path, permissions), told);
    assert.equal(statSync(path).mode & 0o7777, after);
    assert.equal(protectDirectory(path, permissions), null);
  });
