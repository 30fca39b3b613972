import { nextToken, type Token } from './tokens.ts';

/** A word of a text, with the index of the word that closes it if it opens something; else its own. */
export interface MatchedWord extends Token {
  readonly text: string;
  /** A keyword in capitals, or a symbol; '' for anything else. */
  readonly keyword: string;
  close: number;
}

/** From and to: indexes of words; `to` is behind the last. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

const closers: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}', CASE: 'END' };
const ends: ReadonlySet<string> = new Set(Object.values(closers));

/** All words of a text, in time that is in proportion to its length. */
export function matchedWords(text: string): readonly MatchedWord[] {
  const words: MatchedWord[] = [];
  const open: number[] = [];
  for (let token = nextToken(text, 0); token !== null; token = nextToken(text, token.end)) {
    const written = text.slice(token.start, token.end);
    const keyword = token.kind === 'word' ? written.toUpperCase() : token.kind === 'symbol' ? written : '';
    const index = words.length;
    words.push({ ...token, text: written, keyword, close: index });
    if (closers[keyword] !== undefined) open.push(index);
    else if (ends.has(keyword)) {
      const opener = words[open.at(-1) ?? -1];
      if (opener === undefined || closers[opener.keyword] !== keyword) continue;
      opener.close = index;
      open.pop();
    }
  }
  return words;
}

/** The indexes of the words of a span that are in nothing that another of its words opens. */
export function* outerWords(
  words: readonly MatchedWord[],
  { from, to }: Span,
): Generator<number, void, void> {
  for (let at = from; at < to; at = (words[at] as MatchedWord).close + 1) yield at;
}
