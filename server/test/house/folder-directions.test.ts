/**
 * Inside a room: seen from any folder, its files and subfolders do not import each other in a circle. So nothing in a subfolder
 * reaches back up to what uses it, and each subfolder can be read, moved or replaced alone.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { circlesIn } from './import-circles.ts';
import { importedModules, resolveImport, type SourceFile, sourceFiles } from './source-files.ts';

const roots = ['server/src', 'engines/spark/src', 'cli/src', 'console/src', 'client/src'];

/**
 * Folders that have circles from before this rule, with how many of their files and subfolders are in one. They may lose some,
 * and get no more.
 */
const inCirclesMax: Readonly<Record<string, number>> = {
  'server/src/catalog/postgres': 5,
  'server/src/catalog/sqlite': 7,
  'server/src/engine/duckdb': 2,
  'server/src/http': 8,
  'server/src/sql': 2,
  'server/src/transcode': 4,
  'console/src': 6,
};

const imports = (files: readonly SourceFile[]) =>
  files.flatMap(({ path, text }) =>
    importedModules(text)
      .filter((module) => module.startsWith('.'))
      .map((module) => [path, resolveImport(path, module)] as const),
  );

/** By folder: which of its files and subfolders import which others of it. */
function folderEdges(links: readonly (readonly [string, string])[]): Map<string, Map<string, Set<string>>> {
  const folders = new Map<string, Map<string, Set<string>>>();
  for (const [from, to] of links) {
    const source = from.split('/');
    const target = to.split('/');
    const depth = source.findIndex((step, index) => step !== target[index]);
    const folder = source.slice(0, depth).join('/');
    if (!roots.some((root) => folder.startsWith(root))) continue;
    const edges = folders.get(folder) ?? new Map<string, Set<string>>();
    const step = source[depth] ?? '';
    folders.set(folder, edges.set(step, (edges.get(step) ?? new Set()).add(target[depth] ?? '')));
  }
  return folders;
}

/** Files and subfolders that reach themselves. */
function inCircles(edges: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  return [...edges.keys()].filter((start) => {
    const seen = new Set<string>();
    const open = [start];
    for (let next = open.pop(); next !== undefined; next = open.pop())
      for (const target of edges.get(next) ?? [])
        if (!seen.has(target)) open.push(target) && seen.add(target);
    return seen.has(start);
  });
}

test('a subfolder that reaches back up is found', () => {
  const edges = folderEdges([
    ['server/src/x/a.ts', 'server/src/x/sub/b.ts'],
    ['server/src/x/sub/b.ts', 'server/src/x/c.ts'],
    ['server/src/x/c.ts', 'server/src/x/sub/d.ts'],
    ['server/src/x/sub/d.ts', 'server/src/y/e.ts'],
  ]);
  assert.deepEqual(inCircles(edges.get('server/src/x') ?? new Map()), ['sub', 'c.ts']);
  assert.deepEqual(inCircles(edges.get('server/src') ?? new Map()), []);
});

test('files and subfolders of a folder do not import each other in a circle', () => {
  const links = imports(roots.flatMap(sourceFiles));
  assert.ok(links.length > 2_000, 'the sources are read');
  const wrong = [...folderEdges(links)]
    .map(([folder, edges]) => ({ folder, inCircles: inCircles(edges) }))
    .filter(({ folder, inCircles }) => inCircles.length > (inCirclesMax[folder] ?? 0))
    .map(({ folder, inCircles }) => `${folder}: ${inCircles.join(', ')}`);
  assert.deepEqual(wrong, []);
});

test('files of the command line, the console, the client and the engines do not import each other in a circle', () => {
  for (const root of roots.slice(1)) {
    const edges = new Map<string, string[]>();
    for (const [from, to] of imports(sourceFiles(root))) edges.set(from, [...(edges.get(from) ?? []), to]);
    assert.ok(edges.size > 10, root);
    assert.deepEqual(circlesIn(edges), [], root);
  }
});
