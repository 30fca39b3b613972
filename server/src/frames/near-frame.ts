import { nearestName } from '../base/nearest-name.ts';
import type { ListPage } from '../ports/catalog/versions.ts';

/** How many names are compared to suggest one. */
const nearNamesMax = 200;
/** Only names that begin with the same letters are compared. */
const sharedBeginning = 2;

/** The name that was probably meant; undefined if none is near. `names` gives names of the caller's own frames. */
export async function nearFrame(
  wanted: string,
  names: (page: ListPage) => Promise<readonly string[]>,
): Promise<string | undefined> {
  const lower = wanted.toLowerCase();
  const found = await names({ prefix: lower.slice(0, sharedBeginning), after: null, limit: nearNamesMax });
  const spellings = new Map(found.map((name) => [name.toLowerCase(), name]));
  return spellings.get(nearestName(lower, spellings.keys()) ?? '');
}
