import type { Clock } from '../../model/clock.ts';
import type { OpenQuery, StatementOutcome } from '../../ports/running-queries.ts';
import type { StreamedEvent } from './events.ts';
import { endedEvent, startedEvent } from './streamed-event.ts';

/** People watch these: nobody sees a statement that runs for less. */
const intervalMs = 250;
/** Statements that are new in each interval. A tenant that runs more of them must not fill the connections of all who look on. */
const newMax = 100;
/** Short statements that wait for the end of the interval. */
const pendingMax = 1_000;

/**
 * Statements of a tenant, collected for a moment: one that starts and ends within it is one event. If there are too many, short ones are left
 * out; but the end of a statement whose start was reported is always reported.
 */
export class StatementNews {
  readonly #now: Clock;
  readonly #report: (events: readonly StreamedEvent[]) => void;
  /** null: it runs. */
  #pending = new Map<string, { readonly query: OpenQuery; readonly ended: StreamedEvent | null }>();
  /** No more of them than statements that wait or run. */
  readonly #started = new Set<string>();
  #timer: NodeJS.Timeout | null = null;

  constructor(now: Clock, report: (events: readonly StreamedEvent[]) => void) {
    this.#now = now;
    this.#report = report;
  }

  began(query: OpenQuery): void {
    this.#add(query, null);
  }

  ended(query: OpenQuery, outcome: StatementOutcome): void {
    const isKnown = this.#started.has(query.id) || this.#pending.has(query.id);
    if (isKnown || this.#pending.size < pendingMax) this.#add(query, endedEvent(query, outcome, this.#now()));
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #add(query: OpenQuery, ended: StreamedEvent | null): void {
    this.#pending.set(query.id, { query, ended });
    this.#timer ??= setTimeout(() => this.#flush(), intervalMs).unref();
  }

  #flush(): void {
    this.#timer = null;
    const pending = this.#pending;
    this.#pending = new Map();
    const events: StreamedEvent[] = [];
    let newCount = 0;
    for (const [id, { query, ended }] of pending) {
      if (this.#started.has(id) && ended !== null) {
        this.#started.delete(id);
        events.push(ended);
      } else if (newCount < newMax) {
        newCount += 1;
        if (ended === null) this.#started.add(id);
        events.push(ended ?? startedEvent(query));
      } else if (ended === null) this.#add(query, null);
    }
    this.#report(events);
  }
}
