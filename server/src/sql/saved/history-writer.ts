import type { Clock } from '../../model/clock.ts';
import type { Catalog } from '../../ports/catalog/catalog.ts';
import type { NewHistoryEntry } from '../../ports/catalog/queries.ts';
import type { Observe } from '../../ports/observation.ts';
import type { HistoryRecorder } from './history.ts';

export interface HistoryWriterDependencies {
  readonly catalog: Pick<Catalog, 'addHistory'>;
  readonly observe: Observe;
  readonly now: Clock;
}

export interface HistoryWriterOptions {
  /** Entries of one caller that are kept; 0: none is. Asked each time. */
  readonly keptMax: () => number;
}

/** One transaction a second at most, however many statements end. */
const waitMs = 1_000;
/** The catalog's thread writes so many in some 10 ms, and others wait for it. */
const batchMax = 500;
/** Statements that end while the catalog is busy: several seconds of the most that a server runs. */
const queueMax = 10_000;
/** And their texts, which are 16 Ki characters at most: 32 MB. */
const queueCharactersMax = 16 * 1024 * 1024;

/** Writes the history behind the statements' backs, in batches. If it cannot keep up, the oldest entries are lost, and counted. */
export class HistoryWriter implements HistoryRecorder {
  readonly #dependencies: HistoryWriterDependencies;
  readonly #keptMax: () => number;
  #queue: NewHistoryEntry[] = [];
  #characters = 0;
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> | null = null;

  constructor(dependencies: HistoryWriterDependencies, { keptMax }: HistoryWriterOptions) {
    this.#dependencies = dependencies;
    this.#keptMax = keptMax;
  }

  add(entry: NewHistoryEntry): void {
    if (this.#keptMax() === 0) return;
    this.#queue.push(entry);
    this.#characters += entry.sql.length;
    if (this.#queue.length > queueMax || this.#characters > queueCharactersMax) this.#loseOldest();
    this.#writeLater();
  }

  /** Everything that was added before is written when it resolves, or lost. Never rejects. */
  flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#writing !== null) return this.#writing.then(() => this.flush());
    if (this.#queue.length === 0) return Promise.resolve();
    this.#writing = this.#writeQueued().finally(() => {
      this.#writing = null;
      this.#writeLater();
    });
    return this.#writing;
  }

  async close(): Promise<void> {
    await this.flush();
  }

  #writeLater(): void {
    if (this.#queue.length === 0 || this.#timer !== null || this.#writing !== null) return;
    this.#timer = setTimeout(() => void this.flush(), waitMs);
    this.#timer.unref();
  }

  /** What is there now. What comes meanwhile waits for the next time, so that batches stay large. */
  async #writeQueued(): Promise<void> {
    const { catalog, now } = this.#dependencies;
    for (let left = this.#queue.length; left > 0; left -= batchMax) {
      const batch = this.#queue.splice(0, Math.min(left, batchMax));
      for (const { sql } of batch) this.#characters -= sql.length;
      try {
        await catalog.addHistory(batch, Math.max(1, this.#keptMax()), now());
      } catch (error) {
        this.#lost(batch.length, error);
      }
    }
  }

  /** A tenth at once, so that it does not happen with every entry. */
  #loseOldest(): void {
    const lost = this.#queue.splice(0, Math.ceil(this.#queue.length / 10));
    for (const { sql } of lost) this.#characters -= sql.length;
    this.#lost(lost.length, null);
  }

  #lost(count: number, error: unknown): void {
    this.#dependencies.observe({ event: 'history-lost', count, error });
  }
}
