/** Names of which none is there twice: one that was there before gets `_1`, `_2` … behind it, the first that no other has. */
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
