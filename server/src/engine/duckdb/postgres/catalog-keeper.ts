import { CatalogInstance, type CatalogOptions } from './catalog-instance.ts';

/** Tools ask several questions in a row, people after some minutes again: then the instance is made anew in a tenth of a second. */
const idleMs = 60_000;

/** The instance of this process: at most one, for one tenant. A statement has it alone. */
export class CatalogKeeper {
  #kept: CatalogInstance | null = null;
  #idle: NodeJS.Timeout | undefined;

  async take(tenant: string, options: CatalogOptions): Promise<CatalogInstance> {
    clearTimeout(this.#idle);
    const kept = this.#kept;
    this.#kept = null;
    if (kept?.tenant === tenant) return kept;
    kept?.close();
    const instance = await CatalogInstance.open(tenant, options);
    await instance.verify();
    return instance;
  }

  /** After a statement that has ended well, or with an error of its own. */
  giveBack(instance: CatalogInstance): void {
    this.#kept?.close();
    this.#kept = instance;
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => {
      this.#kept?.close();
      this.#kept = null;
    }, idleMs).unref();
  }
}
