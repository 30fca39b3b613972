import type { AccessGuard } from '../../frames/access/access-guard.ts';
import type { Audit } from '../../frames/access/audit.ts';
import type { Caller } from '../../model/caller.ts';
import type { Catalog } from '../../ports/catalog/catalog.ts';
import type { HistoryPage, HistorySlice } from '../../ports/catalog/queries.ts';
import type { History } from './history.ts';
import type { HistoryWriter } from './history-writer.ts';

export interface HistoryDependencies {
  readonly catalog: Pick<Catalog, 'history' | 'clearHistory'>;
  readonly writer: Pick<HistoryWriter, 'flush'>;
  readonly access: AccessGuard;
  readonly audit: Audit;
}

export class HistoryService implements History {
  readonly #dependencies: HistoryDependencies;

  constructor(dependencies: HistoryDependencies) {
    this.#dependencies = dependencies;
  }

  async list(caller: Caller, page: HistoryPage): Promise<HistorySlice> {
    const { access, catalog, writer } = this.#dependencies;
    access.check(caller, 'history.list');
    // What the caller has seen end is in its history.
    await writer.flush();
    return catalog.history(caller.tenant, caller.name, page);
  }

  async clear(caller: Caller): Promise<void> {
    const { access, audit, catalog, writer } = this.#dependencies;
    access.check(caller, 'history.clear');
    await writer.flush();
    await catalog.clearHistory(caller.tenant, caller.name);
    audit.done(caller, 'history.clear', null);
  }
}
