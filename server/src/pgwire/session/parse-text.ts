import { FrameholdError } from '../../model/errors.ts';
import { textPlace } from '../../model/text-place.ts';
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

/** A Bind message counts its values with 16 bits. */
const parametersMax = 65_535;

/** The highest number after a dollar sign. A list of as many types is made, so it cannot be just any number. */
function countParameters(text: string): number {
  let count = 0;
  for (let token = nextToken(text, 0); token !== null; token = nextToken(text, token.end)) {
    if (token.kind !== 'parameter') continue;
    const number = Number(text.slice(token.start + 1, token.end));
    if (!Number.isInteger(number)) continue;
    if (number > parametersMax)
      throw new FrameholdError(
        'sql_invalid',
        `There is no parameter ${text.slice(token.start, Math.min(token.end, token.start + 30))}.`,
        {
          sqlState: '42P02',
          hint: `Number parameters from $1 on; a statement has at most ${parametersMax}.`,
          place: textPlace(text, token.start),
        },
      );
    count = Math.max(count, number);
  }
  return count;
}
