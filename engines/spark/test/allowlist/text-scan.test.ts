import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AllowlistFinding } from '../../src/allowlist/refusal.ts';
import { bracketDepthMax, scanText, textBytesMax, wordsMax } from '../../src/allowlist/text-scan.ts';

function finding(sql: string): AllowlistFinding {
  try {
    scanText(sql);
  } catch (thrown) {
    if (thrown instanceof AllowlistFinding) return thrown;
    throw thrown;
  }
  assert.fail(`was not found: ${JSON.stringify(sql.slice(0, 80))}`);
}

test('comments become spaces, so that every place stays where it was', () => {
  const sql = "select 1 -- one\r\n, /* two\n */ '--', `/*` from t";
  const blanked = scanText(sql);
  assert.equal(blanked.length, sql.length);
  assert.equal(blanked, "select 1       \r\n,       \n    '--', `/*` from t");
});

test('quotes hide what looks like a comment, an end or a bracket', () => {
  for (const sql of [
    "select ';--/*', `;--/*(`",
    "select 'it''s -- no comment'",
    "select 'a\\'; -- no comment'",
    "select r'\\', '--'",
    "select R'\\d' , date'2024-01-01'",
    "select bar'x'",
  ])
    assert.equal(scanText(sql), sql);
});

test('only white space, comments and semicolons follow a statement', () => {
  assert.equal(scanText('select 1; ;\n-- end\n'), 'select 1; ;\n      \n');
  assert.equal(finding('select 1; select 2').position, 10);
  assert.equal(finding('; select 1').position, 2);
});

test('what a lexer reads in a surprising way is refused with its place', () => {
  const cases: readonly (readonly [sql: string, position: number | null])[] = [
    ["select '${env:HOME}'", 8],
    ['select 1 /* ${a} */', 12],
    ['select "a"', 7],
    ['select /*+ broadcast(t) */ 1', 7],
    ['select /* /* */ */ 1', 10],
    ['select 1 -- a\\\n+ 1', 13],
    ['select $$a$$', 7],
    ['select \\', 7],
    ['select\u00a01', 6],
    ['select\u000b1', 6],
    ['\ufeffselect 1', 0],
    ['ſelect 1', 0],
    ['select 1\u0000', 8],
    ["select '\u0000'", 8],
    ['select file://etc', 11],
    ["select 1e+5r'\\'", 12],
    ['select `a\nb`', 9],
    ["select '\ud800'", null],
  ];
  for (const [sql, position] of cases) {
    const { kind, position: found } = finding(sql);
    assert.deepEqual([sql, kind, found], [sql, 'sql_refused', position]);
  }
});

test('what is not closed is invalid, at its beginning', () => {
  for (const [sql, position] of [
    ["select 'a", 7],
    ["select 'a\\'", 7],
    ["select r'a", 8],
    ['select `a', 7],
    ['select 1 /* a', 9],
  ] as const) {
    const { kind, position: found } = finding(sql);
    assert.deepEqual([sql, kind, found], [sql, 'sql_invalid', position]);
  }
});

test('a text is as long as it may be, and no longer', () => {
  const most = `select '${'ä'.repeat((textBytesMax - 9) / 2)}'`;
  assert.equal(scanText(most), most);
  assert.equal(finding(`${most}  `).position, null);
});

test('a statement has as many words and signs as it may, and no more', () => {
  const list = (count: number) => `select ${'1,'.repeat((count - 2) / 2)}1`;
  assert.equal(scanText(list(wordsMax)), list(wordsMax));
  assert.match(finding(`${list(wordsMax)} x`).message, /words and signs/);
});

test('brackets are as deep as they may be, and no deeper', () => {
  const brackets = (depth: number) => `select ${'('.repeat(depth)}1${')'.repeat(depth)}`;
  assert.equal(scanText(brackets(bracketDepthMax)), brackets(bracketDepthMax));
  assert.equal(finding(brackets(bracketDepthMax + 1)).position, 7 + bracketDepthMax);
  const beside = `select ${'(1) + '.repeat(500)}(1)`;
  assert.equal(scanText(beside), beside);
});

test('many comments beside each other take no longer than their length', () => {
  const sql = `select ${'/* a */ '.repeat(20_000)}1`;
  const started = performance.now();
  assert.equal(scanText(sql).trimEnd().length, sql.length);
  assert.ok(performance.now() - started < 2_000);
});
