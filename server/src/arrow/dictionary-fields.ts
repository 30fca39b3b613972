import type { Field, Schema } from './field.ts';
import { MalformedArrow } from './malformed-arrow.ts';
import { typeDifference } from './schema-difference.ts';

export interface DictionaryField {
  /** The field of the values. */
  readonly field: Field;
  /** Dictionaries whose values contain this one. */
  readonly usedBy: ReadonlySet<bigint>;
}

/** Every dictionary of a schema by id, those inside other dictionaries' values included. */
export function dictionaryFields(schema: Schema): Map<bigint, DictionaryField> {
  const found = new Map<bigint, { field: Field; usedBy: Set<bigint> }>();
  const visit = (field: Field, outer: readonly bigint[]): void => {
    let around = outer;
    if (field.dictionary !== null) {
      const id = field.dictionary.id;
      const values: Field = { ...field, nullable: true, dictionary: null };
      const known = found.get(id);
      if (known !== undefined && typeDifference(known.field, values) !== null)
        throw new MalformedArrow(`schema: dictionary ${id} has two types`);
      const entry = known ?? { field: values, usedBy: new Set() };
      for (const user of outer) entry.usedBy.add(user);
      found.set(id, entry);
      around = [...outer, id];
    }
    for (const child of field.children) visit(child, around);
  };
  for (const field of schema.fields) visit(field, []);
  return found;
}

/** Ids of all dictionaries: those inside the values of others come before them. */
export function dictionariesInnerFirst(schema: Schema): bigint[] {
  const fields = dictionaryFields(schema);
  const ordered: bigint[] = [];
  const visit = (id: bigint): void => {
    if (ordered.includes(id)) return;
    for (const [inner, { usedBy }] of fields) if (usedBy.has(id)) visit(inner);
    ordered.push(id);
  };
  for (const id of fields.keys()) visit(id);
  return ordered;
}
