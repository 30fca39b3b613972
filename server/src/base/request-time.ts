import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * What a request waits for. If it waits for several at once, the moment belongs to the first in this order: each is listed before those
 * that wait for it.
 */
export const timeParts = ['queue', 'catalog', 'store', 'settling', 'engine', 'rendering', 'sending'] as const;
export type TimePart = (typeof timeParts)[number];

/** Milliseconds; parts that took less than a twentieth of one are left out. A type, not an interface: it becomes part of a log line. */
export type TimeLine = { readonly [Part in TimePart as `${Part}Ms`]?: number };

const places = Object.fromEntries(timeParts.map((part, place) => [part, place])) as Record<TimePart, number>;
const nothing: number = timeParts.length;
/** Shorter waits are left out of log lines and `Server-Timing`: they explain nothing. */
const shownMsMin = 0.05;

/** Found by whatever the request has begun, however deep: neither the catalog nor the store is told whose work it does. */
const current = new AsyncLocalStorage<RequestTime>();

/** How one request has spent its time. Every moment counts once, so the parts are never more than the whole. */
export class RequestTime {
  readonly startedAt = performance.now();
  /** Who waits, for queues that serve tenants in turn; '' until that is known. */
  tenant = '';
  /** How many waits are open, by place. */
  readonly #open = new Array<number>(nothing).fill(0);
  readonly #spentMs = new Array<number>(nothing).fill(0);
  #place: number = nothing;
  #since = 0;

  /** What `work` begins counts for this request. */
  run<Result>(work: () => Result): Result {
    return current.run(this, work);
  }

  begin(part: TimePart): void {
    const place = places[part];
    this.#open[place] = (this.#open[place] as number) + 1;
    if (place < this.#place) this.#turnTo(place);
  }

  end(part: TimePart): void {
    const place = places[part];
    const left = (this.#open[place] as number) - 1;
    this.#open[place] = left;
    if (left > 0 || place !== this.#place) return;
    const next = this.#open.findIndex((count) => count > 0);
    this.#turnTo(next === -1 ? nothing : next);
  }

  /** From now to its end, what the request does not wait for otherwise is the time of its caller, who takes the answer. */
  answers(): void {
    if (this.#open[places.sending] === 0) this.begin('sending');
  }

  get durationMs(): number {
    return round(performance.now() - this.startedAt);
  }

  /** For a line of the log. */
  get line(): TimeLine {
    const line: Record<string, number> = {};
    this.#forEachShown((part, ms) => {
      line[`${part}Ms`] = round(ms);
    });
    return line;
  }

  /** For a `Server-Timing` header; empty if there is nothing to say. */
  get header(): string {
    let header = '';
    this.#forEachShown((part, ms) => {
      header += `${header === '' ? '' : ', '}${part};dur=${ms.toFixed(1)}`;
    });
    return header;
  }

  /** Most requests have one part or none: nothing is made for the others. */
  #forEachShown(show: (part: TimePart, ms: number) => void): void {
    this.#turnTo(this.#place);
    for (const [place, ms] of this.#spentMs.entries())
      if (ms >= shownMsMin) show(timeParts[place] as TimePart, ms);
  }

  #turnTo(place: number): void {
    const now = performance.now();
    if (this.#place !== nothing)
      this.#spentMs[this.#place] = (this.#spentMs[this.#place] as number) + now - this.#since;
    this.#place = place;
    this.#since = now;
  }
}

/** Of the request that is being served, for queues so deep that nobody tells them; '' for work of no request. */
export function tenantOfRequest(): string {
  return current.getStore()?.tenant ?? '';
}

/** From now on. */
export function serveTenant(tenant: string): void {
  const time = current.getStore();
  if (time !== undefined) time.tenant = tenant;
}

/** Counts how long the request waits for it. Work of no request is given back as it is. */
export function waitingFor<Result>(part: TimePart, work: Promise<Result>): Promise<Result> {
  const time = current.getStore();
  return time === undefined ? work : counted(time, part, work);
}

/** The same for each of several that come one after another. */
export function waitingForEach<Item>(part: TimePart, items: AsyncIterable<Item>): AsyncIterable<Item> {
  const time = current.getStore();
  if (time === undefined) return items;
  return {
    [Symbol.asyncIterator]: () => {
      const iterator = items[Symbol.asyncIterator]();
      return {
        next: () => counted(time, part, iterator.next()),
        return: async (value) => (await iterator.return?.(value)) ?? { done: true, value },
      };
    },
  };
}

/** The same for what ends otherwise than with a promise: gives the function that ends it. Calling that twice does nothing. */
export function startWaiting(part: TimePart): () => void {
  const time = current.getStore();
  if (time === undefined) return () => {};
  time.begin(part);
  let isOpen = true;
  return () => {
    if (isOpen) time.end(part);
    isOpen = false;
  };
}

/** The same for everything that a port does. */
export function waitingForAll<Port extends object>(part: TimePart, port: Port): Port {
  const methods = Object.entries(port).map(([name, method]) => [
    name,
    (...args: unknown[]) => {
      const answer: unknown = method(...args);
      return answer instanceof Promise ? waitingFor(part, answer) : answer;
    },
  ]);
  return Object.fromEntries(methods) as Port;
}

function counted<Result>(time: RequestTime, part: TimePart, work: Promise<Result>): Promise<Result> {
  time.begin(part);
  return work.then(
    (result) => {
      time.end(part);
      return result;
    },
    (error: unknown) => {
      time.end(part);
      throw error;
    },
  );
}

function round(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}
