import { asFrameholdError, FrameholdError } from '../../model/errors.ts';
import { textPlace } from '../../model/text-place.ts';
import { identifierOf, nextToken, type Token } from './tokens.ts';

/** What is before the name of a table, besides a comma. */
const before: ReadonlySet<string> = new Set(['FROM', 'JOIN', 'TABLE']);

/** The same error with the place of the table that it is about, if it says which and has no place yet. */
export function withPlaceOfTable(thrown: unknown, text: string): FrameholdError {
  const error = asFrameholdError(thrown);
  const { kind, message, hint, subject, place, cause } = error;
  if (subject === undefined || place !== undefined) return error;
  const position = positionOf(subject, text);
  if (position === null) return error;
  return new FrameholdError(kind, message, {
    ...(hint === undefined ? {} : { hint }),
    subject,
    place: textPlace(text, position),
    cause,
  });
}

function positionOf(name: string, text: string): number | null {
  const wanted = name.toLowerCase();
  let last: Token | null = null;
  for (let token = nextToken(text, 0); token !== null; token = nextToken(text, token.end)) {
    const isThere = last !== null && identifierOf(text, token)?.toLowerCase() === wanted;
    if (isThere && isBeforeTable(text, last as Token)) return token.start;
    last = token;
  }
  return null;
}

function isBeforeTable(text: string, { kind, start, end }: Token): boolean {
  const written = text.slice(start, end);
  return kind === 'symbol' ? written === ',' : before.has(written.toUpperCase());
}
