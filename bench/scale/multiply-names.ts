/** Tables with rows for each name: the columns that must differ in a copy. `{k}` is the number of the copy, `{step}` the distance of its ids. */
const tables: readonly (readonly [table: string, changed: Readonly<Record<string, string>>])[] = [
  [
    'names',
    {
      id: 'id + k * {step}',
      lower: "lower || '-' || k",
      name: "name || '-' || k",
      frame_id: "frame_id || '-' || k",
    },
  ],
  ['versions', { name_id: 'name_id + k * {step}' }],
  ['parts', { id: 'id + k * {step}', name_id: 'name_id + k * {step}', part_id: "part_id || '-' || k" }],
  ['objects', { part: 'part + k * {step}', key: "key || '-' || k" }],
];

/** Statements that make so many copies of all names in the catalog: a million commits would take an hour, and the tables are the same. */
export async function multiplyNames(
  query: (text: string) => Promise<readonly Record<string, unknown>[]>,
  copies: number,
): Promise<void> {
  const step = 10_000_000;
  for (const [table, changed] of tables) {
    const columns = (
      await query(
        `SELECT column_name AS name FROM information_schema.columns WHERE table_name = '${table}' AND table_schema = 'public' ORDER BY ordinal_position`,
      )
    ).map(({ name }) => String(name));
    const values = columns.map((name) => (changed[name] ?? `"${name}"`).replaceAll('{step}', String(step)));
    await query(
      `INSERT INTO ${table} (${columns.map((name) => `"${name}"`).join(', ')}) SELECT ${values.join(', ')} FROM ${table}, generate_series(1::bigint, ${copies}) AS k`,
    );
  }
  // What a server does by itself within a minute.
  await query('VACUUM ANALYZE');
  await query('CHECKPOINT');
}
