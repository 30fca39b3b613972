/** docs/explanation/dependencies.md names every dependency of every package.json, and no other. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { dependenciesOf, type PackageLock, packagesOf } from '../../../scripts/sbom.ts';
import { repositoryRoot } from '../support/repository.ts';

const text = (...path: string[]) => readFileSync(join(repositoryRoot, ...path), 'utf8');
const page = text('docs', 'explanation', 'dependencies.md');
const lock = JSON.parse(text('package-lock.json')) as PackageLock & {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean; readonly link?: boolean }>>;
};

interface Manifest {
  readonly workspaces?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const manifest = (...folder: string[]) => JSON.parse(text(...folder, 'package.json')) as Manifest;
const workspaces = manifest().workspaces ?? [];

/** The rows of a section, as cells without back-quotes. */
function rowsOf(section: string): string[][] {
  const begin = page.indexOf(`\n## ${section}\n`);
  if (begin === -1) return [];
  const end = page.indexOf('\n## ', begin + 1);
  const lines = page.slice(begin, end === -1 ? undefined : end).split('\n');
  return lines
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .slice(2, -2)
        .split(' | ')
        .map((cell) => cell.replaceAll('`', '')),
    );
}

/** `engines/spark`: Spark. */
const titled = (workspace: string) => {
  const name = basename(workspace);
  return name.charAt(0).toUpperCase() + name.slice(1);
};
const isOurs = (name: string) => lock.packages[`node_modules/${name}`]?.link === true;

test('the page has a row for each dependency of each workspace, with a job, a reason and what others run', () => {
  assert.ok(workspaces.length >= 3, 'the workspaces are read');
  for (const workspace of workspaces) {
    const wanted = dependenciesOf(manifest(workspace)).filter((name) => !isOurs(name));
    const rows = rowsOf(titled(workspace));
    assert.deepEqual(rows.map(([name]) => name).sort(), wanted.sort(), workspace);
    for (const cells of rows) {
      assert.equal(cells.length, 5, cells.join(' | '));
      for (const cell of cells.slice(2)) assert.ok(cell.length > 10, cells.join(' | '));
    }
  }
});

test('the numbers of packages are those of the lock', () => {
  const wrong = workspaces.flatMap((workspace) =>
    rowsOf(titled(workspace)).flatMap(([name = '', count]) => {
      const real = packagesOf(lock, workspace, name).length;
      return String(real) === count ? [] : [`${name}: ${count}, and it is ${real}`];
    }),
  );
  assert.deepEqual(wrong, []);
});

test('so is their sum', () => {
  const all = workspaces.flatMap((workspace) =>
    rowsOf(titled(workspace)).flatMap(([name = '']) => packagesOf(lock, workspace, name)),
  );
  assert.ok(page.includes(`Together they are ${new Set(all).size},`), String(new Set(all).size));
});

test('the page has a row for each tool', () => {
  const developed = (folder: Manifest) => Object.keys(folder.devDependencies ?? {});
  const used = new Set(workspaces.flatMap((workspace) => dependenciesOf(manifest(workspace))));
  const ofWorkspaces = workspaces.flatMap((workspace) => developed(manifest(workspace)));
  const wanted = new Set([...developed(manifest()), ...ofWorkspaces.filter((name) => !used.has(name))]);
  assert.deepEqual(
    rowsOf('Tools')
      .map(([name]) => name)
      .sort(),
    [...wanted].sort(),
  );
});

test('what was left out is in no installation', () => {
  const rows = rowsOf('Left out');
  assert.ok(rows.length >= 10, 'the section is read');
  const names = rows.flatMap(([cell = '']) => cell.split(', '));
  const present = names.filter(isRuntime);
  assert.deepEqual(present, []);
});

function isRuntime(name: string): boolean {
  const sbom = JSON.parse(text('docs', 'sbom.cdx.json')) as { components: readonly { name: string }[] };
  return sbom.components.some((component) => component.name === name);
}
