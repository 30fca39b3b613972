/** A name of a frame or a column as SQL has it, with any character. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Quoted only if it must be: for text that a person reads. */
export function shownName(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) && !reserved.has(name) ? name : quoteName(name);
}

export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Words that cannot be a column's or a table's name without quotes (DuckDB's reserved keywords). */
const reserved = new Set(
  (
    'all analyse analyze and any array as asc asymmetric both case cast check collate column constraint create default deferrable desc ' +
    'describe distinct do else end except false fetch for foreign from group having in initially intersect into lambda lateral leading ' +
    'limit not null offset on only or order pivot pivot_longer pivot_wider placing primary qualify references returning select show some ' +
    'summarize symmetric table then to trailing true union unique unpivot using variadic when where window with'
  ).split(' '),
);
