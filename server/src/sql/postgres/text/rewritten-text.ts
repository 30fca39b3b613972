/** A text that was made out of another one, and where its parts come from. */
export class RewrittenText {
  readonly text: string;
  /** Where each part begins here, and where it began there. */
  readonly #starts: readonly number[];
  readonly #origins: readonly number[];
  readonly #copied: ReadonlySet<number>;

  /** `copied`: the numbers of parts that are the same in both texts. */
  constructor(
    text: string,
    starts: readonly number[],
    origins: readonly number[],
    copied: ReadonlySet<number> = new Set(),
  ) {
    this.text = text;
    this.#starts = starts;
    this.#origins = origins;
    this.#copied = copied;
  }

  /** Where the part that is at this place was in the original text. */
  originOf(position: number): number {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] as number) <= position) low = middle;
      else high = middle - 1;
    }
    const origin = this.#origins[low] ?? 0;
    return this.#copied.has(low) ? origin + position - (this.#starts[low] as number) : origin;
  }
}

interface Piece {
  before: string;
  text: string;
  readonly origin: number;
  /** Nothing is put between it and what comes before. */
  readonly isJoined: boolean;
}

/** Collects the words of a text. What is already there can get something in front of it. */
export class TextWriter {
  readonly #pieces: Piece[] = [];

  get length(): number {
    return this.#pieces.length;
  }

  add(text: string, origin: number, isJoined = false): void {
    this.#pieces.push({ before: '', text, origin, isJoined });
  }

  /** In front of the piece with this number and all that was put there before. */
  prepend(index: number, text: string): void {
    const piece = this.#pieces[index];
    if (piece !== undefined) piece.before = text + piece.before;
  }

  replace(index: number, text: string): void {
    const piece = this.#pieces[index];
    if (piece !== undefined) piece.text = text;
  }

  done(): RewrittenText {
    const starts: number[] = [];
    const origins: number[] = [];
    const parts: string[] = [];
    let length = 0;
    for (const { before, text, origin, isJoined } of this.#pieces) {
      const written = `${isJoined || length === 0 ? '' : ' '}${before}${text}`;
      starts.push(length + written.length - text.length);
      origins.push(origin);
      parts.push(written);
      length += written.length;
    }
    return new RewrittenText(parts.join(''), starts, origins);
  }
}
