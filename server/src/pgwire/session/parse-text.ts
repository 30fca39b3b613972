import { readCommand } from '../text/read-command.ts';
import type { TextPart } from '../text/split-statements.ts';
import { nextToken } from '../text/tokens.ts';
import { moveError } from './moved-error.ts';
import type { PreparedText } from './prepared-texts.ts';

/** One statement of a text, read as far as its first words. */
export function prepareText(
  name: string,
  whole: string,
  { text, start }: TextPart,
  types: readonly number[],
): PreparedText {
  try {
    const command = readCommand(text);
    const parameterCount = countParameters(text);
    return { name, whole, text, start, command, types, parameterCount, description: null, announced: null };
  } catch (thrown) {
    throw moveError(thrown, start);
  }
}

/** What goes to the engine: the statement, or the one inside of it; null: none does. */
export function engineText({ text, command }: PreparedText): TextPart | null {
  if (command.kind === 'query') return { text, start: 0 };
  if (command.kind === 'declare' || command.kind === 'copy') return command.inner;
  return null;
}

/** The highest number after a dollar sign. */
function countParameters(text: string): number {
  let count = 0;
  for (let token = nextToken(text, 0); token !== null; token = nextToken(text, token.end)) {
    if (token.kind !== 'parameter') continue;
    const number = Number(text.slice(token.start + 1, token.end));
    if (Number.isInteger(number)) count = Math.max(count, number);
  }
  return count;
}
