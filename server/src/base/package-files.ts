import { basename } from 'node:path';

/** The sources are modules in many folders. The package has them bundled into one folder, this module too. */
export const isBundled = import.meta.url.endsWith('.js');

/** The module that a thread or a process starts with. In the sources its path is relative to the module that starts it. */
export function entryModule(importMetaUrl: string, path: string): URL {
  return bundledFile(`${basename(path)}.js`) ?? new URL(`./${path}.ts`, importMetaUrl);
}

/** A file or folder that the build puts beside the bundle; null in a clone. */
export function bundledFile(path: string): URL | null {
  return isBundled ? new URL(`./${path}`, import.meta.url) : null;
}

/** The same, with its place in a clone, relative to `server/src`. */
export function packageFile(place: { readonly bundled: string; readonly source: string }): URL {
  return bundledFile(place.bundled) ?? new URL(`../${place.source}`, import.meta.url);
}
