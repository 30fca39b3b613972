import type { Caller } from '../../model/caller.ts';
import type { StreamEnd } from '../../model/stream-end.ts';
import type { EventId, EventStream, StreamedEvent } from './events.ts';
import type { FeedReader, TenantFeed } from './tenant-feed.ts';

/**
 * One reader of a feed. It holds no events, only how far it has come: a slow reader takes no memory. One that misses what is kept nowhere is
 * ended, and can begin again where it was.
 */
export class FeedStream implements EventStream, FeedReader {
  readonly caller: Caller;
  readonly #feed: TenantFeed;
  readonly #onEnd: (reason: StreamEnd) => void;
  readonly #ended = new AbortController();
  readonly #first: StreamedEvent | null;
  #seen: EventId;
  #seenLive: number;
  #isWoken = false;
  #wake: (() => void) | null = null;

  /** `first` comes before everything else. */
  constructor(
    caller: Caller,
    feed: TenantFeed,
    { seen, first }: { readonly seen: EventId; readonly first: StreamedEvent | null },
    onEnd: (reason: StreamEnd) => void,
  ) {
    this.caller = caller;
    this.#feed = feed;
    this.#onEnd = onEnd;
    this.#seen = seen;
    this.#first = first;
    this.#seenLive = feed.lastLive;
  }

  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  wake(): void {
    this.#isWoken = true;
    this.#wake?.();
  }

  end(reason: StreamEnd): void {
    if (this.ended.aborted) return;
    this.#onEnd(reason);
    this.#ended.abort();
    this.wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<readonly StreamedEvent[], void, void> {
    try {
      if (this.#first !== null) yield [this.#first];
      while (!this.ended.aborted) {
        this.#isWoken = false;
        const events = await this.#next();
        if (!this.#isAllowed()) return;
        if (events.length > 0) yield events;
        else await this.#woken();
      }
    } finally {
      this.end('left');
    }
  }

  async #next(): Promise<readonly StreamedEvent[]> {
    const frames = await this.#feed.framesAfter(this.#seen);
    this.#seen = frames.at(-1)?.id ?? this.#seen;
    const live = this.#feed.liveAfter(this.#seenLive);
    if (live === null) {
      this.end('slow');
      return [];
    }
    this.#seenLive += live.length;
    return [...frames, ...live];
  }

  /** Looked at before each step, and once a second by the service. */
  #isAllowed(): boolean {
    if (!this.ended.aborted && !this.caller.isCurrent()) this.end('credential');
    return !this.ended.aborted;
  }

  async #woken(): Promise<void> {
    if (this.#isWoken) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#wake = null;
  }
}
