/** A newcomer can read all decisions in force: they are short, the index lists them by theme, and each number leads to its record. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { repositoryRoot } from '../support/repository.ts';

/** About one screen: what is longer is not read. */
const linesMax = 40;
const folder = join(repositoryRoot, 'docs', 'decisions');
const read = (path: string) => readFileSync(path, 'utf8');
const recordsIn = (path: string) => readdirSync(path).filter((name) => /^\d{4}-/.test(name));
const numberOf = (name: string) => name.slice(0, 4);

const inForce = recordsIn(folder);
const superseded = recordsIn(join(folder, 'superseded'));
const numbers = new Set([...inForce, ...superseded].map(numberOf));
const index = read(join(folder, 'README.md'));

test(`records in force have at most ${linesMax} lines`, () => {
  assert.ok(inForce.length > 20, 'the records are read');
  const long = inForce.filter((name) => read(join(folder, name)).trimEnd().split('\n').length > linesMax);
  assert.deepEqual(long, []);
});

test('a number belongs to one record, and each record begins with its number', () => {
  assert.equal(numbers.size, inForce.length + superseded.length);
  const paths = [...inForce, ...superseded.map((name) => join('superseded', name))];
  const wrong = paths.filter((path) => !read(join(folder, path)).startsWith(`# ${/\d{4}/.exec(path)?.[0]}`));
  assert.deepEqual(wrong, []);
});

test('the index lists the records in force by theme, then the others with the record that replaces them', () => {
  const [themes = '', others = ''] = index.split('## Merged and superseded');
  const linked = (text: string, pattern: RegExp) =>
    [...text.matchAll(pattern)].map((match) => match[1] ?? '');
  assert.deepEqual(linked(themes, /^\| \[\d{4}\]\(([^)]+)\)/gm).sort(), [...inForce].sort());
  assert.deepEqual(linked(others, /^\| \[\d{4}\]\(superseded\/([^)]+)\)/gm).sort(), [...superseded].sort());
  const replacements = linked(others, /\| \[\d{4}\]\((\d{4}-[^)]+)\) \|$/gm);
  assert.equal(replacements.length, superseded.length);
  assert.deepEqual(
    replacements.filter((name) => !inForce.includes(name)),
    [],
  );
});

/** What git tracks or would track: sources and documents, not what is built or installed. */
function textFiles(): string[] {
  const listed = execFileSync(
    'git',
    [
      'ls-files',
      '--cached',
      '--others',
      '--exclude-standard',
      '*.md',
      '*.ts',
      '*.tsx',
      '*.py',
      '*.sql',
      '*.sh',
    ],
    { cwd: repositoryRoot, encoding: 'utf8' },
  );
  return listed.split('\n').filter((path) => path !== '' && existsSync(join(repositoryRoot, path)));
}

test('every number and every link that the project cites leads to a record', () => {
  let seen = 0;
  const broken = textFiles().flatMap((path) => {
    const text = read(join(repositoryRoot, path));
    const cited = [...text.matchAll(/\b[Rr]ecords? (\d{4})\b|decisions\/(?:superseded\/)?(\d{4})\b/g)]
      .map((match) => match[1] ?? match[2] ?? '')
      .filter((number) => ++seen > 0 && !numbers.has(number));
    const links = path.endsWith('.md')
      ? [...text.matchAll(/\]\(([^)\s#]*\d{4}-[a-z0-9-]+\.md)/g)]
          .map((match) => match[1] ?? '')
          .filter((link) => !/^https?:/.test(link))
          .filter((link) => !existsSync(join(repositoryRoot, dirname(path), link)))
      : [];
    return [...cited, ...links].map((what) => `${path}: ${what}`);
  });
  assert.ok(seen > 50, 'citations are found');
  assert.deepEqual(broken, []);
});
