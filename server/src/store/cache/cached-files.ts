import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isObjectKey } from '../object-keys.ts';

export interface CachedFile {
  readonly key: string;
  readonly path: string;
  readonly bytes: number;
}

interface DatedFile extends CachedFile {
  readonly writtenAt: number;
}

/** Files that are looked at together: a large cache has hundreds of thousands, and the server starts after that. */
const filesAtOnce = 256;

/** The copies that an earlier process has left, oldest first, one of each object. What else is there is removed. */
export async function cachedFiles(directory: string): Promise<readonly CachedFile[]> {
  const found = new Map<string, DatedFile>();
  for (const tenant of await readdir(directory, { withFileTypes: true })) {
    const folder = join(directory, tenant.name);
    if (!tenant.isDirectory()) {
      await rm(folder, { force: true });
      continue;
    }
    const names = await readdir(folder);
    for (let at = 0; at < names.length; at += filesAtOnce) {
      const some = names.slice(at, at + filesAtOnce);
      for (const file of await Promise.all(some.map((name) => datedFile(tenant.name, folder, name)))) {
        if (!isObjectKey(file.key) || found.has(file.key))
          await rm(file.path, { force: true, recursive: true });
        else found.set(file.key, file);
      }
    }
  }
  return [...found.values()].sort((one, other) => one.writtenAt - other.writtenAt);
}

async function datedFile(tenant: string, folder: string, name: string): Promise<DatedFile> {
  const path = join(folder, name);
  const { size, mtimeMs } = await stat(path);
  // The name of a copy is its key and a random id.
  return { key: `${tenant}/${name.split('~', 1)[0] ?? ''}`, path, bytes: size, writtenAt: mtimeMs };
}
