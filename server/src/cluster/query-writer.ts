import type { Clock } from '../model/clock.ts';
import type { OpenQuery, StatementOutcome } from '../ports/running-queries.ts';
import { type FailedQuery, failureOf, failuresMax, keyOf } from './failed-queries.ts';
import type { MemoryQueries } from './memory-queries.ts';
import type { QueryRow, QueryRows } from './query-rows.ts';

/** Statements that end before are never written: most take some milliseconds, and nobody asks for them meanwhile. */
const youngMs = 250;
const tickMs = 250;
/** How soon another node's wish to cancel is seen, and how old the progress is that it shows. */
const pollMs = 1_000;
/** How often rows of nodes that are gone are removed: until then they only take space. */
const sweepMs = 60_000;
/** What one transaction takes. The rest follows in the next tick. */
const rowsMax = 500;
const charactersMax = 1024 * 1024;
/** No tick takes longer: then it failed, and the next one tries again. */
export const writtenWithinMs = youngMs + 2 * tickMs;

interface Tracked {
  readonly query: OpenQuery;
  readonly beganAt: number;
  /** What others can see; null: nothing. */
  written: QueryRow | null;
}

/** Writes the statements of this node behind them, and stops those that others have cancelled. Nothing waits for it. */
export class QueryWriter {
  readonly #local: MemoryQueries;
  readonly #rows: QueryRows;
  readonly #now: Clock;
  /** As many as the node has open. */
  readonly #open = new Map<string, Tracked>();
  /** Rows of statements that have ended; as many as were written. */
  readonly #ended = new Map<string, { readonly tenant: string; readonly id: string }>();
  readonly #failed = new Map<string, FailedQuery>();
  readonly #unwatch: () => void;
  readonly #timer: NodeJS.Timeout;
  #polledAt = Number.NEGATIVE_INFINITY;
  #sweptAt = performance.now();
  #turn: Promise<void> | null = null;

  constructor(local: MemoryQueries, rows: QueryRows, now: Clock) {
    this.#local = local;
    this.#rows = rows;
    this.#now = now;
    this.#unwatch = local.watch({
      began: (query) => this.#began(query),
      ended: (query, outcome) => this.#endedWith(query, outcome),
    });
    this.#timer = setInterval(() => this.#tick(), tickMs).unref();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#unwatch();
    await this.#turn;
    await this.#rows.removeOwn().catch(() => {});
  }

  #began(query: OpenQuery): void {
    const key = keyOf(query.tenant, query.id);
    this.#open.set(key, { query, beganAt: performance.now(), written: null });
  }

  #endedWith(query: OpenQuery, outcome: StatementOutcome): void {
    const { tenant, id } = query;
    const key = keyOf(tenant, id);
    if (this.#open.get(key)?.written) this.#ended.set(key, { tenant, id });
    this.#open.delete(key);
    if (typeof outcome === 'string' || outcome.kind === 'cancelled') return;
    const [oldest] = this.#failed.keys();
    if (oldest !== undefined && this.#failed.size >= failuresMax) this.#failed.delete(oldest);
    this.#failed.set(key, failureOf(query, outcome, this.#now()));
  }

  #tick(): void {
    this.#turn ??= this.#take()
      // The next tick tries again. Until then others know less.
      .catch(() => {})
      .finally(() => {
        this.#turn = null;
      });
  }

  async #take(): Promise<void> {
    await this.#write();
    const now = performance.now();
    if (this.#hasRows && now - this.#polledAt >= pollMs) {
      this.#polledAt = now;
      await this.#poll();
    }
    if (now - this.#sweptAt >= sweepMs) {
      this.#sweptAt = now;
      await this.#rows.removeForgotten(this.#now());
    }
  }

  get #hasRows(): boolean {
    for (const { written } of this.#open.values()) if (written !== null) return true;
    return false;
  }

  async #write(): Promise<void> {
    const due = this.#due();
    const ended = [...this.#ended].slice(0, rowsMax);
    const failed = [...this.#failed].slice(0, rowsMax);
    if (due.length + ended.length + failed.length === 0) return;
    // Before it is sent: what ends meanwhile has a row that must go.
    for (const { tracked, row } of due) tracked.written = row;
    await this.#rows.write({
      written: due.map(({ row }) => row),
      ended: ended.map(([, each]) => each),
      failed: failed.map(([, each]) => each),
    });
    for (const [key, each] of ended) if (this.#ended.get(key) === each) this.#ended.delete(key);
    for (const [key, each] of failed) if (this.#failed.get(key) === each) this.#failed.delete(key);
  }

  #due(): { readonly tracked: Tracked; readonly row: QueryRow }[] {
    const now = performance.now();
    const due: { tracked: Tracked; row: QueryRow }[] = [];
    const isPollDue = now - this.#polledAt >= pollMs;
    let characters = 0;
    for (const tracked of this.#open.values()) {
      if (due.length >= rowsMax || characters >= charactersMax) break;
      const { query, beganAt, written } = tracked;
      if (now - beganAt < youngMs || (written !== null && !isPollDue)) continue;
      const row = rowOf(query);
      if (written !== null && isSame(written, row)) continue;
      due.push({ tracked, row });
      characters += row.sql.length;
    }
    return due;
  }

  /** A crash of the database empties the table: what is missing is written again. */
  async #poll(): Promise<void> {
    const seen = new Set<string>();
    const before = new Set(this.#open.values().filter(({ written }) => written !== null));
    for (const { tenant, id, is_cancelled } of await this.#rows.own()) {
      const key = keyOf(tenant, id);
      seen.add(key);
      const tracked = this.#open.get(key);
      // A younger one with the same id is not the one that was cancelled.
      if (is_cancelled && tracked !== undefined && before.has(tracked)) this.#local.cancelOf(tenant, id);
      if (tracked === undefined) this.#ended.set(key, { tenant, id });
    }
    for (const [key, tracked] of this.#open)
      if (before.has(tracked) && !seen.has(key)) tracked.written = null;
  }
}

function rowOf({ tenant, id, sql, engine, state, rows, startedAt, progress }: OpenQuery): QueryRow {
  return { tenant, id, sql, engine, state, rows, startedAt, progress: progress() };
}

function isSame(one: QueryRow, other: QueryRow): boolean {
  return one.state === other.state && one.rows === other.rows && one.progress === other.progress;
}
