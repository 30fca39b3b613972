import { FrameholdError } from '../../model/errors.ts';

/** A megabyte can hold half a million values; parsing all their digits takes a second, during which no other caller is served. */
const valuesMax = 50_000;
/** A member costs several times as much as a value of a list; these take about 30 ms. */
const membersMax = 10_000;
/** Parsing is recursive. No type of a column has as many levels. */
const levelsMax = 100;

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];
const space = 0x20;

/** Refuses JSON with too many values, members or levels before it is parsed. Whether it is JSON is not its affair. */
export function checkJsonSize(text: string, what: string): void {
  let values = 0;
  let members = 0;
  let levels = 0;
  let before = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code <= space) continue;
    if (code === quote) at = endOfString(text, at);
    else if (code === comma) values++;
    else if (code === colon) members++;
    else if (code === openList || code === openObject) {
      values++;
      if (++levels > levelsMax) throw tooDeep(what);
    } else if (code === closeList || code === closeObject) {
      levels--;
      // What is empty has no first value.
      if (before === openList || before === openObject) values--;
    }
    if (values > valuesMax) throw tooLarge(`${what} has more than ${valuesMax} values.`);
    if (members > membersMax) throw tooLarge(`${what} has more than ${membersMax} members.`);
    before = code;
  }
}

/** The position of the quote that ends the string. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === backslash) escapes++;
    if (escapes % 2 === 0) return end;
  }
  return text.length;
}

function tooDeep(what: string): FrameholdError {
  return new FrameholdError('bad_request', `${what} nests deeper than ${levelsMax} levels.`, {
    hint: 'Nest lists and objects less deeply.',
  });
}

function tooLarge(detail: string): FrameholdError {
  return new FrameholdError('body_too_large', detail, {
    hint: 'Put long lists of values into a frame and join it.',
  });
}
