import { constants } from 'node:fs';
import { access, mkdir, open, opendir, rename, rm, unlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { KeysInUse } from '../base/keys-in-use.ts';
import type { StoredObject } from '../model/version.ts';
import type {
  FinishedFile,
  LocalObject,
  ObjectContent,
  ObjectFault,
  ObjectStore,
  Staging,
  VerifyOptions,
} from '../ports/object-store.ts';
import { DiskStaging } from './disk-staging.ts';
import { filePool, readVerifiesMax } from './file-pool.ts';
import type { VerifyTask } from './file-worker.ts';
import { isObjectKey, requireObjectKey } from './object-keys.ts';
import { StagedDiskFile } from './staged-disk-file.ts';
import { unreadableObject } from './unreadable-object.ts';

/** Keys a page of `list` holds: bounds what one question to the catalog asks about. */
const listPageKeys = 500;

interface Root {
  readonly objects: string;
  readonly scratch: string;
}

/** Objects in two directories: Arrow forms below the data directory, Parquet where cold storage was configured. */
export class DiskStore implements ObjectStore {
  readonly staging: Staging;
  readonly opensVerified = false;
  readonly openBytesMax = null;
  readonly #arrow: Root;
  readonly #parquet: Root;
  readonly #knownDirectories = new Set<string>();
  /** Files that are open on this machine: they are not removed. */
  readonly #pins = new KeysInUse();
  readonly #removing = new Set<string>();
  readonly #verifies = filePool('verify', readVerifiesMax);
  /** Separate, because it is slow on purpose: a read that waits for its check must not queue behind it. */
  readonly #scrubs = filePool('scrub', 1);

  private constructor(arrow: Root, parquet: Root) {
    this.#arrow = arrow;
    this.#parquet = parquet;
    this.staging = new DiskStaging((key) => this.#root(key).scratch);
  }

  /** Makes the directories and sweeps what an earlier process left unfinished. The data directory must be locked. */
  static async open(dataDirectory: string, parquetDirectory: string): Promise<DiskStore> {
    const store = DiskStore.at(dataDirectory, parquetDirectory);
    for (const root of [store.#arrow, store.#parquet]) {
      await rm(root.scratch, { recursive: true, force: true });
      await mkdir(root.scratch, { recursive: true });
      await mkdir(root.objects, { recursive: true });
      await syncDirectory(dirname(root.objects));
    }
    return store;
  }

  /** The same without a change to the disk: for a look at what is there. */
  static at(dataDirectory: string, parquetDirectory: string): DiskStore {
    const arrow = { objects: join(dataDirectory, 'objects'), scratch: join(dataDirectory, 'tmp') };
    const parquet = { objects: parquetDirectory, scratch: join(parquetDirectory, '.tmp') };
    return new DiskStore(arrow, parquet);
  }

  async publish(file: FinishedFile, _content: ObjectContent): Promise<void> {
    if (!(file instanceof StagedDiskFile)) return this.#moveOrRemove(file);
    await file.sync();
    await file.close();
    await this.#move(file);
    file.released();
  }

  async open(object: StoredObject): Promise<LocalObject> {
    const release = await this.hold(object);
    return { path: this.#path(object.key), release };
  }

  async hold({ key }: StoredObject): Promise<() => void> {
    const path = this.#path(key);
    // Before anything is awaited: a removal that begins later sees it.
    const release = this.#pins.hold([key]);
    try {
      if (this.#removing.has(key)) throw new Error('It is being removed.');
      await access(path, constants.R_OK);
    } catch (cause) {
      release();
      throw unreadableObject(key, cause);
    }
    return release;
  }

  get openCount(): number {
    return this.#pins.size;
  }

  async remove(key: string): Promise<boolean> {
    const path = this.#path(key);
    if (this.#pins.has(key)) return false;
    this.#removing.add(key);
    try {
      await unlink(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    } finally {
      this.#removing.delete(key);
    }
    return true;
  }

  /** For programs to which the same directories are shared. */
  address(key: string): string {
    return `file://${resolve(this.#path(key))}`;
  }

  async *list(): AsyncGenerator<readonly string[], void, void> {
    let page: string[] = [];
    for (const root of new Set([this.#arrow.objects, this.#parquet.objects])) {
      for await (const tenant of await opendir(root)) {
        if (!tenant.isDirectory() || tenant.name.startsWith('.')) continue;
        for await (const file of await opendir(join(root, tenant.name))) {
          const key = `${tenant.name}/${file.name}`;
          // A file that is none of ours is left alone: cold storage may be a directory with other things in it.
          if (!isObjectKey(key)) continue;
          page.push(key);
          if (page.length === listPageKeys) {
            yield page;
            page = [];
          }
        }
      }
    }
    if (page.length > 0) yield page;
  }

  /** What was left unfinished is in staging, which is emptied when the store opens. */
  async removeStale(): Promise<number> {
    return 0;
  }

  async verify(objects: readonly StoredObject[], options: VerifyOptions): Promise<readonly ObjectFault[]> {
    const { bytesPerSecond, signal } = options;
    const task: VerifyTask = {
      objects: objects.map(({ key, bytes, sha256 }) => ({ key, bytes, sha256, path: this.#path(key) })),
      bytesPerSecond,
    };
    if (bytesPerSecond === null) return this.#verifies.run('verify', task, signal);
    await this.#scrubs.run('lower-priority', null, signal);
    return this.#scrubs.run('verify', task, signal);
  }

  async close(): Promise<void> {
    await Promise.all([this.#verifies.close(), this.#scrubs.close()]);
  }

  async #moveOrRemove(file: FinishedFile): Promise<void> {
    try {
      await this.#move(file);
    } catch (error) {
      await rm(file.path, { force: true });
      throw error;
    }
  }

  async #move({ path, key }: FinishedFile): Promise<void> {
    const target = this.#path(key);
    const directory = dirname(target);
    if (!this.#knownDirectories.has(directory)) {
      await mkdir(directory, { recursive: true });
      await syncDirectory(dirname(directory));
      this.#knownDirectories.add(directory);
    }
    // Keys are random ids, so this never renames over an existing file, which was seen to block the main thread.
    await rename(path, target);
    await syncDirectory(directory);
  }

  #root(key: string): Root {
    return key.endsWith('.parquet') ? this.#parquet : this.#arrow;
  }

  #path(key: string): string {
    requireObjectKey(key);
    return join(this.#root(key).objects, key);
  }
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
