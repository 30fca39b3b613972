import { setTimeout as sleep } from 'node:timers/promises';
import type { EventCatalog } from '../ports/catalog/events.ts';
import type { Clock } from '../ports/clock.ts';
import type { StreamedEvent } from './events.ts';
import { RecentEvents } from './recent-events.ts';
import { StatementNews } from './statement-news.ts';
import { frameEvent, resetEvent } from './streamed-event.ts';

/** Events that are read in one step: at most some 50 kB, because names are short. */
const stepMax = 100;
/** Between two reads for one tenant: what happens meanwhile is read at once. Nobody sees the difference. */
const pauseMs = 20;
/** After a read that failed, because too many operations wait. */
const retryMs = 1_000;

/** Woken when there is something new. */
export interface FeedReader {
  wake(): void;
}

/** The events of one tenant, read once for all of its streams. Exists as long as there are any. */
export class TenantFeed {
  readonly readers = new Set<FeedReader>();
  readonly statements: StatementNews;
  readonly #tenant: string;
  readonly #catalog: EventCatalog;
  readonly #frames: RecentEvents;
  /** Numbers of their own, which no reader sees. */
  readonly #live = new RecentEvents(0);
  /** Under way, by the number after which they begin: no more than there are streams. */
  readonly #reads = new Map<number, Promise<readonly StreamedEvent[]>>();
  #isStale = false;
  #isReading = false;
  #isClosed = false;

  constructor(tenant: string, last: number, catalog: EventCatalog, now: Clock) {
    this.#tenant = tenant;
    this.#catalog = catalog;
    this.#frames = new RecentEvents(last);
    this.statements = new StatementNews(now, (events) => {
      for (const event of events) this.#live.add(event);
      this.#wakeAll();
    });
  }

  get lastLive(): number {
    return this.#live.last;
  }

  /** There may be new events. */
  changed(): void {
    this.#isStale = true;
    if (!this.#isReading) void this.#readNew();
  }

  close(): void {
    this.#isClosed = true;
    this.statements.close();
  }

  /** Frame events after this number, some at a time. They begin with a reset if others before them are not kept any more. */
  async framesAfter(number: number): Promise<readonly StreamedEvent[]> {
    return this.#frames.after(number) ?? this.#keptAfter(number);
  }

  /** null if the reader is too far behind: these are kept nowhere else. */
  liveAfter(number: number): readonly StreamedEvent[] | null {
    return this.#live.after(number);
  }

  /** After a restart all readers come back at once, and most of them were equally far. */
  #keptAfter(number: number): Promise<readonly StreamedEvent[]> {
    const shared =
      this.#reads.get(number) ?? this.#readAfter(number).finally(() => this.#reads.delete(number));
    this.#reads.set(number, shared);
    return shared;
  }

  async #readAfter(number: number): Promise<readonly StreamedEvent[]> {
    const { events, last, oldest } = await this.#catalog.events(this.#tenant, number, stepMax);
    return number + 1 < oldest ? [resetEvent(last)] : events.map(frameEvent);
  }

  async #readNew(): Promise<void> {
    this.#isReading = true;
    while (this.#isStale && !this.#isClosed) {
      this.#isStale = false;
      try {
        const { last } = this.#frames;
        const { events, oldest } = await this.#catalog.events(this.#tenant, last, stepMax);
        // So many that the first of them have been removed: readers that have not seen them find that out by themselves.
        if (last + 1 < oldest) this.#frames.skipTo(oldest - 1);
        for (const event of events) this.#frames.add(frameEvent(event));
        if (events.length > 0) this.#wakeAll();
        if (events.length === stepMax) this.#isStale = true;
        else await sleep(pauseMs, undefined, { ref: false });
      } catch {
        this.#isStale = true;
        await sleep(retryMs, undefined, { ref: false });
      }
    }
    this.#isReading = false;
  }

  #wakeAll(): void {
    for (const reader of this.readers) reader.wake();
  }
}
