import { createHash } from 'node:crypto';
import { chmodSync, linkSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Names for the files of one statement, in folders that are empty between statements: an instance that may open what is in these folders
 * can open the files of its current statement, and no others. They are hard links, because the engine looks where symbolic ones lead.
 */
export class StatementLinks {
  /** One below each of the parents, which may be on several filesystems. */
  readonly directories: readonly string[];
  #made = false;

  constructor(parents: readonly string[], name: string) {
    this.directories = parents.map((parent) => join(parent, name));
  }

  /** A link for each file, in order; null if one cannot be made, and then there is none. */
  make(files: readonly string[]): readonly string[] | null {
    const links = new Map<string, string>();
    try {
      if (files.length > 0) this.#makeDirectories();
      for (const file of files) if (!links.has(file)) links.set(file, this.#link(file));
    } catch {
      // Another filesystem, or a file that is not ours. One that is gone is reported by who opens it.
      this.remove();
      return null;
    }
    return files.map((file) => links.get(file) as string);
  }

  remove(): void {
    if (!this.#made) return;
    for (const directory of this.directories) rmSync(directory, { recursive: true, force: true });
    this.#made = false;
  }

  #makeDirectories(): void {
    this.#made = true;
    for (const directory of this.directories) mkdirSync(directory, { mode: 0o700 });
  }

  #link(file: string): string {
    // The same name for the same file: what the engine remembers of it is found by that.
    const name = `${createHash('sha256').update(file).digest('hex').slice(0, nameLength)}.parquet`;
    let failure: unknown;
    for (const directory of this.directories)
      try {
        const path = join(directory, name);
        linkSync(file, path);
        protect(path);
        return path;
      } catch (error) {
        failure = error;
      }
    throw failure;
  }
}

/** Nobody writes to an object again. A folder that may be read may be written to, as well, and the files in it only if their modes say so. */
function protect(path: string): void {
  const { mode } = statSync(path);
  if ((mode & 0o222) !== 0) chmodSync(path, mode & 0o555);
}

/** Of hexadecimal digits: two files of a tenant never have the same. */
const nameLength = 32;
