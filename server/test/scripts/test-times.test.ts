import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { keepTimes, longestFirst } from '../../../scripts/test-run/test-times.ts';
import { removeFolder, temporaryFolder } from '../support/temporary-folder.ts';
import { runSeeded } from './seeded-run.ts';

const files = ['a.test.ts', 'b.test.ts', 'c.test.ts', 'd.test.ts'];

function withRecord(use: (record: string, folder: string) => void): void {
  const folder = temporaryFolder('times');
  try {
    use(join(folder, 'deeper', 'times.json'), folder);
  } finally {
    removeFolder(folder);
  }
}

test('files without a time come first, in their order, then the longest', () => {
  withRecord((record) => {
    assert.deepEqual(longestFirst(files, record), files);
    keepTimes(
      record,
      new Map([
        ['b.test.ts', 2],
        ['d.test.ts', 30.04],
      ]),
    );
    assert.deepEqual(longestFirst(files, record), ['a.test.ts', 'c.test.ts', 'd.test.ts', 'b.test.ts']);
  });
});

test('times of other files stay, and no file is left beside the record', () => {
  withRecord((record, folder) => {
    keepTimes(
      record,
      new Map([
        ['a.test.ts', 1],
        ['b.test.ts', 2],
      ]),
    );
    keepTimes(record, new Map([['b.test.ts', 3]]));
    assert.deepEqual(JSON.parse(readFileSync(record, 'utf8')), { 'a.test.ts': 1, 'b.test.ts': 3 });
    assert.deepEqual(readdirSync(join(folder, 'deeper')), ['times.json']);
  });
});

test('a record that cannot be read changes nothing, and is replaced', () => {
  withRecord((record) => {
    keepTimes(record, new Map());
    for (const damaged of ['{"a.test.ts":', '[]', 'null', '{"a.test.ts":"long"}']) {
      writeFileSync(record, damaged);
      assert.deepEqual(longestFirst(files, record), files, damaged);
      keepTimes(record, new Map([['d.test.ts', 1]]));
      assert.deepEqual(longestFirst(files, record).at(-1), 'd.test.ts', damaged);
    }
  });
});

test('a run starts its files in the order that it was given, and keeps what each took', async () => {
  const folder = temporaryFolder('times');
  try {
    const record = join(folder, 'times.json');
    const seeded = Object.fromEntries(
      ['b', 'c', 'a'].map((name) => [`${name}.test.ts`, `test('of ${name}', () => {});`]),
    );
    const { isGreen, text } = await runSeeded(seeded, { timesRecord: record });
    assert.ok(isGreen, text);
    assert.match(text, /of b[\s\S]*of c[\s\S]*of a/);
    assert.deepEqual(
      Object.keys(JSON.parse(readFileSync(record, 'utf8'))).sort(),
      Object.keys(seeded).sort(),
    );
  } finally {
    removeFolder(folder);
  }
});
