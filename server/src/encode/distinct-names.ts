/** Makes names unique: a repeated name gets the first of the suffixes `_1`, `_2` … that no other name has. In linear time: columns are a caller's choice. */
export function distinctNames(names: readonly string[]): readonly string[] {
  const own = new Set(names);
  if (own.size === names.length) return names;
  const seen = new Set<string>();
  /** The last suffix of each name: lower ones are taken. */
  const lastSuffixes = new Map<string, number>();
  return names.map((name) => {
    if (!seen.has(name)) {
      seen.add(name);
      return name;
    }
    let suffix = lastSuffixes.get(name) ?? 0;
    do suffix++;
    while (own.has(`${name}_${suffix}`));
    lastSuffixes.set(name, suffix);
    return `${name}_${suffix}`;
  });
}
