/** A name as SQL writes it: a plain one as it is, any other in double quotes. */
export function quotedName(name: string): string {
  return /^[a-z_][a-z0-9_]{0,127}$/.test(name) && !reserved.has(name)
    ? name
    : `"${name.replaceAll('"', '""')}"`;
}

/** Words that DuckDB does not take as the name of a frame or a column without quotes. */
const reserved = new Set(
  (
    'all analyse analyze and any array as asc asymmetric both case cast check collate column constraint create default ' +
    'deferrable desc describe distinct do else end except false fetch for foreign from group having in initially intersect ' +
    'into lambda lateral leading limit not null offset on only or order pivot placing primary qualify references returning ' +
    'select show some summarize symmetric table then to trailing true union unique unpivot using variadic when where window ' +
    'with anti asof at authorization binary by collation concurrently cross freeze full glob ilike inner is isnull join left ' +
    'like natural notnull outer overlaps pivot_longer pivot_wider positional right semi similar tablesample unpack verbose'
  ).split(' '),
);
