/** The rules of the client, the command line and the console: who imports whom, and what a page under a strict policy may not do. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { circlesIn } from './import-circles.ts';
import { importedModules, resolveImport, sourceFiles } from './source-files.ts';

const client = sourceFiles('client/src');
const console = sourceFiles('console/src');

/** Packages of the console that only one folder may know: the editor and the charts are loaded when they are needed. */
const packageFolders: readonly (readonly [beginning: string, folder: string])[] = [
  ['@codemirror/', 'console/src/editor/'],
  ['@lezer/', 'console/src/editor/'],
  ['uplot', 'console/src/chart/'],
];
/** The table of screens loads each; the shell shows those that need nobody to be signed in. */
const choosesScreens = ['console/src/shell/screens.ts', 'console/src/shell/app.tsx'];
const everywhere = /^(preact|preact\/hooks|@preact\/signals|@framehold\/client|uplot\/.*\.css)$/;

const imports = [...client, ...console].flatMap(({ path, text }) =>
  importedModules(text).map((module) => ({
    from: path,
    module,
    target: module.startsWith('.') ? resolveImport(path, module) : null,
  })),
);

const lines = (wrong: readonly { readonly from: string; readonly module: string }[]) =>
  wrong.map(({ from, module }) => `${from} imports ${module}`);

test('the sources are read', () => assert.ok(client.length > 20 && console.length > 60));

test('the client knows flechette and itself, nothing of Node and nothing of the console', () => {
  const wrong = imports.filter(({ from, module, target }) => {
    if (!from.startsWith('client/')) return false;
    return target === null ? module !== '@uwdata/flechette' : !target.startsWith('client/src/');
  });
  assert.deepEqual(lines(wrong), []);
});

/** What the command line shares with others: the client, and code without state for SQL, typing errors and first bytes. */
const sharedWithCommandLine =
  /^(client\/src\/index|console\/src\/sql\/[a-z-]+|server\/src\/(base\/nearest-name|encode\/foreign-files))\.ts$/;

test('the command line knows the client, modules of Node and what it shares, nothing else of the server or the console', () => {
  const wrong = sourceFiles('cli/src').flatMap(({ path, text }) =>
    importedModules(text)
      .filter((module) => {
        if (!module.startsWith('.')) return !module.startsWith('node:');
        const target = resolveImport(path, module);
        return !target.startsWith('cli/src/') && !sharedWithCommandLine.test(target);
      })
      .map((module) => `${path} imports ${module}`),
  );
  assert.deepEqual(wrong, []);
});

test('the console reaches the server through the client, and each package has its folder', () => {
  const wrong = imports.filter(({ from, module, target }) => {
    if (!from.startsWith('console/')) return false;
    if (target !== null) return !target.startsWith('console/src/');
    const [, folder] = packageFolders.find(([beginning]) => module.startsWith(beginning)) ?? [];
    return folder === undefined ? !everywhere.test(module) : !from.startsWith(folder);
  });
  assert.deepEqual(lines(wrong), []);
});

test('what screens share is not in a screen', () => {
  const screenOf = (path: string) => /^console\/src\/screens\/([^/]+)\//.exec(path)?.[1];
  const wrong = imports.filter(({ from, target }) => {
    const screen = target === null ? undefined : screenOf(target);
    return screen !== undefined && screen !== screenOf(from) && !choosesScreens.includes(from);
  });
  assert.deepEqual(lines(wrong), []);
});

test('files do not import each other in a circle', () => {
  const edges = new Map<string, string[]>();
  for (const { from, target } of imports)
    if (target !== null) edges.set(from, [...(edges.get(from) ?? []), target]);
  assert.deepEqual(circlesIn(edges), []);
});

test('no text becomes markup or code', () => {
  const wrong = [...client, ...console].filter(({ text }) =>
    /\b(innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|document\.write)\b|\beval\(|\bnew Function\b/.test(
      text,
    ),
  );
  assert.deepEqual(
    wrong.map(({ path }) => path),
    [],
  );
});
