import assert from 'node:assert/strict';
import { mkdirSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { SpillBudget, type Spilling } from '../../src/engine/spill-budget.ts';
import type { FrameholdError } from '../../src/model/errors.ts';
import { removeFolder, temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder('spill-budget');
const MiB = 1024 ** 2;
after(() => removeFolder(folder));

/** A statement that has written so many MiB and may write so many more. */
function spilling(name: string, written: number, more: number) {
  const tempDirectory = join(folder, name);
  mkdirSync(tempDirectory);
  if (written > 0) writeFileSync(join(tempDirectory, 'file'), Buffer.alloc(written * MiB, 1));
  const stopped: FrameholdError[] = [];
  const statement: Spilling = {
    tempDirectory,
    tempBytesMax: (written + more) * MiB,
    stop: (error) => void stopped.push(error),
  };
  return { statement, stopped };
}

const free = () => {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
};

test('a statement may write what is free above the reserve, and nothing if the reserve is touched', () => {
  const bytes = new SpillBudget(folder, () => 0).bytes();
  assert.ok(bytes > 0 && bytes < free() + 64 * MiB);
  assert.equal(new SpillBudget(folder, () => 2 ** 60).bytes(), 0);
});

test('below the reserve the statement that has written most is stopped, one at a look', () => {
  const statements = [spilling('idle', 0, 9), spilling('small', 1, 9), spilling('large', 3, 9)];
  const room = new SpillBudget(folder, () => 2 ** 60);
  room.watch(statements.map(({ statement }) => statement));
  assert.deepEqual(
    statements.map(({ stopped }) => stopped.map(({ kind }) => kind)),
    [[], [], ['disk_full']],
  );
  room.watch(statements.slice(0, 2).map(({ statement }) => statement));
  assert.deepEqual(
    statements.map(({ stopped }) => stopped.length),
    [0, 1, 1],
  );
});

test('with room above the reserve nobody is stopped', () => {
  const { statement, stopped } = spilling('with-room', 2, 9);
  const room = new SpillBudget(folder, () => 0);
  room.watch([statement]);
  room.watch([statement]);
  assert.deepEqual(stopped, []);
});
