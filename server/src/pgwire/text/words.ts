import { FrameholdError } from '../../model/errors.ts';
import { textPlace } from '../../model/text-place.ts';
import { identifierOf, nextToken, stringOf, type Token } from './tokens.ts';

/** Reads a statement word by word. Keywords are compared in capitals. */
export class Words {
  readonly text: string;
  #next: Token | null;

  constructor(text: string, from = 0) {
    this.text = text;
    this.#next = nextToken(text, from);
  }

  get next(): Token | null {
    return this.#next;
  }

  /** In capitals, if it is a word without quotes; else ''. */
  get keyword(): string {
    return this.#next?.kind === 'word' ? this.#written(this.#next).toUpperCase() : '';
  }

  /** Where what comes next begins. */
  get at(): number {
    return this.#next?.start ?? this.text.length;
  }

  /** Takes the words if they come next, in this order. */
  accept(...keywords: readonly string[]): boolean {
    const before = this.#next;
    for (const keyword of keywords) {
      if (this.keyword !== keyword) {
        this.#next = before;
        return false;
      }
      this.advance();
    }
    return true;
  }

  /** The first of them that comes next. */
  acceptOne<Keyword extends string>(...keywords: readonly Keyword[]): Keyword | null {
    const found = keywords.find((keyword) => keyword === this.keyword) ?? null;
    if (found !== null) this.advance();
    return found;
  }

  symbol(symbol: string): boolean {
    const token = this.#next;
    if (token?.kind !== 'symbol' || this.#written(token) !== symbol) return false;
    this.advance();
    return true;
  }

  identifier(): string {
    const name = this.nextIdentifier();
    if (name === null) throw this.unexpected();
    return name;
  }

  /** Takes an identifier, if one comes next. */
  nextIdentifier(): string | null {
    const name = this.#next === null ? null : identifierOf(this.text, this.#next);
    if (name !== null) this.advance();
    return name;
  }

  string(): string | null {
    const value = this.#next === null ? null : stringOf(this.text, this.#next);
    if (value !== null) this.advance();
    return value;
  }

  /** A whole number, with its sign. */
  integer(): number | null {
    const before = this.#next;
    const isNegative = this.symbol('-');
    if (!isNegative) this.symbol('+');
    const token = this.#next;
    const value = token?.kind === 'number' ? Number(this.#written(token)) : Number.NaN;
    if (Number.isSafeInteger(value)) {
      this.advance();
      return isNegative ? -value : value;
    }
    this.#next = before;
    return null;
  }

  /** Whatever comes next, as it is written; null at the end. */
  any(): string | null {
    const token = this.#next;
    if (token === null) return null;
    this.advance();
    return this.#written(token);
  }

  advance(): void {
    if (this.#next !== null) this.#next = nextToken(this.text, this.#next.end);
  }

  /** Up to the closing parenthesis that belongs to the one that was just taken, which is taken as well. */
  inParentheses(): { readonly start: number; readonly end: number } {
    const start = this.#next?.start ?? this.text.length;
    for (let depth = 1; ; this.advance()) {
      const token = this.#next;
      if (token === null) throw this.unexpected();
      const written = token.kind === 'symbol' ? this.#written(token) : '';
      if (written === '(') depth += 1;
      if (written === ')') depth -= 1;
      if (depth > 0) continue;
      this.advance();
      return { start, end: token.start };
    }
  }

  end(): void {
    if (this.#next !== null) throw this.unexpected();
  }

  unexpected(): FrameholdError {
    const token = this.#next;
    const what =
      token === null
        ? 'at the end of the statement'
        : `at ${JSON.stringify(this.#written(token).slice(0, 60))}`;
    return new FrameholdError('sql_invalid', `There is a syntax error ${what}.`, {
      hint: 'docs/reference/postgres.md lists what the listener for PostgreSQL understands.',
      place: textPlace(this.text, this.at),
    });
  }

  #written({ start, end }: Token): string {
    return this.text.slice(start, end);
  }
}
