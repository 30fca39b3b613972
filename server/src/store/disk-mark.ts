import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CatalogMark, MarkedStore } from '../ports/catalog-mark.ts';

/** In a data directory whose catalog is elsewhere: which catalog its objects belong to. */
export class DiskMark implements MarkedStore {
  readonly #path: string;

  constructor(directory: string) {
    this.#path = join(directory, 'catalog-mark.json');
  }

  async readMark(): Promise<CatalogMark | null> {
    try {
      return JSON.parse(await readFile(this.#path, 'utf8')) as CatalogMark;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  }

  async writeMark(mark: CatalogMark): Promise<void> {
    const staged = `${this.#path}.new`;
    await writeFile(staged, `${JSON.stringify(mark)}\n`, { flush: true });
    await rename(staged, this.#path);
  }
}
