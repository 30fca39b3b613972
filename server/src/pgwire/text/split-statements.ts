import { nextToken } from './tokens.ts';

/** A statement of a longer text. */
export interface TextPart {
  readonly text: string;
  /** Where it begins in the whole. */
  readonly start: number;
}

/** The statements of a text, without those that are empty. Takes as long as the text is long. */
export function splitStatements(whole: string): readonly TextPart[] {
  const parts: TextPart[] = [];
  let start = 0;
  let isEmpty = true;
  let at = 0;
  for (;;) {
    const token = nextToken(whole, at);
    const isEnd = token === null || (token.kind === 'symbol' && whole[token.start] === ';');
    if (!isEnd) {
      isEmpty = false;
      at = token.end;
      continue;
    }
    const end = token?.start ?? whole.length;
    if (!isEmpty) parts.push({ text: whole.slice(start, end), start });
    if (token === null) return parts;
    start = token.end;
    at = token.end;
    isEmpty = true;
  }
}
