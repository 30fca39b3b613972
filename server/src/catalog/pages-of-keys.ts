/** So many keys take a catalog about 10 ms. */
const keysPageMax = 1000;

export function* pagesOfKeys(keys: readonly string[]): Iterable<readonly string[]> {
  for (let start = 0; start < keys.length; start += keysPageMax) yield keys.slice(start, start + keysPageMax);
}
