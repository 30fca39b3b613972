/** Makes names unique: a repeated name gets the first of the suffixes `_1`, `_2` … that no other name has. */
export function distinctNames(names: readonly string[]): readonly string[] {
  const own = new Set(names);
  if (own.size === names.length) return names;
  const taken = new Set<string>();
  return names.map((name) => {
    let distinct = name;
    for (let count = 1; taken.has(distinct) || (distinct !== name && own.has(distinct)); count++)
      distinct = `${name}_${count}`;
    taken.add(distinct);
    return distinct;
  });
}
