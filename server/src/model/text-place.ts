import type { TextPlace } from './errors.ts';

/** Lines end as in editors: at a line feed, at a carriage return, at both together. */
export function textPlace(text: string, position: number): TextPlace {
  let line = 1;
  let lineStart = 0;
  for (let index = 0; index < position; index++) {
    const character = text[index];
    if (character !== '\n' && (character !== '\r' || text[index + 1] === '\n')) continue;
    line += 1;
    lineStart = index + 1;
  }
  return { position, line, column: position - lineStart + 1 };
}
