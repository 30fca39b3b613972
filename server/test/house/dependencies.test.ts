/** What may come with `npm ci`: pinned, hashed, licensed as we can live with, and running nothing while it is installed. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type PackageLock, renderSbom } from '../../../scripts/sbom.ts';
import { repositoryRoot } from '../support/repository.ts';

const text = (...path: string[]) => readFileSync(join(repositoryRoot, ...path), 'utf8');

interface Locked {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly link?: boolean;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly hasInstallScript?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
}
const lock = JSON.parse(text('package-lock.json')) as { packages: Readonly<Record<string, Locked>> };
const installed = Object.entries(lock.packages)
  .filter(([path, { link }]) => path.includes('node_modules/') && link !== true)
  .map(([path, locked]) => ({ ...locked, name: path.replace(/^.*node_modules\//, '') }));

const allowedLicenses = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  '(Apache-2.0 AND BSD-3-Clause)',
  'MIT OR Apache-2.0',
]);

/** Tools of the build and the tests, which no package of ours contains: their licence obliges only who passes them on. */
const allowedForTools = new Set(['BSD-2-Clause', 'MPL-2.0']);

/** npm writes neither hash nor licence of a binary for another platform if the registry it was locked against lacked it. */
function isForeignBinary({ optional, os, cpu }: Locked): boolean {
  const isHere = (os === undefined || os.includes('linux')) && cpu?.includes('x64');
  return optional === true && cpu !== undefined && !isHere;
}

/** Binaries for Linux on x64 that came with another C library, and are not used by it. */
const unlockedHere = /^@(biomejs\/cli|oxc-parser\/binding|rolldown\/binding)-linux-x64-musl$/;

const named = ({ name, version }: { name: string; version?: string }) => `${name}@${version}`;

test('the lock is read', () => assert.ok(installed.length > 100));

test('every dependency is pinned to one version', () => {
  const { workspaces } = JSON.parse(text('package.json')) as { readonly workspaces: readonly string[] };
  for (const folder of ['.', ...workspaces]) {
    const manifest = JSON.parse(text(folder, 'package.json')) as Record<
      string,
      Readonly<Record<string, string>> | undefined
    >;
    for (const kind of ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'])
      for (const [name, version] of Object.entries(manifest[kind] ?? {}))
        assert.match(version, /^\d+\.\d+\.\d+(-[\w.]+)?$/, `${name} in ${folder}`);
  }
});

test('every package has a SHA-512, but for binaries of other platforms', () => {
  const without = installed.filter(({ integrity }) => !integrity?.startsWith('sha512-'));
  const wrong = without.filter((each) => !isForeignBinary(each) && !unlockedHere.test(each.name));
  assert.deepEqual(wrong.map(named), []);
});

test('every package comes from the registry, and the lock names no host', () => {
  const wrong = installed.filter(({ resolved }) => resolved !== undefined);
  assert.deepEqual(wrong.map(named), []);
});

test('no package runs anything while it is installed', () => {
  const scripts = installed.filter(({ hasInstallScript }) => hasInstallScript === true);
  assert.deepEqual(scripts.map(named), []);
});

/** npm builds a package with this file by itself, without a script. */
const nativeBuild = 'binding.gyp';

test('nor does what lies in node_modules: the lock could leave a script out', () => {
  const paths = Object.keys(lock.packages).filter((path) => path.includes('node_modules/'));
  const present = paths.filter((path) => existsSync(join(repositoryRoot, path, 'package.json')));
  assert.ok(present.length > 100, 'the packages are installed');
  const building = present.filter((path) => {
    const { scripts = {} } = JSON.parse(text(path, 'package.json')) as { scripts?: Record<string, string> };
    const runs = ['preinstall', 'install', 'postinstall'].some((name) => name in scripts);
    return runs || existsSync(join(repositoryRoot, path, nativeBuild));
  });
  assert.deepEqual(building, []);
});

test('every licence is one that we can live with', () => {
  const inProduct = new Set(readSbom().components.map(named));
  const isTool = (each: (typeof installed)[number]) => !inProduct.has(named(each));
  const wrong = installed.filter((each) =>
    each.license === undefined
      ? each.integrity !== undefined
      : !allowedLicenses.has(each.license) && !(isTool(each) && allowedForTools.has(each.license)),
  );
  assert.deepEqual(
    wrong.map((each) => `${named(each)}: ${each.license}`),
    [],
  );
});

test('docs/sbom.cdx.json is what package-lock.json says', () => {
  assert.equal(text('docs', 'sbom.cdx.json'), renderSbom(lock as PackageLock), 'run npm run sbom');
});

interface Sbom {
  readonly metadata: { readonly component: { readonly 'bom-ref': string } };
  readonly components: readonly {
    readonly 'bom-ref': string;
    readonly name: string;
    readonly version: string;
  }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

function readSbom(): Sbom {
  return JSON.parse(text('docs', 'sbom.cdx.json')) as Sbom;
}

test('the bill of materials has every package that npm does not count as development', () => {
  const listed = new Set(readSbom().components.map(named));
  const missing = installed.filter(({ dev }) => dev !== true).filter((each) => !listed.has(named(each)));
  assert.deepEqual(missing.map(named), []);
});

test('the bill of materials is consistent', () => {
  const sbom = readSbom();
  const references = [sbom.metadata.component, ...sbom.components].map((each) => each['bom-ref']);
  assert.equal(new Set(references).size, references.length);
  assert.deepEqual(sbom.dependencies.map(({ ref }) => ref).sort(), references.sort());
  for (const { dependsOn } of sbom.dependencies)
    for (const reference of dependsOn) assert.ok(references.includes(reference), reference);
});
