import type { Transactions } from '../transactions.ts';

/** How late a node hears of events that another one has made. A look-up of a few rows by their key each time costs the database next to nothing. */
const pollMs = 300;

interface Watcher {
  readonly listener: (tenants: readonly string[]) => void;
  readonly watched: () => Iterable<string>;
}

/**
 * Tells watchers which tenants may have new events: of this node's changes at once, of those that other nodes make by looking at the numbers of
 * the tenants that somebody watches here. (NOTIFY would let the commits of all tenants wait for each other.)
 */
export class EventWatch {
  readonly #database: Transactions;
  readonly #watchers = new Set<Watcher>();
  /** The last event that was told of, by tenant; only of those that are watched. */
  #told = new Map<string, string>();
  #timer: NodeJS.Timeout | null = null;

  constructor(database: Transactions) {
    this.#database = database;
  }

  watch(listener: Watcher['listener'], watched: Watcher['watched']): () => void {
    const watcher = { listener, watched };
    this.#watchers.add(watcher);
    this.#timer ??= this.#schedule();
    return () => {
      this.#watchers.delete(watcher);
      if (this.#watchers.size === 0) this.#stop();
    };
  }

  /** Changes of this node have been committed. */
  changed(tenants: readonly string[]): void {
    if (tenants.length > 0) for (const { listener } of this.#watchers) listener(tenants);
  }

  close(): void {
    this.#watchers.clear();
    this.#stop();
  }

  #stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #schedule(): NodeJS.Timeout {
    return setTimeout(() => void this.#poll(), pollMs).unref();
  }

  async #poll(): Promise<void> {
    try {
      this.changed(await this.#news());
    } catch {
      // Whoever waits for events hears of them when the database answers again.
    }
    if (this.#timer !== null) this.#timer = this.#schedule();
  }

  /** A tenant that was not watched before is among them: nobody knows what it had when its watcher came. */
  async #news(): Promise<readonly string[]> {
    const watched = new Set<string>();
    for (const watcher of this.#watchers) for (const tenant of watcher.watched()) watched.add(tenant);
    if (watched.size === 0) {
      this.#told.clear();
      return [];
    }
    const rows = await this.#database.read((sql) =>
      sql.rows<{ tenant: string; last: string }>(
        `SELECT tenant, concat_ws('-', last_event, last_mark) AS last FROM tenants WHERE tenant = ANY ($1)`,
        [[...watched]],
      ),
    );
    const news = rows.filter(({ tenant, last }) => this.#told.get(tenant) !== last);
    this.#told = new Map(rows.map(({ tenant, last }) => [tenant, last]));
    return news.map(({ tenant }) => tenant);
  }
}
