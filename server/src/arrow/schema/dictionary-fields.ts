import type { Field, Schema } from '../field.ts';
import { MalformedArrow } from '../malformed-arrow.ts';
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
  const innerOf = new Map<bigint, bigint[]>([...fields.keys()].map((id) => [id, []]));
  for (const [inner, { usedBy }] of fields) for (const outer of usedBy) innerOf.get(outer)?.push(inner);
  const ordered = new Set<bigint>();
  const begun = new Set<bigint>();
  const visit = (id: bigint): void => {
    // A dictionary that is used inside its own values has no inner one to wait for.
    if (begun.has(id)) return;
    begun.add(id);
    for (const inner of innerOf.get(id) ?? []) visit(inner);
    ordered.add(id);
  };
  for (const id of fields.keys()) visit(id);
  return [...ordered];
}
