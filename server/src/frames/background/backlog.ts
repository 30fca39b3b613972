import type { Clock } from '../../model/clock.ts';
import { type Backlog, backlogCountMax, type MaintenanceCatalog } from '../../ports/catalog/maintenance.ts';

/** Several may read the metrics; what waits changes slowly. */
const keptMs = 10_000;

/** What waits for the background, of all nodes together. Counted when somebody asks, once for all who ask within ten seconds. */
export class BacklogCount {
  readonly #catalog: Pick<MaintenanceCatalog, 'backlog'>;
  readonly #now: Clock;
  #counted: { readonly at: number; readonly backlog: Promise<Backlog> } | null = null;

  constructor(catalog: Pick<MaintenanceCatalog, 'backlog'>, now: Clock) {
    this.#catalog = catalog;
    this.#now = now;
  }

  count(): Promise<Backlog> {
    const at = this.#now();
    if (this.#counted === null || at >= this.#counted.at + keptMs || at < this.#counted.at)
      this.#counted = { at, backlog: this.#ask(at) };
    return this.#counted.backlog;
  }

  async #ask(at: number): Promise<Backlog> {
    const backlog = await this.#catalog.backlog(backlogCountMax);
    const { untranscodedSince } = backlog;
    return {
      ...backlog,
      untranscodedOldestMs: untranscodedSince === null ? 0 : Math.max(0, at - untranscodedSince),
    };
  }
}
