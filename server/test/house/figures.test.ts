/** docs/figures.md shows the newest full run of each case, and nothing else. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { BenchmarkCase, Sample } from '../../../bench/suite/benchmark-case.ts';
import { caseResult } from '../../../bench/suite/case-result.ts';
import { allFamilies } from '../../../bench/suite/families/all-families.ts';
import { thisMachine } from '../../../bench/suite/machine.ts';
import { readRecordedCases, recordCases } from '../../../bench/suite/recorded-cases.ts';
import { renderFiguresPage } from '../../../scripts/figures-page.ts';
import { repositoryRoot } from '../support/repository.ts';
import { removeFolder, temporaryFolder } from '../support/temporary-folder.ts';

const page = readFileSync(join(repositoryRoot, 'docs/figures.md'), 'utf8');

test('the page is what the results say', () => {
  assert.equal(page, renderFiguresPage(), 'run node scripts/write-reference.ts');
});

test('only cases that can be measured are shown, each with date, commit and machine', () => {
  const known = new Set(allFamilies.flatMap(({ cases }) => cases.map(({ name }) => name)));
  const recorded = Object.entries(readRecordedCases());
  assert.ok(recorded.length > 20, 'the results are read');
  for (const [name, { at, commit, machine }] of recorded) {
    assert.ok(known.has(name), name);
    assert.ok(!Number.isNaN(Date.parse(at)) && commit !== '' && machine !== '', name);
  }
});

test('links of the page lead somewhere', () => {
  const links = [...page.matchAll(/\]\(([^)#]+)/g)].map((match) => match[1] ?? '');
  assert.deepEqual(
    links.filter((link) => !existsSync(join(repositoryRoot, 'docs', link))),
    [],
  );
});

test('a run replaces the cases that it measured and keeps the others', () => {
  const folder = temporaryFolder('recorded');
  try {
    const file = join(folder, 'bench-results.json');
    writeFileSync(file, '{}');
    const machine = { ...thisMachine(), at: '2026-01-01T00:00:00.000Z', commit: 'abc' };
    const described = (name: string): BenchmarkCase => ({
      name,
      title: name,
      quantity: 'rate',
      unit: 'requests/s',
      peer: 'another',
      targets: [{ of: 'ratio', atLeast: 0.5 }],
    });
    const sample = (work: number): Sample => ({ work, seconds: 3, cpuSeconds: 1, peakMegabytes: 100 });
    const result = (name: string, work: number) =>
      caseResult(described(name), { framehold: [sample(work)], peer: [sample(200)] });
    recordCases(machine, [result('put', 100), result('read', 100)], file);
    recordCases({ ...machine, commit: 'def' }, [result('read', 300)], file);
    const { put, read } = readRecordedCases(file);
    assert.deepEqual([put?.commit, put?.framehold, put?.verdict], ['abc', 33.33, 'met']);
    assert.deepEqual([read?.commit, read?.framehold, read?.ratio], ['def', 100, 1.5]);
    const [, row = ''] = /^(\| `read` .*)$/m.exec(renderFiguresPage(readRecordedCases(file))) ?? [];
    assert.match(
      row,
      /100 requests\/s \| another: 66\.7 \| 1\.5 .* ≥ 0\.5 \| met \| 2026-01-01, `def`, 1 \|$/,
    );
  } finally {
    removeFolder(folder);
  }
});
