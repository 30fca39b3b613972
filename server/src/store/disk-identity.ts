import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClusterIdentity, IdentifiedStore } from '../ports/cluster-identity.ts';

/** In a data directory whose catalog is elsewhere: which catalog its objects belong to. */
export class DiskIdentity implements IdentifiedStore {
  readonly #path: string;

  constructor(directory: string) {
    this.#path = join(directory, 'catalog-mark.json');
  }

  async readIdentity(): Promise<ClusterIdentity | null> {
    try {
      return JSON.parse(await readFile(this.#path, 'utf8')) as ClusterIdentity;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  }

  async writeIdentity(identity: ClusterIdentity): Promise<void> {
    const staged = `${this.#path}.new`;
    await writeFile(staged, `${JSON.stringify(identity)}\n`, { flush: true });
    await rename(staged, this.#path);
  }
}
