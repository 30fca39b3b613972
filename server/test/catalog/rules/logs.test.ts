import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type LogTrim, type TrimmedLog, trimOf } from '../../../src/catalog/rules/logs.ts';

const base = { log: 1, count: 4 };
const child = { log: 7, count: 3 };
const other = { log: 8, count: 5 };
const kept = { removed: null, joined: null };

const cases: readonly [what: string, TrimmedLog, LogTrim][] = [
  ['with versions', { ownEnd: 6, base: null, children: [] }, { needed: 6, mayCompact: true, ...kept }],
  [
    'with a version of one part, which has nothing to compact',
    { ownEnd: 1, base: null, children: [] },
    { needed: 1, mayCompact: false, ...kept },
  ],
  [
    'that another one continues beyond its versions',
    { ownEnd: 2, base, children: [other] },
    { needed: 5, mayCompact: true, ...kept },
  ],
  [
    'that nothing needs',
    { ownEnd: null, base: null, children: [] },
    { needed: 0, mayCompact: false, ...kept },
  ],
  [
    'that nothing needs, and that continues another one',
    { ownEnd: null, base, children: [] },
    { needed: 0, mayCompact: false, removed: { base }, joined: null },
  ],
  [
    'without versions, that one continues',
    { ownEnd: null, base, children: [child] },
    { needed: 3, mayCompact: true, removed: null, joined: { child: 7, base } },
  ],
  [
    'without versions, that one continues and that continues none',
    { ownEnd: null, base: null, children: [child] },
    { needed: 3, mayCompact: true, removed: null, joined: { child: 7, base: null } },
  ],
  [
    'without versions, that two continue',
    { ownEnd: null, base, children: [child, other] },
    { needed: 5, mayCompact: true, ...kept },
  ],
];

for (const [what, log, trim] of cases)
  test(`a log ${what}`, () => {
    assert.deepEqual(trimOf(log), trim);
  });
