import { open, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { randomId } from '../model/handle.ts';
import type { StagedFile, Staging } from '../ports/object-store.ts';
import { StagedDiskFile } from './staged-disk-file.ts';

/** Staging in the filesystem in which an object ends, so that publishing is a rename. */
export class DiskStaging implements Staging {
  readonly directory: (key: string) => string;

  constructor(directory: (key: string) => string) {
    this.directory = directory;
  }

  async file(key: string): Promise<StagedFile> {
    const path = join(this.directory(key), `${randomId()}.staged`);
    return new StagedDiskFile(key, path, await open(path, 'wx'), { syncs: true });
  }

  async freeBytes(key: string): Promise<number> {
    const { bavail, bsize } = await statfs(this.directory(key));
    return bavail * bsize;
  }
}
