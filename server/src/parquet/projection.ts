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
  const hasDots = fields.some(({ name }) => name.includes('.'));
  const isGiven = ({ name }: Field) =>
    wanted.has(name) || (hasDots && names.some((each) => name.startsWith(`${each}.`)));
  const isDivided = ({ name, children }: Field) =>
    hasDots && children.length > 0 && names.some((each) => each.startsWith(`${name}.`));
  if (fields.some(isDivided)) return null;
  return { names, given: [...fields.keys()].filter((index) => isGiven(fields[index] as Field)) };
}
