/** "How to add …" in CONTRIBUTING.md names the files of each change. These tests hold what the code can show of it. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { listenerWriters } from '../../src/encode/row-writers.ts';
import { rowFormats } from '../../src/ports/renderer.ts';
import { repositoryRoot } from '../support/repository.ts';
import { importedModules, resolveImport, serverSources, sourceFiles } from './source-files.ts';

const sources = serverSources();
const contributing = readFileSync(join(repositoryRoot, 'CONTRIBUTING.md'), 'utf8');
const howTo = contributing.slice(contributing.indexOf('## How to add'), contributing.indexOf('## Commits'));

test('every file that it names exists', () => {
  const named = [...howTo.matchAll(/`([\w./-]+\.(?:ts|py|md))`/g)].map((match) => match[1] ?? '');
  assert.ok(named.length > 15, 'the page is read');
  const folders = ['', 'server', 'server/src', 'server/test'];
  const missing = named.filter((path) =>
    path.includes('/')
      ? !folders.some((folder) => existsSync(join(repositoryRoot, folder, path)))
      : !['server', 'engines', 'e2e'].flatMap(sourceFiles).some((file) => basename(file.path) === path),
  );
  assert.deepEqual(missing, []);
});

test('an output format and a row writer each have a file of their own, and nothing outside the formats asks which one it is', () => {
  for (const format of rowFormats)
    assert.ok(existsSync(join(repositoryRoot, `server/src/encode/${format}.ts`)), format);
  const writers = sources.filter(
    ({ path, text }) => path.startsWith('server/src/encode/') && /\bsatisfies RowWriter</.test(text),
  );
  assert.equal(writers.length, Object.keys(listenerWriters).length);
  const asking = sources.filter(
    ({ path, text }) => /^server\/src\/(http|flight)\//.test(path) && /ormat [!=]== '(?!json')/.test(text),
  );
  assert.deepEqual(
    asking.map(({ path }) => path),
    [],
  );
});

test('a path is written where its route is registered, and nowhere else', () => {
  const routes = sources.flatMap(({ path, text }) =>
    [...text.matchAll(/\bresource\(app, '([^']+)'/g)].map(([, url = '']) => ({ path, url })),
  );
  assert.ok(routes.length > 15, 'the sources are read');
  // The external database has an /exec of its own, and the management address its own probes.
  const others = /^server\/src\/(upstream|management)\//;
  const ours = sources.filter(({ path }) => !others.test(path));
  // The root is also what separates the steps of any path.
  for (const { path, url } of routes.filter(({ url }) => url !== '/'))
    assert.deepEqual(
      ours.filter(({ text }) => text.includes(`'${url}'`)).map((file) => file.path),
      [path],
      url,
    );
});

/** Files whose text has this, without the server's room before them. */
function filesWith(text: RegExp): string[] {
  return sources.filter((file) => text.test(file.text)).map(({ path }) => path.replace('server/src/', ''));
}

test('an error has its row, and the files that throw it', () => {
  const files = filesWith(/\bdigest_mismatch\b/);
  assert.ok(files.includes('model/errors.ts') && files.length <= 2, files.join(', '));
  // What depends on the kind is in its row.
  assert.deepEqual(filesWith(/Record<ErrorKind,/), ['model/errors.ts']);
});

test('a catalog operation with a route and a Flight action has ten files at most, since there are two catalogs', () => {
  const files = filesWith(/unshare/);
  assert.ok(files.includes('ports/catalog/sharing.ts'), 'the sources are read');
  assert.ok(files.length <= 10, files.join(', '));
});

test('only one file of compose knows the store, and only one each engine', () => {
  for (const [folder, file] of [
    ['server/src/store/', 'store'],
    ['server/src/engine/', 'engine'],
    // Loaded only if it is configured.
    ['engines/spark/', 'spark'],
  ] as const) {
    const knowing = sources.filter(({ path, text }) =>
      importedModules(text).some((module) => resolveImport(path, module).startsWith(folder)),
    );
    assert.deepEqual(
      knowing.map(({ path }) => path).filter((path) => !path.startsWith(folder)),
      [`server/src/compose/${file}.ts`],
    );
  }
});

test('no function of compose has more than 80 lines', () => {
  const composing = sources.filter(({ path }) => path.startsWith('server/src/compose/'));
  assert.ok(composing.length > 10, 'the sources are read');
  for (const { path, text } of composing)
    for (const [body] of text.matchAll(/^(?:export )?(?:async )?function [\s\S]*?^}$/gm))
      assert.ok(body.split('\n').length <= 80, `${path}: ${body.slice(0, 60)}`);
});

test('a type that differs from another in its layout only is named in six files at most: all others ask the table of types', () => {
  for (const kind of ['utf8-view', 'binary-view']) {
    const naming = filesWith(new RegExp(`'${kind}'`));
    assert.ok(naming.includes('model/types/type-table.ts'), kind);
    assert.ok(naming.length <= 6, `${kind} is named in ${naming.join(', ')}`);
  }
});
