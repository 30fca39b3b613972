import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { CaseResult } from '../../../bench/suite/case-result.ts';
import { appendHistory } from '../../../bench/suite/history.ts';
import { thisMachine } from '../../../bench/suite/machine.ts';
import { removeFolder, temporaryFolder } from '../support/temporary-folder.ts';

test('each run adds a line with its commit, its time and the ratios of its cases', () => {
  const folder = temporaryFolder('history');
  try {
    const machine = { ...thisMachine(), at: '2026-01-01T00:00:00.000Z', commit: 'abc' };
    const result = (median: number) =>
      ({ name: 'put', ratio: { median }, cpuRatio: 2 }) as unknown as CaseResult;
    appendHistory(folder, machine, [result(1.23456)]);
    appendHistory(folder, { ...machine, commit: 'def' }, [result(1.5)]);
    const lines = readFileSync(join(folder, 'history.jsonl'), 'utf8').trim().split('\n');
    assert.deepEqual(
      lines.map((line) => JSON.parse(line)),
      [
        { at: machine.at, commit: 'abc', ratios: { put: { ratio: 1.23, cpuRatio: 2 } } },
        { at: machine.at, commit: 'def', ratios: { put: { ratio: 1.5, cpuRatio: 2 } } },
      ],
    );
  } finally {
    removeFolder(folder);
  }
});
