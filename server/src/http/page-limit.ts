import { FrameholdError } from '../frames/errors.ts';
import { wholeNumber } from './parameters.ts';
import type { RawQuery } from './raw-query.ts';

const pageDefault = 100;
/** One page is one answer in memory: a thousand manifests are a few hundred kilobytes. */
const pageMax = 1_000;

export function pageLimit(query: RawQuery): number {
  const limit = wholeNumber(query, 'limit', pageMax) ?? pageDefault;
  if (limit === 0)
    throw new FrameholdError('bad_request', 'limit=0 asks for an empty page.', {
      hint: `Give 1 to ${pageMax}.`,
    });
  return limit;
}
