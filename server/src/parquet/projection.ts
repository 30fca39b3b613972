import type { Field } from '../arrow/field.ts';

/** Some columns of a Parquet file, as the library can be asked for them. */
export interface Projection {
  readonly names: readonly string[];
  /** Positions of the columns that it then gives, in the order of the file: perhaps more than were wanted. */
  readonly given: readonly number[];
}

/**
 * The library chooses by name: everything whose path is that name or begins with it and a dot. So it gives all columns of the same name, and
 * a column `a.b` with `a`. null if it would give only a part of a column: then all must be read.
 */
export function projectionOf(fields: readonly Field[], columns: readonly number[]): Projection | null {
  const names = [...new Set(columns.map((index) => (fields[index] as Field).name))];
  const wanted = new Set(names);
  if (names.length === 0 || names.includes('')) return null;
  const beginsWithWanted = prefixTest(wanted);
  const isGiven = ({ name }: Field) => wanted.has(name) || beginsWithWanted(name);
  const parents = new Set(fields.filter(({ children }) => children.length > 0).map(({ name }) => name));
  if (names.some(prefixTest(parents))) return null;
  return { names, given: [...fields.keys()].filter((index) => isGiven(fields[index] as Field)) };
}

/** Whether one of the prefixes, with a dot behind it, begins a name: without a look at each, because a frame may have a hundred thousand columns. */
function prefixTest(prefixes: ReadonlySet<string>): (name: string) => boolean {
  // Of a name that is mostly dots, only beginnings that can be one are made.
  const lengths = new Set([...prefixes].map(({ length }) => length));
  return (name) => {
    for (let dot = name.indexOf('.'); dot !== -1; dot = name.indexOf('.', dot + 1))
      if (lengths.has(dot) && prefixes.has(name.slice(0, dot))) return true;
    return false;
  };
}
