/** A name as SQL writes it: a plain one as it is, any other in double quotes. */
export function quotedName(name: string): string {
  return /^[a-z_][a-z0-9_]{0,127}$/.test(name) && !keywords.has(name) ? name : quoteName(name);
}

/** The words of DuckDB 1.5 that are not understood as the name of a table or a column everywhere, `min(at)` for example. */
const keywords = new Set(
  (
    'all analyse analyze and anti any array as asc asof asymmetric at authorization binary both by ' +
    'case cast check collate collation column concurrently constraint create cross default deferrable ' +
    'desc describe distinct do else end except false fetch for foreign freeze from full glob group ' +
    'having ilike in initially inner intersect into is isnull join lambda lateral leading left like ' +
    'limit natural not notnull null offset on only or order outer overlaps pivot pivot_longer ' +
    'pivot_wider placing positional primary qualify references returning right select semi show ' +
    'similar some summarize symmetric table tablesample then to trailing true union unique unpack ' +
    'unpivot using variadic verbose when where window with'
  ).split(' '),
);

export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
