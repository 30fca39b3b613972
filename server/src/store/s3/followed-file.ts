import type { FileHandle } from 'node:fs/promises';
import type { ObjectContent } from '../../ports/object-store.ts';
import type { Job } from '../../workers/job.ts';
import { StagedDiskFile } from '../staged-disk-file.ts';
import { chunkBytes } from './chunk-memory.ts';
import type { FollowMessage } from './s3-worker.ts';

/** A smaller file is sent in one or two requests when it is published. */
const followBytesMin = 2 * chunkBytes;

/** A staged file whose parts are sent while it is written, so that little is left to send when it is published. */
export class FollowedFile extends StagedDiskFile {
  readonly #follow: (file: FollowedFile) => Promise<Job>;
  #following: Promise<Job | null> | null = null;
  #bytesTold = 0;

  /** `follow` begins an upload of the file. */
  constructor(key: string, path: string, file: FileHandle, follow: (file: FollowedFile) => Promise<Job>) {
    super(key, path, file, { syncs: false });
    this.#follow = follow;
  }

  override async write(buffers: readonly Uint8Array[]): Promise<void> {
    await super.write(buffers);
    if (this.bytesWritten < followBytesMin || this.bytesWritten - this.#bytesTold < chunkBytes) return;
    this.#bytesTold = this.bytesWritten;
    // If it cannot begin, the file is sent when it is published.
    this.#following ??= this.#follow(this).catch(() => null);
    this.#tell({ type: 'written', bytes: this.bytesWritten });
  }

  /** Whether it has been stored. False if nothing was sent, or sending has failed before: then it is sent as any other file. */
  async stored(content: ObjectContent): Promise<boolean> {
    const job = await this.#following;
    if (job === null) return false;
    job.send({ type: 'complete', content } satisfies FollowMessage);
    return (await job.result) === true;
  }

  override async discard(): Promise<void> {
    this.#tell({ type: 'discarded' });
    await super.discard();
  }

  #tell(message: FollowMessage): void {
    void this.#following?.then((job) => job?.send(message));
  }
}
