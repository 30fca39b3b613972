import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pythonCommand } from '../server/test/support/python.ts';
import { repositoryRoot } from '../server/test/support/repository.ts';
import { documentedCommands, firstLine, promisePattern } from './fenced-blocks.ts';
import { Newcomer } from './newcomer.ts';

/** Runs what the README, the first steps and the reference ask a newcomer to type, in order, in a fresh copy of the repository. */
let newcomer: Newcomer;
/** The environment that the first steps make; pandas and polars are only in that of the tests. */
let newcomersPython: string;

before(async () => {
  newcomer = await Newcomer.arrive('readme');
  newcomersPython = join(newcomer.workplace, '.venv', 'bin', 'python');
  copyRepository(newcomer.workplace);
});
after(async () => await newcomer[Symbol.asyncDispose]());

for (const page of [
  'README.md',
  'docs/guides/first-steps.md',
  'docs/reference/sql.md',
  'docs/reference/http.md',
])
  describe(page, () => {
    for (const command of documentedCommands(page))
      test(`line ${command.line}: ${firstLine(command)}`, () => newcomer.type(command, newcomersPython));
  });

test('links in the documents lead somewhere', () => {
  const documents = globSync('{*.md,docs/**/*.md,server/proto/*.md,engines/*/{,*/}*.md}', {
    cwd: repositoryRoot,
  });
  const broken = documents.flatMap((path) => {
    const text = readFileSync(join(repositoryRoot, path), 'utf8');
    return [...text.matchAll(/\]\((?!https?:)([^)#\s]+)/g)]
      .map((match) => match[1] ?? '')
      .filter((target) => !existsSync(join(repositoryRoot, dirname(path), target)))
      .map((target) => `${path}: ${target}`);
  });
  assert.ok(documents.length > 30, 'the documents were found');
  assert.deepEqual(broken, []);
});

test('a promise that is not kept is noticed', () => {
  const pattern = promisePattern('{"rows":3,"at":"…"}\nok\n');
  assert.match('{"rows":3,"at":"now"}\nok', pattern);
  for (const other of [
    '{"rows":4,"at":"now"}\nok',
    '{"rows":3,"at":"now"}',
    '{"rows":3,"at":"now"}\nok\nmore',
    '',
  ])
    assert.doesNotMatch(other, pattern);
});

for (const [page, python, count] of [
  ['flight', () => newcomersPython, 5],
  ['flight-sql', () => pythonCommand, 3],
] as const)
  test(`docs/reference/${page}.md: its examples, one after another`, async () => {
    const examples = documentedCommands(`docs/reference/${page}.md`);
    assert.ok(examples.length >= count && examples.every(({ language }) => language === 'python'));
    const printed = await newcomer.run('python', examples.map(({ text }) => text).join('\n'), python());
    const promised = examples.map(({ promise }) => promise ?? '').join('');
    if (promised !== '') assert.match(printed, promisePattern(promised));
  });

test('the server stops with Ctrl-C, as the README says', async () => {
  assert.ok(newcomer.serverRuns, 'the README started a server that still runs');
  await newcomer.stopServer();
});

/** Tracked files, and those that are about to be: what a clone of the next commit has. */
function copyRepository(clone: string): void {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    cwd: repositoryRoot,
    encoding: 'utf8',
  });
  // A tracked file that was just removed is still listed.
  const files = listed.split('\0').filter((path) => path !== '' && existsSync(join(repositoryRoot, path)));
  for (const file of files) cpSync(join(repositoryRoot, file), join(clone, file));
}
