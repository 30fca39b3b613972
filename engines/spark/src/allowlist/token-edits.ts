import type { Token } from 'antlr4ng';

/** What is written in place of some tokens of a statement, and behind some. */
export class TokenEdits {
  readonly #replaced = new Map<number, string>();
  readonly #after = new Map<number, string>();

  replace(token: Token, text: string): void {
    this.#replaced.set(token.tokenIndex, text);
  }

  after(token: Token, text: string): void {
    this.#after.set(token.tokenIndex, text);
  }

  /** The texts that take the place of a token. */
  of(token: Token): readonly string[] {
    const text = this.#replaced.get(token.tokenIndex) ?? token.text ?? '';
    const after = this.#after.get(token.tokenIndex);
    return [...(text === '' ? [] : [text]), ...(after === undefined ? [] : [after])];
  }
}
