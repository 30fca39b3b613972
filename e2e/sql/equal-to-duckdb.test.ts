/**
 * SQL gives what DuckDB itself gives: each statement of statements.sql runs in Python's DuckDB of the same version over Parquet files that
 * pyarrow wrote, and over the same tables as frames, through HTTP as JSON and as Arrow and through ADBC.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { inLongRun } from '../../server/test/support/long-run.ts';
import { runPython } from '../../server/test/support/python.ts';
import { removeFolder, temporaryFolder } from '../../server/test/support/temporary-folder.ts';

const script = join(import.meta.dirname, '..', 'python', 'equal_to_duckdb.py');
const written = join(import.meta.dirname, 'statements.sql');
/** All of some 300, each by three ways; else every third of each group. */
const every = inLongRun(1, 3);
const timeoutMs = 1_400_000;

interface Report {
  /** What is wrong with a statement, by the way that it came; empty if nothing is. */
  readonly faults: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly compared: number;
}

let framehold: Framehold;
let report: Report;
const folder = temporaryFolder('equal');

before(async () => {
  framehold = await Framehold.start();
  const statements = join(folder, 'statements.sql');
  const texts = groups().map(
    (group) => `-- ${group.title}\n${group.statements.map((sql) => `${sql};\n`).join('')}`,
  );
  writeFileSync(statements, texts.join('\n'));
  const request = { http: framehold.url, grpc: framehold.grpcUrl, folder, statements };
  report = (await runPython([script], request, timeoutMs)) as Report;
});
after(async () => {
  await framehold?.remove();
  removeFolder(folder);
});

/** Title and statements of each `-- title` of the file, as far as they are tried. */
function groups(): { readonly title: string; readonly statements: readonly string[] }[] {
  const [, ...sections] = readFileSync(written, 'utf8').split(/^-- /m);
  return sections
    .map((section) => {
      const [title = '', ...lines] = section.split('\n');
      const all = lines.filter((line) => line !== '').map((line) => line.slice(0, -1));
      return { title, statements: all.filter((_, index) => index % every === 0) };
    })
    .filter((group) => group.statements.length > 0);
}

for (const { title, statements: ofGroup } of groups()) {
  describe(title, () => {
    for (const sql of ofGroup) test(sql, () => assert.deepEqual(report.faults[sql], {}));
  });
}

test('as many statements were compared as there are', () => {
  assert.ok(report.compared >= 280 / every, `${report.compared}`);
  assert.equal(
    groups().flatMap((group) => group.statements).length,
    report.compared,
    'every statement is a test',
  );
});
