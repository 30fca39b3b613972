import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importedModules, resolveImport, type SourceFile, sourceFiles } from './source-files.ts';

/**
 * A test that cannot fail is not a test. This finds those in whose text nothing can: no assertion, no `throw`, and no call of a function of
 * these folders that has one. It reads text as Biome formats it: a declaration ends at the first line that is indented like its first
 * and begins with a closing bracket.
 */
const files = ['server/test', 'engines/*/test', 'e2e', 'bench'].flatMap(sourceFiles);

interface Declaration {
  readonly name: string;
  readonly text: string;
}

/** `until` of a started program, `type` of a documented command and `verify` of a stage fail a test, too. */
const failing = /\bassert\w*\b|\bthrow\b|\breject\(|\.(until|type|verify)\(/;
const words = /[A-Za-z_$][\w$]*/g;

/** Functions at any depth. Not methods: their names are too common to say which one is meant. */
function declarations({ text }: SourceFile): Declaration[] {
  const heads =
    /^( *)(?:export )?(?:(?:async )?function\*? |const (?=\w+(?:: [^=]*)? = (?:async )?(?:<.*>)?(?:\(|\w+ =>)))(\w+)/gm;
  return [...text.matchAll(heads)].map((match) => ({
    name: match[2] ?? '',
    text: blockAt(text, match.index, match[1] ?? ''),
  }));
}

function blockAt(text: string, start: number, indent: string): string {
  const lines = text.slice(start).split('\n');
  if (/[;,]$/.test(lines[0] ?? '')) return lines[0] ?? '';
  const end = lines.findIndex(
    (line, at) => at > 0 && line.startsWith(indent) && /^[\])}]+[^{([]*$/.test(line.slice(indent.length)),
  );
  return lines.slice(0, end < 0 ? lines.length : end + 1).join('\n');
}

function tests({ text }: SourceFile): Declaration[] {
  const heads = /^( *)(?:test|it)\(\s*(['"`])(.*?)\2,/gm;
  return [...text.matchAll(heads)].map((match) => ({
    name: match[3] ?? '',
    text: blockAt(text, match.index, match[1] ?? ''),
  }));
}

const byPath = new Map(files.map((file) => [file.path, file]));
const failingNames = new Map<string, ReadonlySet<string>>();

/** Names in a file whose use can fail a test: its own, and those of the files that it imports. */
function namesThatFail(path: string): ReadonlySet<string> {
  const known = failingNames.get(path);
  if (known) return known;
  const names = new Set<string>();
  failingNames.set(path, names);
  const file = byPath.get(path);
  if (!file) return names;
  for (const module of importedModules(file.text))
    if (module.startsWith('.'))
      for (const name of namesThatFail(resolveImport(path, module))) names.add(name);
  const own = declarations(file);
  for (let before = -1; before < names.size; ) {
    before = names.size;
    for (const { name, text } of own) if (canFail(text.replace(name, ''), names)) names.add(name);
  }
  return names;
}

function canFail(text: string, names: ReadonlySet<string>): boolean {
  return failing.test(text) || (text.match(words) ?? []).some((word) => names.has(word));
}

test('every test has something that can fail', () => {
  const without = files
    .filter(({ path }) => /^((server|engines\/[^/]+)\/test|e2e)\//.test(path))
    .flatMap((file) =>
      tests(file)
        .filter(({ text }) => !canFail(text, namesThatFail(file.path)))
        .map(({ name }) => `${file.path}: ${name}`),
    );
  assert.deepEqual(without, []);
});
