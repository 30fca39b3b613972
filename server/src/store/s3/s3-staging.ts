import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { randomId } from '../../model/handle.ts';
import type { StagedFile } from '../../ports/object-store.ts';
import type { Job } from '../../workers/job.ts';
import { DiskStaging } from '../disk-staging.ts';
import { StagedDiskFile } from '../staged-disk-file.ts';
import { FollowedFile } from './followed-file.ts';

/** Staging of objects that are durable only in the bucket: nothing is synced here. */
export class S3Staging extends DiskStaging {
  readonly #follow: (file: FollowedFile) => Promise<Job>;

  constructor(directory: string, follow: (file: FollowedFile) => Promise<Job>) {
    super(() => directory);
    this.#follow = follow;
  }

  override async file(key: string, options = { likely: false }): Promise<StagedFile> {
    const path = join(this.directory(key), `${randomId()}.staged`);
    const file = await open(path, 'wx');
    return options.likely
      ? new FollowedFile(key, path, file, this.#follow)
      : new StagedDiskFile(key, path, file, { syncs: false });
  }
}
