import type { Token } from 'antlr4ng';
import { SqlBaseParser } from './gen/SqlBaseParser.js';
import type { TokenEdits } from './token-edits.ts';

export interface CanonicalText {
  readonly text: string;
  /** For each token: its start here, and its start in the text that was parsed, in UTF-16 code units. Flat pairs, sorted. */
  readonly places: Uint32Array;
}

/** The tokens with one space between them: no comments, no other white space, nothing that could join two tokens into one. */
export function canonicalText(
  tokens: readonly Token[],
  edits: TokenEdits,
  offsetOf: (codePoint: number) => number,
): CanonicalText {
  const parts: string[] = [];
  const places: number[] = [];
  let length = 0;
  for (const token of tokens) {
    if (token.type === SqlBaseParser.SEMICOLON) continue;
    const start = offsetOf(token.start);
    for (const part of edits.of(token)) {
      places.push(length, start);
      parts.push(part);
      length += part.length + 1;
    }
  }
  return { text: parts.join(' '), places: Uint32Array.from(places) };
}
