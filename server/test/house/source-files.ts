import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { repositoryRoot } from '../support/repository.ts';

export interface SourceFile {
  /** From the repository's root, with slashes. */
  readonly path: string;
  readonly text: string;
}

/** Our own TypeScript under a folder, also that of components; generated code is left out. */
export function sourceFiles(folder: string): SourceFile[] {
  return globSync(`${folder}/**/*.{ts,tsx}`, {
    cwd: repositoryRoot,
    exclude: ['**/gen/**', '**/node_modules/**', '**/dist/**'],
  })
    .sort()
    .map((path) => ({ path, text: readFileSync(join(repositoryRoot, path), 'utf8') }));
}

/** Paths of our own Python under a folder. */
export function pythonFiles(folder: string): string[] {
  return globSync(`${folder}/**/*.py`, {
    cwd: repositoryRoot,
    exclude: ['**/node_modules/**', '**/dist/**', '**/.venv/**'],
  });
}

/** What runs in the server: its own sources, and those of the engines that are workspaces of their own. */
export function serverSources(): SourceFile[] {
  return ['server/src', 'engines/*/src'].flatMap(sourceFiles);
}

/** What a file imports, by any form of import or re-export: module names as they are written. */
export function importedModules(text: string): string[] {
  const withoutComments = text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*\/\/.*$/gm, '');
  const forms = [
    /^\s*(?:import|export)\b[^'";]*?\bfrom\s*'([^']+)'/gm,
    /^\s*import\s*'([^']+)'/gm,
    /\bimport\(\s*'([^']+)'\s*\)/g,
    /\bnew URL\(\s*'([^']+\.[tj]s)'\s*,\s*import\.meta\.url\s*\)/g,
  ];
  return forms.flatMap((form) => [...withoutComments.matchAll(form)].map((match) => match[1] ?? ''));
}

/** A relative import as a path from the repository's root. */
export function resolveImport(from: string, module: string): string {
  return relative('.', join(dirname(from), module));
}
