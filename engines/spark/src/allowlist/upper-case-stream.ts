import { type CharStream, type Interval, Token } from 'antlr4ng';

/**
 * A text as Spark's lexer sees it: code points in upper case, so that its rules need only upper case letters, while tokens keep what
 * was written. Positions are counted in code points, as everywhere in the parser.
 */
export class UpperCaseStream implements CharStream {
  name = '';
  index = 0;
  readonly #text: string;
  readonly #upper: Uint32Array;
  /** Where each code point begins in the text, and where the last one ends; null if they are the same positions. */
  readonly #offsets: Uint32Array | null;

  constructor(text: string) {
    const upper = new Uint32Array(text.length);
    const offsets = new Uint32Array(text.length + 1);
    let count = 0;
    for (let at = 0; at < text.length; ) {
      const point = text.codePointAt(at) ?? 0;
      offsets[count] = at;
      upper[count] = upperCase(point);
      count++;
      at += point > 0xffff ? 2 : 1;
    }
    offsets[count] = text.length;
    this.#text = text;
    this.#upper = upper.subarray(0, count);
    this.#offsets = count === text.length ? null : offsets.subarray(0, count + 1);
  }

  get size(): number {
    return this.#upper.length;
  }

  /** The position in the text, in UTF-16 code units, of a code point. */
  offsetOf(index: number): number {
    const within = Math.max(0, Math.min(index, this.size));
    return this.#offsets === null ? within : (this.#offsets[within] ?? this.#text.length);
  }

  reset(): void {
    this.index = 0;
  }

  consume(): void {
    if (this.index >= this.size) throw new Error('the end of the text cannot be consumed');
    this.index++;
  }

  LA(offset: number): number {
    if (offset === 0) return 0;
    const at = this.index + (offset < 0 ? offset : offset - 1);
    return at < 0 || at >= this.size ? Token.EOF : (this.#upper[at] ?? 0);
  }

  mark(): number {
    return -1;
  }

  release(): void {}

  seek(index: number): void {
    this.index = Math.min(index, this.size);
  }

  getTextFromRange(start: number, stop: number): string {
    return this.#text.slice(this.offsetOf(start), this.offsetOf(stop + 1));
  }

  getTextFromInterval({ start, stop }: Interval): string {
    return this.getTextFromRange(start, stop);
  }

  getSourceName(): string {
    return 'statement';
  }

  toString(): string {
    return this.#text;
  }
}

/** As Java does it: one code point becomes one. Where JavaScript makes several of it, Java leaves the letter as it is. */
function upperCase(point: number): number {
  if (point < 0x80) return point >= 0x61 && point <= 0x7a ? point - 32 : point;
  const upper = String.fromCodePoint(point).toUpperCase();
  const first = upper.codePointAt(0) ?? point;
  return upper.length === (first > 0xffff ? 2 : 1) ? first : point;
}
