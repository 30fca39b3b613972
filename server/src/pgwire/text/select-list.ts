import { type MatchedWord, outerWords, type Span } from './matched-words.ts';

/** Words behind which the list of columns has ended. */
const listEnds: ReadonlySet<string> = new Set([
  ...['FROM', 'WHERE', 'GROUP', 'HAVING', 'WINDOW', 'QUALIFY', 'UNION', 'INTERSECT', 'EXCEPT', 'ORDER'],
  ...['LIMIT', 'OFFSET', 'FETCH', 'FOR', 'INTO', 'USING', ';'],
]);
const operandEnds: ReadonlySet<string> = new Set([')', ']', '*']);
/** `((SELECT 1))`: deeper ones are nobody's. */
const depthMax = 20;

/** The columns of a query as they are written, those of its first SELECT; null if there is none. */
export function selectList(words: readonly MatchedWord[], span: Span): readonly Span[] | null {
  let { from, to } = span;
  for (let depth = 0; words[from]?.keyword === '('; depth++) {
    to = (words[from] as MatchedWord).close;
    if (to === from || depth === depthMax) return null;
    from++;
  }
  // A WITH before it has its queries in parentheses.
  for (const at of outerWords(words, { from, to }))
    if (words[at]?.keyword === 'SELECT') return itemsOf(words, { from: afterDistinct(words, at + 1), to });
  return null;
}

function afterDistinct(words: readonly MatchedWord[], at: number): number {
  if (words[at]?.keyword === 'ALL') return at + 1;
  if (words[at]?.keyword !== 'DISTINCT') return at;
  return words[at + 1]?.keyword === 'ON' ? (words[at + 2]?.close ?? at) + 1 : at + 1;
}

function itemsOf(words: readonly MatchedWord[], { from, to }: Span): readonly Span[] {
  const items: Span[] = [];
  let start = from;
  const add = (end: number) => {
    // The engine allows a comma behind the last.
    if (end > start) items.push({ from: start, to: end });
    start = end + 1;
  };
  for (const at of outerWords(words, { from, to })) {
    const keyword = words[at]?.keyword ?? '';
    if (keyword === ',') add(at);
    else if (listEnds.has(keyword) && !isDistinctFrom(words, at) && !isColumn(words, at, start)) {
      add(at);
      return items;
    }
  }
  add(to);
  return items;
}

/** `a IS DISTINCT FROM b` */
function isDistinctFrom(words: readonly MatchedWord[], at: number): boolean {
  return words[at]?.keyword === 'FROM' && words[at - 1]?.keyword === 'DISTINCT';
}

/** A column of the name `qualify`, which only DuckDB reserves: what comes before expects one. */
function isColumn(words: readonly MatchedWord[], at: number, start: number): boolean {
  if (words[at]?.keyword !== 'QUALIFY') return false;
  const before = words[at - 1];
  return (
    at === start ||
    before?.keyword === 'AS' ||
    (before?.kind === 'symbol' && !operandEnds.has(before.keyword))
  );
}
