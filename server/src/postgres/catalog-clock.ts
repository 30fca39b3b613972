import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../model/clock.ts';
import { FrameholdError } from '../model/errors.ts';
import type { Database } from './database.ts';

/** Clocks of machines drift by some milliseconds in a minute. */
const everyMs = 2_000;
/** Of these the quickest counts: its answer is the least old. */
const samples = 3;
/** A node that is further off writes wrong times into its own logs, and its certificates and JWTs are judged wrongly. */
const offsetMaxMs = 1_000;
/** The clock of the database itself was set back by more than a measurement can be wrong: it is followed. */
const setBackMs = 1_000;

/**
 * The time of the database, which all nodes go by. Between measurements the time that has passed is counted by the machine's monotonic clock, so
 * that nothing depends on how the machine's own clock is set, or is set anew.
 */
export class CatalogClock {
  readonly #database: Database;
  readonly #stop = new AbortController();
  /** What is added to the monotonic clock. */
  #ahead = 0;
  #newest = 0;
  #following: Promise<void> = Promise.resolve();

  private constructor(database: Database) {
    this.#database = database;
  }

  static async open(database: Database): Promise<CatalogClock> {
    const clock = new CatalogClock(database);
    await clock.#measure();
    clock.#following = clock.#follow();
    return clock;
  }

  /** Whole milliseconds since 1970. Never goes back, unless the clock of the database was set back. */
  readonly now: Clock = () => {
    const now = Math.floor(performance.now() + this.#ahead);
    if (now > this.#newest || now < this.#newest - setBackMs) this.#newest = now;
    return this.#newest;
  };

  /** How far the clock of this machine is ahead of the database's; negative: behind. */
  get offsetMs(): number {
    return Date.now() - Math.floor(performance.now() + this.#ahead);
  }

  /** Throws unavailable if the clock of this machine is too far off. */
  check(): void {
    const { offsetMs } = this;
    if (Math.abs(offsetMs) <= offsetMaxMs) return;
    const seconds = (Math.abs(offsetMs) / 1_000).toFixed(1);
    throw new FrameholdError(
      'unavailable',
      `The clock of this node is ${seconds} s ${offsetMs > 0 ? 'ahead of' : 'behind'} that of the catalog.`,
      { hint: 'Synchronise the clocks of the node and of PostgreSQL, for example with NTP.' },
    );
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#following;
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await sleep(everyMs, undefined, { signal, ref: false }).catch(() => {});
      // Without an answer the monotonic clock is good for hours.
      if (!signal.aborted) await this.#measure().catch(() => {});
    }
  }

  async #measure(): Promise<void> {
    const found = await this.#database.read(async (sql) => {
      const taken: { readonly ahead: number; readonly tookMs: number }[] = [];
      for (let sample = 0; sample < samples; sample++) {
        const sent = performance.now();
        // In microseconds, which are exact.
        const row = await sql.first<{ at: number }>(
          'SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS at',
        );
        const came = performance.now();
        taken.push({ ahead: (row?.at ?? 0) / 1_000 - (sent + came) / 2, tookMs: came - sent });
      }
      return taken;
    });
    const [best] = found.sort((one, other) => one.tookMs - other.tookMs);
    if (best !== undefined) this.#ahead = best.ahead;
  }
}
