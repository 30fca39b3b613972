import type { StreamedEvent } from './events.ts';

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

  constructor(last: number) {
    this.#last = last;
  }

  get last(): number {
    return this.#last;
  }

  add(event: StreamedEvent): void {
    this.#events.push(event);
    this.#characters += event.data.length;
    this.#last += 1;
    while (this.#events.length > countMax || this.#characters > charactersMax)
      this.#characters -= this.#events.shift()?.data.length ?? 0;
  }

  /** Events are missing before the next one. */
  skipTo(last: number): void {
    this.#events = [];
    this.#characters = 0;
    this.#last = last;
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
