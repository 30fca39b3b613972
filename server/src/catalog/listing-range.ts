import type { ListPage } from '../ports/catalog/versions.ts';

/** Every character of a name sorts below this one, so it closes the range of a prefix. */
const aboveNames = '\x7f';
const nameCharacters = /^[a-z0-9_.-]*$/;

/** The lower-case names of a page: after, at least, below. null for a prefix that no name has. */
export function rangeOf({
  prefix,
  after,
}: ListPage<boolean>): [after: string, from: string, below: string] | null {
  const lower = prefix.toLowerCase();
  return nameCharacters.test(lower) ? [after ?? '', lower, lower + aboveNames] : null;
}
