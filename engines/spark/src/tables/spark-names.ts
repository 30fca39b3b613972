/** Names that are the same for Spark: it compares them without case, in two ways that differ for some letters. Either counts. */
export function sameNames(names: readonly string[]): readonly string[] {
  const seen = new Map<string, number>();
  for (const name of names) for (const key of keysOf(name)) seen.set(key, (seen.get(key) ?? 0) + 1);
  return names.filter((name) => keysOf(name).some((key) => (seen.get(key) ?? 0) > 1));
}

/** The name of each column in SQL. One without a name gets a number, and one that was there before in any case a number behind it. */
export function columnNames(names: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  const own = new Set(names.flatMap(keysOf));
  const isTaken = (name: string) => keysOf(name).some((key) => taken.has(key));
  const isOwn = (name: string) => keysOf(name).some((key) => own.has(key));
  return names.map((given, index) => {
    const wanted = isWritable(given) ? given : `column_${index + 1}`;
    let name = wanted;
    for (let count = 1; isTaken(name) || (name !== given && isOwn(name)); count++)
      name = `${wanted}_${count}`;
    for (const key of keysOf(name)) taken.add(key);
    return name;
  });
}

/** Whether a statement can name it. */
function isWritable(name: string): boolean {
  return name !== '' && !name.includes('\0') && name.isWellFormed();
}

function keysOf(name: string): readonly string[] {
  const lower = name.toLowerCase();
  const both = name.toUpperCase().toLowerCase();
  return lower === both ? [lower] : [lower, both];
}
