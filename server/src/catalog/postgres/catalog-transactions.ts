import { FrameholdError } from '../../model/errors.ts';
import type { Sql, Transaction } from '../../postgres/database.ts';
import { isOutdated } from './outdated.ts';
import type { Transactions } from './transactions.ts';

/** Each time another change has been made: so many in a row mean that it is not that. */
const triesMax = 10;

/**
 * The transactions of one catalog. One that another came before, between what it has read and what it writes, is made again. Mostly it holds the
 * lock of a name, and then none can; but a name, a key or a schema that is new has no row to lock.
 */
export class CatalogTransactions implements Transactions {
  readonly #database: Transactions;
  readonly #onCommitted: (sql: Transaction) => void;
  readonly #running = new Set<Promise<unknown>>();
  #isClosed = false;

  constructor(database: Transactions, onCommitted: (sql: Transaction) => void) {
    this.#database = database;
    this.#onCommitted = onCommitted;
  }

  read<Answer>(work: (sql: Sql) => Promise<Answer>): Promise<Answer> {
    return this.#run(() => this.#database.read(work));
  }

  change<Answer>(work: (sql: Transaction) => Promise<Answer>): Promise<Answer> {
    return this.#run(() => this.#change(work));
  }

  /** Refuses what is asked for from now on, and resolves when all that was has ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
  }

  async #change<Answer>(work: (sql: Transaction) => Promise<Answer>): Promise<Answer> {
    for (let tries = 1; ; tries++) {
      try {
        let used: Transaction | null = null;
        const answer = await this.#database.change((sql) => {
          used = sql;
          return work(sql);
        });
        if (used !== null) this.#onCommitted(used);
        return answer;
      } catch (error) {
        if (!isOutdated(error) || tries >= triesMax) throw error;
      }
    }
  }

  async #run<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    if (this.#isClosed) throw new FrameholdError('draining', 'The catalog is closed.');
    const running = work();
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }
}
