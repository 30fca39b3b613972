import { constants } from 'node:fs';
import { chmod, type FileHandle, lstat, mkdir, open, opendir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { KeysInUse } from '../base/keys-in-use.ts';
import { FrameholdError } from '../model/errors.ts';
import { idTime, orderedId } from '../model/handle.ts';
import type { Written } from '../ports/codec.ts';
import type { ResultFile, ResultFolder, ResultFolders } from '../ports/result-folders.ts';
import type { ThreadPool } from '../workers/thread-pool.ts';
import { type CopyTask, identityOf } from './copy-file.ts';
import { filePool } from './file-pool.ts';
import { changedResult, entriesMax, incompleteResult, resultFiles } from './result-names.ts';

/** Copies at once in the one thread: each has a statement that was admitted. */
const copiesMax = 64;
/** As long as a caller would wait behind others. */
const queueWaitMs = 600_000;

/** Of the folders that the engine's user goes through, and of the one that it writes in. The group is inherited. */
const passMode = 0o2750;
const writeMode = 0o2770;

/**
 * Folders in a directory that the machines of the engine have under the same path: `<root>/<tenant>/<id>/result`. The engine makes `result`; what is above
 * it belongs to this server, so that nobody else can put something in its place.
 */
export class DiskResultFolders implements ResultFolders {
  readonly #root: string;
  readonly #inUse = new KeysInUse();
  readonly #copies = filePool('result', copiesMax, { queueMax: copiesMax, queueWaitMs });

  constructor(root: string) {
    this.#root = root;
  }

  async create(tenant: string): Promise<ResultFolder> {
    const key = `${tenant}/${orderedId()}`;
    const path = join(this.#root, key);
    const release = this.#inUse.hold([key]);
    try {
      await mkdir(join(this.#root, tenant), { recursive: true });
      await chmod(join(this.#root, tenant), passMode);
      await mkdir(path);
      await chmod(path, writeMode);
    } catch (cause) {
      release();
      throw new FrameholdError('internal', 'The folder for the result cannot be made.', {
        cause,
        hint: 'Check that this server may write to spark.attempts_path.',
      });
    }
    return new DiskResultFolder(path, this.#copies, release);
  }

  async removeStale(before: number): Promise<number> {
    let count = 0;
    for (const tenant of await directoriesIn(this.#root)) {
      for (const id of await directoriesIn(join(this.#root, tenant))) {
        const at = idTime(id);
        // What is no folder of ours is left alone.
        if (at === null || at >= before || this.#inUse.has(`${tenant}/${id}`)) continue;
        await rm(join(this.#root, tenant, id), { recursive: true, force: true });
        count += 1;
      }
    }
    return count;
  }

  async close(): Promise<void> {
    await this.#copies.close();
  }
}

class DiskResultFolder implements ResultFolder {
  readonly #path: string;
  readonly #result: string;
  readonly #copies: ThreadPool;
  readonly #release: () => void;
  /** Open from the first look at it: whatever its path means later, the files are of this directory. */
  #directory: FileHandle | null = null;

  constructor(path: string, copies: ThreadPool, release: () => void) {
    this.#path = path;
    this.#result = join(path, 'result');
    this.#copies = copies;
    this.#release = release;
  }

  get address(): string {
    return `file://${this.#result}`;
  }

  async files(): Promise<readonly ResultFile[]> {
    const directory = await this.#open();
    const found: ResultFile[] = [];
    for await (const { name } of await opendir(directory)) {
      if (found.length === entriesMax) throw incompleteResult(new Error('too many entries'));
      found.push(await entryOf(directory, name));
    }
    return resultFiles(found);
  }

  async copy(file: ResultFile, path: string, signal: AbortSignal): Promise<Written> {
    const source = join(await this.#open(), file.name);
    const task: CopyTask = { source, target: path, bytes: file.bytes, identity: file.tag };
    const written = await this.#copies.run<Written | null>('copy', task, signal);
    if (written === null) throw changedResult();
    return written;
  }

  async remove(): Promise<void> {
    try {
      await this.#directory?.close();
      this.#directory = null;
      await rm(this.#path, { recursive: true, force: true });
    } finally {
      this.#release();
    }
  }

  /** A path of the directory. On Linux it leads to the open one, also if another directory or a link has taken its place. */
  async #open(): Promise<string> {
    try {
      this.#directory ??= await open(
        this.#result,
        constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW,
      );
    } catch (cause) {
      throw incompleteResult(cause);
    }
    return process.platform === 'linux' ? `/proc/self/fd/${this.#directory.fd}` : this.#result;
  }
}

/** Only regular files that have this one name count as files: a link could lead anywhere. */
async function entryOf(directory: string, name: string): Promise<ResultFile> {
  try {
    const found = await lstat(join(directory, name), { bigint: true });
    const isOwn = found.isFile() && found.nlink === 1n;
    // Anything else gets a name that no file of a result has.
    if (!isOwn) return { name: `${name}/`, bytes: 0, tag: '' };
    return { name, bytes: Number(found.size), tag: identityOf(found) };
  } catch (cause) {
    throw incompleteResult(cause);
  }
}

async function directoriesIn(path: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(path, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
