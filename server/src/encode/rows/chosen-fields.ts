import type { Field, Schema } from '../../arrow/field.ts';

/** The fields of the columns wanted, in the order wanted. */
export function chooseFields(schema: Schema, columns: readonly number[] | null): readonly Field[] {
  if (columns === null) return schema.fields;
  return columns.map((index) => {
    const field = schema.fields[index];
    if (field === undefined) throw new Error(`there is no column ${index}`);
    return field;
  });
}

/** Ids of the dictionaries of some fields, in the order of the fields: two schemas of the same shape give ids that belong together. */
export function dictionaryIds(fields: readonly Field[]): bigint[] {
  return fields.flatMap((field) => [
    ...(field.dictionary === null ? [] : [field.dictionary.id]),
    ...dictionaryIds(field.children),
  ]);
}
