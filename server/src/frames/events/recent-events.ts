import type { EventId, StreamedEvent } from './events.ts';

/** Shared by all streams of a tenant: what they have not taken yet is held once, not once for each of them. */
const countMax = 1_000;
/** Statements may be long: a thousand of those would be megabytes for each tenant. */
const charactersMax = 256 * 1024;

/** What a reader gets at once: it holds this until its client has taken it. */
const stepCountMax = 100;
const stepCharactersMax = 64 * 1024;

/** The last events of a tenant, each with a number that is one higher than the previous one's. */
export class RecentEvents {
  #events: StreamedEvent[] = [];
  #characters = 0;
  #last: number;
  /** The event before the first of them; null if they have no ids. */
  #base: EventId | null;

  constructor(last: number, base: EventId | null = null) {
    this.#last = last;
    this.#base = base;
  }

  get last(): number {
    return this.#last;
  }

  add(event: StreamedEvent): void {
    this.#events.push(event);
    this.#characters += event.data.length;
    this.#last += 1;
    while (this.#events.length > countMax || this.#characters > charactersMax) {
      const first = this.#events.shift();
      this.#characters -= first?.data.length ?? 0;
      this.#base = first?.id ?? null;
    }
  }

  /** Events are missing before the next one, or the ones before were of another history. */
  skipTo(last: EventId): void {
    this.#events = [];
    this.#characters = 0;
    this.#last = last.seq;
    this.#base = last;
  }

  /** Whether this very event is here, or the one before the first. */
  has({ seq, mark }: EventId): boolean {
    const index = this.#events.length - (this.#last - seq);
    const here = index === 0 ? this.#base : this.#events[index - 1]?.id;
    return here?.seq === seq && here.mark === mark;
  }

  /** Some events after this number; null if some of them are no longer here. */
  after(number: number): readonly StreamedEvent[] | null {
    if (number >= this.#last) return [];
    const start = number - (this.#last - this.#events.length);
    if (start < 0) return null;
    const step: StreamedEvent[] = [];
    let characters = 0;
    for (const event of this.#events.slice(start, start + stepCountMax)) {
      characters += event.data.length;
      if (characters > stepCharactersMax && step.length > 0) break;
      step.push(event);
    }
    return step;
  }
}
