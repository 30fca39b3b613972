/** The frames that the legal statements read, as Spark makes them. */
const sampleViews: Readonly<Record<string, string>> = {
  trades: `select id, symbol, cast(price as double) price, cast(size as bigint) size, timestamp '2024-01-01 10:00:00' at, date '2024-01-01' day,
    cast(1.25 as decimal(10, 2)) fee, array(symbol, 'x') tags, map('a', symbol) attributes, named_struct('name', 'X', 'country', 'CH') venue
    from values (1, 'A', 10.5, 100), (2, 'B', 4.25, 7), (3, 'A', 0.5, 12) v(id, symbol, price, size)`,
  symbols: `select symbol, name, date '2001-02-03' listed, 'somebody' user from values ('A', 'Alpha'), ('B', 'Beta') v(symbol, name)`,
};

/** A statement that gives the n-th table of a allowed statement. */
export function viewOf(index: number, table: string): string {
  const rows = sampleViews[table.toLowerCase()] ?? sampleViews.trades;
  return `create or replace temporary view fh_${index} as ${rows}`;
}
