import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { FrameholdError } from '../../model/errors.ts';
import { syncPath } from './copy-file.ts';
import { type Manifest, readManifest, writeManifest } from './manifest.ts';

/** Says what the directory is. A server refuses to start on a directory that has it. */
const markFile = 'backup.json';

/**
 * A directory of backups, held by one command at a time:
 *
 *     backup.json           what this is
 *     backups/<id>/         manifest.json, and the files that are copied whole each time
 *     objects/, cold/       objects, each once for all backups
 *     unfinished/           what a backup is writing; removed by the next command
 */
export class BackupDirectory {
  readonly path: string;
  readonly #lock: DatabaseSync;

  /** `create`: make it if it does not exist. */
  static open(path: string, create: boolean): BackupDirectory {
    if (!existsSync(join(path, markFile))) {
      if (!create) throw notABackup(path);
      makeDirectory(path);
    }
    const directory = new BackupDirectory(path, takeLock(path));
    rmSync(directory.#unfinished, { recursive: true, force: true });
    return directory;
  }

  private constructor(path: string, lock: DatabaseSync) {
    this.path = path;
    this.#lock = lock;
  }

  get #backups(): string {
    return join(this.path, 'backups');
  }

  get #unfinished(): string {
    return join(this.path, 'unfinished');
  }

  /** Every finished backup, oldest first. */
  list(): readonly Manifest[] {
    if (!existsSync(this.#backups)) return [];
    return readdirSync(this.#backups)
      .sort()
      .map((id) => readManifest(this.file(id, 'manifest.json')));
  }

  find(id: string): Manifest {
    const found = this.list().find((manifest) => manifest.id === id);
    if (found !== undefined) return found;
    throw new FrameholdError('internal', `${this.path} has no backup ${JSON.stringify(id)}.`, {
      hint: `framehold backup list ${this.path} shows what it has.`,
    });
  }

  file(id: string, name: string): string {
    return join(this.#backups, id, name);
  }

  /** An empty directory for the files of a backup that begins. */
  begin(): string {
    mkdirSync(this.#unfinished, { recursive: true, mode: 0o700 });
    return this.#unfinished;
  }

  /** The backup exists from here on, also after a loss of power. */
  async finish(manifest: Omit<Manifest, 'layout'>): Promise<Manifest> {
    const file = join(this.#unfinished, 'manifest.json');
    writeFileSync(file, writeManifest(manifest), { flag: 'wx', mode: 0o600, flush: true });
    await syncPath(this.#unfinished);
    mkdirSync(this.#backups, { recursive: true, mode: 0o700 });
    renameSync(this.#unfinished, join(this.#backups, manifest.id));
    await syncPath(this.#backups);
    await syncPath(this.path);
    return this.find(manifest.id);
  }

  /** Its objects stay until `removeUnused`. */
  async remove(id: string): Promise<void> {
    this.find(id);
    rmSync(this.#unfinished, { recursive: true, force: true });
    // At once: a kill in the middle must not leave a backup without its catalog.
    renameSync(join(this.#backups, id), this.#unfinished);
    await syncPath(this.#backups);
    rmSync(this.#unfinished, { recursive: true, force: true });
  }

  close(): void {
    this.#lock.close();
  }
}

function makeDirectory(path: string): void {
  if (existsSync(path) && readdirSync(path).length > 0)
    throw new FrameholdError('internal', `${path} is not empty and is not a directory of backups.`, {
      hint: 'Give an empty or new directory, on another disk than the data directory.',
    });
  mkdirSync(path, { recursive: true, mode: 0o700 });
  // All tenants' rows and the hashes of their tokens will be below, whatever mode it was made with.
  chmodSync(path, 0o700);
  writeFileSync(join(path, markFile), `${JSON.stringify({ layout: 1 })}\n`, { mode: 0o600, flush: true });
}

function notABackup(path: string): FrameholdError {
  return new FrameholdError('internal', `${path} is not a directory of backups.`, {
    hint: 'Give the directory that framehold backup has written to.',
  });
}

/** A lock of the kernel, which goes with the process. */
function takeLock(path: string): DatabaseSync {
  const lock = new DatabaseSync(join(path, 'lock'));
  try {
    lock.exec('PRAGMA busy_timeout = 0; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return lock;
  } catch (cause) {
    lock.close();
    throw new FrameholdError('internal', `Another command uses the backups in ${path}.`, {
      cause,
      hint: 'Wait until it has ended, then run this one again.',
    });
  }
}
