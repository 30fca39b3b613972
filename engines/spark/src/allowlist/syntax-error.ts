import { Token } from 'antlr4ng';
import { FrameholdError, type TextPlace } from '../../../../server/src/model/errors.ts';
import { textPlace } from '../../../../server/src/model/text-place.ts';
import { SqlBaseLexer } from './gen/SqlBaseLexer.js';
import type { UpperCaseStream } from './upper-case-stream.ts';

/** Longer ones are cut in a message: the place says the rest. */
const shownMax = 40;

/** Where a position of the stream, in code points, is in the caller's text. */
function placeIn(stream: UpperCaseStream, index: number): TextPlace {
  return textPlace(stream.toString(), stream.offsetOf(index));
}

/** What a person is told about the token at which the statement can no longer be read. */
export function unexpectedToken(stream: UpperCaseStream, token: Token): FrameholdError {
  const place = placeIn(stream, token.start);
  if (token.type === Token.EOF)
    return new FrameholdError('sql_invalid', 'The statement ends before it is complete.', {
      place,
      hint: 'Look for a missing bracket, END, or expression at the end.',
    });
  const text = token.text ?? '';
  if (token.type === SqlBaseLexer.UNRECOGNIZED) {
    const opened = opens[text];
    if (opened !== undefined)
      return new FrameholdError('sql_invalid', `The ${opened} that begins here is not closed.`, { place });
  }
  return new FrameholdError('sql_invalid', `Spark SQL cannot have ${shown(text)} here.`, { place });
}

const opens: Readonly<Record<string, string>> = {
  "'": 'text in single quotes',
  '"': 'text in double quotes',
  '`': 'name in back-quotes',
};

export function tooManyTokens(stream: UpperCaseStream, token: Token, tokensMax: number): FrameholdError {
  return new FrameholdError('sql_refused', `The statement has more than ${tokensMax} words and signs.`, {
    place: placeIn(stream, token.start),
    hint: 'Put long lists of values into a frame, and join with it.',
  });
}

export function unclosedComment(stream: UpperCaseStream, token: Token): FrameholdError {
  return new FrameholdError('sql_invalid', 'The comment that begins here is not closed.', {
    place: placeIn(stream, token.start),
    hint: 'Comments nest in Spark SQL: each /* needs its own */.',
  });
}

export function unquotedName(stream: UpperCaseStream, name: string, start: Token): FrameholdError {
  return new FrameholdError('sql_invalid', `The name ${shown(name)} needs back-quotes.`, {
    place: placeIn(stream, start.start),
    hint: 'Without them a name has only letters a to z, digits and _. Write `my-name`.',
  });
}

function shown(text: string): string {
  return JSON.stringify(text.length > shownMax ? `${text.slice(0, shownMax)}…` : text);
}
