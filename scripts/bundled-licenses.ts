import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const scope = '@framehold/';

/** The licences of all packages that are bundled into what a workspace builds: they ask that their text goes with every copy. */
export function bundledLicenses(workspace: string): string {
  const seen = new Set<string>();
  const pending = [`${scope}${workspace}`];
  const folders: string[] = [];
  for (const name of pending) {
    if (seen.has(name)) continue;
    seen.add(name);
    const isOurs = name.startsWith(scope);
    const folder = isOurs ? join(root, name.slice(scope.length)) : join(root, 'node_modules', name);
    pending.push(...Object.keys(manifestOf(folder).dependencies ?? {}));
    if (!isOurs) folders.push(folder);
  }
  return licensesIn(folders);
}

/** The licences of the packages in these folders. */
export function licensesIn(folders: Iterable<string>): string {
  const texts = new Map<string, string>();
  for (const folder of folders) {
    const { name, version, license } = manifestOf(folder);
    texts.set(`${name} ${version}`, `${name} ${version} (${license})\n\n${licenseText(folder).trim()}\n`);
  }
  const sorted = [...texts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text);
  return sorted.join(`\n${'-'.repeat(80)}\n\n`);
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly author?: string | { readonly name: string };
  readonly dependencies?: Readonly<Record<string, string>>;
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}

/** A package of two licences has a file for each. */
function licenseText(folder: string): string {
  const files = readdirSync(folder).filter((file) => /^licen[cs]e/i.test(file));
  if (files.length > 0) return files.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n');
  return textByName(folder);
}

/** Some packages name their licence and do not contain its text. */
function textByName(folder: string): string {
  const { name, license, author = '' } = manifestOf(folder);
  const apache = () => readFileSync(join(root, 'LICENSE'), 'utf8');
  if (license === 'Apache-2.0') return apache();
  if (license === 'MIT') {
    const holder = typeof author === 'string' ? author : author.name;
    const text = readFileSync(join(import.meta.dirname, 'license-texts', 'MIT.txt'), 'utf8');
    if (holder !== '') return `Copyright (c) ${holder}\n\n${text}`;
  }
  // The second licence is that of one file, which begins with it.
  if (name === '@bufbuild/protobuf') {
    const source = readFileSync(join(folder, 'dist', 'esm', 'wire', 'varint.js'), 'utf8').split('\n');
    const header = source.slice(
      0,
      source.findIndex((line) => !line.startsWith('//')),
    );
    return `${apache()}\n${header.map((line) => line.slice(3)).join('\n')}`;
  }
  throw new Error(`${name} has no licence text.`);
}
