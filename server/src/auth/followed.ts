import type { Changed } from '../ports/credential-source.ts';

type Since<Content> = (mark: number | null) => Changed<Content> | null | Promise<Changed<Content> | null>;

/** How often to look, and for how long what was seen counts. Milliseconds. */
export interface Pace {
  readonly everyMs: number;
  /** null: the source is on this machine and answers at once. */
  readonly distant: {
    /** What was seen longer ago is not enough for a new request: it waits for the next look. */
    readonly freshMs: number;
    /** What was seen longer ago is not enough for a request under way either. */
    readonly endsMs: number;
  } | null;
}

/** Something that other processes change, as it was at the last look. */
export class Followed<Content> {
  readonly #since: Since<Content>;
  readonly #onChange: (content: Content) => void;
  readonly #pace: Pace;
  readonly #timer: NodeJS.Timeout | null;
  #mark: number | null = null;
  /** When the last look began; the last one that was answered. */
  #lookedAt = Number.NEGATIVE_INFINITY;
  #seenAt = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> | null = null;

  constructor(since: Since<Content>, onChange: (content: Content) => void, pace: Pace) {
    this.#since = since;
    this.#onChange = onChange;
    this.#pace = pace;
    // A source elsewhere is looked at all the time, so that requests need not wait for it.
    this.#timer = pace.distant === null ? null : setInterval(() => this.#lookLater(), pace.everyMs).unref();
  }

  /** Looks again if the last look was some time ago. Does not wait for a source on another machine: what was known counts a little longer. */
  look(): void {
    if (performance.now() - this.#lookedAt < this.#pace.everyMs) return;
    this.#lookLater();
  }

  /** Looks now. A promise only if the source is on another machine; it may be that of a look that has begun already. */
  lookNow(): void | Promise<void> {
    if (this.#looking !== null) return this.#looking;
    const began = performance.now();
    this.#lookedAt = began;
    const changed = this.#since(this.#mark);
    if (!(changed instanceof Promise)) return this.#take(changed, began);
    this.#looking = changed
      .then((later) => this.#take(later, began))
      .finally(() => {
        this.#looking = null;
      });
    return this.#looking;
  }

  /** Resolves when a look has ended that began after this moment (of `performance.now`). */
  lookAnew(after = performance.now()): void | Promise<void> {
    if (this.#seenAt >= after) return;
    if (this.#looking === null || this.#lookedAt >= after) return this.lookNow();
    return this.#looking.catch(() => {}).then(() => this.lookAnew(after));
  }

  /** A promise only if what is known is too old for a new request: it rejects if the source does not answer. */
  fresh(): void | Promise<void> {
    this.look();
    const { distant } = this.#pace;
    if (distant === null || this.#ageMs < distant.freshMs) return;
    const looked = this.lookNow();
    if (!(looked instanceof Promise)) return;
    // The look may have begun, and may tell of a moment, long ago.
    return looked.then(() => (this.#ageMs < distant.freshMs ? undefined : this.lookNow()));
  }

  /** The source has not answered for so long that what is known may no longer count. */
  get isTooOld(): boolean {
    const { distant } = this.#pace;
    return distant !== null && this.#ageMs > distant.endsMs;
  }

  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
  }

  #lookLater(): void {
    const looked = this.lookNow();
    // Whoever needs the answer asks again and is given the failure.
    if (looked instanceof Promise) looked.catch(() => {});
  }

  get #ageMs(): number {
    return performance.now() - this.#seenAt;
  }

  #take(changed: Changed<Content> | null, began: number): void {
    this.#seenAt = began;
    if (changed === null) return;
    this.#mark = changed.mark;
    this.#onChange(changed.content);
  }
}
