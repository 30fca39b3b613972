import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../model/clock.ts';
import type { EventCatalog } from '../../ports/catalog/events.ts';
import type { EventId, StreamedEvent } from './events.ts';
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
  /** Under way, by the event after which they begin: no more than there are streams. */
  readonly #reads = new Map<string, Promise<readonly StreamedEvent[]>>();
  /** The last event that was read. */
  #last: EventId;
  #isStale = false;
  #isReading = false;
  #isClosed = false;

  constructor(tenant: string, last: EventId, catalog: EventCatalog, now: Clock) {
    this.#tenant = tenant;
    this.#catalog = catalog;
    this.#last = last;
    this.#frames = new RecentEvents(last.seq, last);
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

  /** Frame events after this one, some at a time. They begin with a reset if others before them are not kept, or if it is of another history. */
  async framesAfter(seen: EventId): Promise<readonly StreamedEvent[]> {
    const recent = this.#frames.has(seen) ? this.#frames.after(seen.seq) : null;
    return recent ?? this.#keptAfter(seen);
  }

  /** null if the reader is too far behind: these are kept nowhere else. */
  liveAfter(number: number): readonly StreamedEvent[] | null {
    return this.#live.after(number);
  }

  /** After a restart all readers come back at once, and most of them were equally far. */
  #keptAfter(seen: EventId): Promise<readonly StreamedEvent[]> {
    const key = `${seen.seq}-${seen.mark}`;
    const shared = this.#reads.get(key) ?? this.#readAfter(seen).finally(() => this.#reads.delete(key));
    this.#reads.set(key, shared);
    return shared;
  }

  async #readAfter({ seq, mark }: EventId): Promise<readonly StreamedEvent[]> {
    const page = await this.#catalog.events(this.#tenant, seq, stepMax, mark);
    const { events, last, lastMark, oldest, isContinued } = page;
    const isMissing = !isContinued || seq + 1 < oldest;
    return isMissing ? [resetEvent({ seq: last, mark: lastMark })] : events.map(frameEvent);
  }

  async #readNew(): Promise<void> {
    this.#isReading = true;
    while (this.#isStale && !this.#isClosed) {
      this.#isStale = false;
      try {
        const { seq, mark } = this.#last;
        const page = await this.#catalog.events(this.#tenant, seq, stepMax, mark);
        if (page.isContinued && seq + 1 >= page.oldest) {
          for (const event of page.events) this.#add(frameEvent(event));
        } else {
          // The first of them have been removed, or the history is another one: readers find that out by themselves.
          this.#last = { seq: page.last, mark: page.lastMark };
          this.#frames.skipTo(this.#last);
          this.#wakeAll();
        }
        if (page.events.length > 0) this.#wakeAll();
        if (page.events.length === stepMax) this.#isStale = true;
        else await sleep(pauseMs, undefined, { ref: false });
      } catch {
        this.#isStale = true;
        await sleep(retryMs, undefined, { ref: false });
      }
    }
    this.#isReading = false;
  }

  #add(event: StreamedEvent): void {
    this.#frames.add(event);
    this.#last = event.id ?? this.#last;
  }

  #wakeAll(): void {
    for (const reader of this.readers) reader.wake();
  }
}
