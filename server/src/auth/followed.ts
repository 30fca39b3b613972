import type { Changed } from '../frames/ports/credential-source.ts';

type Since<Content> = (mark: number | null) => Changed<Content> | null | Promise<Changed<Content> | null>;

/** Something that other processes change, as it was at the last look. */
export class Followed<Content> {
  readonly #since: Since<Content>;
  readonly #onChange: (content: Content) => void;
  readonly #everyMs: number;
  #mark: number | null = null;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> | null = null;

  constructor(since: Since<Content>, onChange: (content: Content) => void, everyMs: number) {
    this.#since = since;
    this.#onChange = onChange;
    this.#everyMs = everyMs;
  }

  /** Looks again if the last look was some time ago. Does not wait for a source on another machine: what was known counts a little longer. */
  look(): void {
    if (performance.now() - this.#lookedAt < this.#everyMs) return;
    const looked = this.lookNow();
    // Whoever needs the answer asks again and is given the failure.
    if (looked instanceof Promise) looked.catch(() => {});
  }

  /** Looks now. A promise only if the source is on another machine. */
  lookNow(): void | Promise<void> {
    if (this.#looking !== null) return this.#looking;
    this.#lookedAt = performance.now();
    const changed = this.#since(this.#mark);
    if (!(changed instanceof Promise)) return this.#take(changed);
    this.#looking = changed
      .then((later) => this.#take(later))
      .finally(() => {
        this.#looking = null;
      });
    return this.#looking;
  }

  #take(changed: Changed<Content> | null): void {
    if (changed === null) return;
    this.#mark = changed.mark;
    this.#onChange(changed.content);
  }
}
