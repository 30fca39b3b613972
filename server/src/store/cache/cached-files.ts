import { opendir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isObjectKey } from '../object-keys.ts';

export interface CachedFile {
  readonly key: string;
  readonly path: string;
  readonly bytes: number;
}

/** The copies that an earlier process has left, oldest first, one of each object. What else is there is removed. */
export async function cachedFiles(directory: string): Promise<readonly CachedFile[]> {
  const found = new Map<string, CachedFile & { readonly writtenAt: number }>();
  for await (const tenant of await opendir(directory)) {
    const folder = join(directory, tenant.name);
    if (!tenant.isDirectory()) {
      await rm(folder, { force: true });
      continue;
    }
    for await (const file of await opendir(folder)) {
      const path = join(folder, file.name);
      const key = `${tenant.name}/${file.name.split('~', 1)[0] ?? ''}`;
      const { size, mtimeMs } = await stat(path);
      if (!isObjectKey(key) || found.has(key)) await rm(path, { force: true, recursive: true });
      else found.set(key, { key, path, bytes: size, writtenAt: mtimeMs });
    }
  }
  return [...found.values()].sort((one, other) => one.writtenAt - other.writtenAt);
}
