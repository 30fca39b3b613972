import type { Caller } from '../../model/caller.ts';
import type { Clock } from '../../model/clock.ts';
import { FrameholdError } from '../../model/errors.ts';
import type { EventCatalog, EventPage } from '../../ports/catalog/events.ts';
import type { Observe } from '../../ports/observation.ts';
import type { OpenQuery, RunningQueries, StatementOutcome } from '../../ports/running-queries.ts';
import type { AccessGuard } from '../access/access-guard.ts';
import type { EventId, EventStream, Events } from './events.ts';
import { FeedStream } from './feed-stream.ts';
import { helloEvent, resetEvent } from './streamed-event.ts';
import { TenantFeed } from './tenant-feed.ts';

export interface EventsDependencies {
  readonly catalog: EventCatalog;
  readonly queries: Pick<RunningQueries, 'watch'>;
  readonly access: AccessGuard;
  readonly observe: Observe;
  readonly now: Clock;
}

export interface EventLimits {
  /** Of all tenants together. */
  readonly streamsMax: number;
  readonly tenantStreamsMax: number;
}

/** A stream without events ends this long after its credential. */
const credentialCheckMs = 1_000;

export class EventsService implements Events {
  readonly #dependencies: EventsDependencies;
  readonly #limits: EventLimits;
  readonly #feeds = new Map<string, TenantFeed>();
  readonly #streams = new Set<FeedStream>();
  /** Slots of streams that are open or about to be, by tenant. */
  readonly #slots = new Map<string, number>();
  readonly #unwatch: readonly (() => void)[];
  readonly #checks: NodeJS.Timeout;
  #slotsTaken = 0;
  #isStopped = false;

  constructor(dependencies: EventsDependencies, limits: EventLimits) {
    this.#dependencies = dependencies;
    this.#limits = limits;
    const { catalog, queries } = dependencies;
    this.#unwatch = [
      catalog.watchEvents(
        (tenants) => {
          for (const tenant of tenants) this.#feeds.get(tenant)?.changed();
        },
        () => this.#feeds.keys(),
      ),
      queries.watch({
        began: (query: OpenQuery) => this.#feeds.get(query.tenant)?.statements.began(query),
        ended: (query: OpenQuery, outcome: StatementOutcome) =>
          this.#feeds.get(query.tenant)?.statements.ended(query, outcome),
      }),
    ];
    this.#checks = setInterval(() => this.#checkCredentials(), credentialCheckMs).unref();
  }

  get open(): number {
    return this.#streams.size;
  }

  async subscribe(caller: Caller, after: EventId | null, signal: AbortSignal): Promise<EventStream> {
    this.#dependencies.access.check(caller, 'events.read');
    const leave = this.#enter(caller.tenant);
    try {
      // Of this moment: what another stream of the tenant has seen may be older than `after`.
      const head = await this.#dependencies.catalog.events(caller.tenant, after?.seq ?? 0, 0, after?.mark);
      signal.throwIfAborted();
      this.#refuseIfStopped();
      const stream = this.#streamOf(caller, beginning(after, head), leave);
      signal.addEventListener('abort', () => stream.end('left'), { once: true });
      return stream;
    } catch (error) {
      leave();
      throw error;
    }
  }

  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#checks);
    for (const unwatch of this.#unwatch) unwatch();
    for (const stream of this.#streams) stream.end('stopped');
  }

  #streamOf(caller: Caller, begin: ReturnType<typeof beginning>, leave: () => void): FeedStream {
    const { catalog, now, observe } = this.#dependencies;
    const { tenant } = caller;
    const feed = this.#feeds.get(tenant) ?? new TenantFeed(tenant, begin.last, catalog, now);
    this.#feeds.set(tenant, feed);
    const stream = new FeedStream(caller, feed, begin, (reason) => {
      this.#streams.delete(stream);
      feed.readers.delete(stream);
      leave();
      observe({ event: 'event-stream-ended', reason });
      if (feed.readers.size > 0) return;
      feed.close();
      this.#feeds.delete(tenant);
    });
    this.#streams.add(stream);
    feed.readers.add(stream);
    // What was committed since the catalog was asked has been reported to no feed.
    feed.changed();
    return stream;
  }

  #enter(tenant: string): () => void {
    const { streamsMax, tenantStreamsMax } = this.#limits;
    this.#refuseIfStopped();
    const count = this.#slots.get(tenant) ?? 0;
    if (count >= tenantStreamsMax)
      throw new FrameholdError(
        'rate_limited',
        `The tenant has ${count} streams of events open, which is its limit.`,
        {
          hint: 'Close one, or raise events.tenant_streams_max. A browser needs one stream for all its tabs.',
        },
      );
    if (this.#slotsTaken >= streamsMax)
      throw new FrameholdError('overloaded', `${streamsMax} streams of events are open on this server.`, {
        hint: 'Try again later, or raise events.streams_max.',
      });
    this.#change(tenant, 1);
    let isInside = true;
    return () => {
      if (isInside) this.#change(tenant, -1);
      isInside = false;
    };
  }

  #change(tenant: string, by: 1 | -1): void {
    const count = (this.#slots.get(tenant) ?? 0) + by;
    this.#slotsTaken += by;
    if (count === 0) this.#slots.delete(tenant);
    else this.#slots.set(tenant, count);
  }

  #refuseIfStopped(): void {
    if (this.#isStopped) throw new FrameholdError('draining', 'The server is stopping.');
  }

  #checkCredentials(): void {
    for (const stream of this.#streams) if (!stream.caller.isCurrent()) stream.end('credential');
  }
}

/** Where a stream begins: after what the reader has seen, or now. */
function beginning(after: EventId | null, { last: seq, lastMark, oldest, isContinued }: EventPage) {
  const last = { seq, mark: lastMark };
  if (after === null) return { last, seen: last, first: helloEvent(last) };
  if (!isContinued || after.seq + 1 < oldest) return { last, seen: last, first: resetEvent(last) };
  return { last, seen: after, first: null };
}
