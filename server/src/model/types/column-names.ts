import type { Field } from './field.ts';
import { arrayOf, type PostgresType } from './postgres-types.ts';
import { isList, isText, type TypeNames, typeNames, uuidNames } from './type-table.ts';

/** The type of a column in `/exec` and manifests. Of a list `ARRAY`, whatever is inside. */
export function execName(column: Field): string {
  const field = valueField(column);
  return field.dictionary !== null && isText(field.type) ? 'SYMBOL' : ownNames(field).exec;
}

/** The type of a column in PostgreSQL, where a list is an array of its elements if there is such an array. */
export function postgresType(column: Field): PostgresType {
  const field = valueField(column);
  const [element] = field.children;
  return isList(field.type) && element !== undefined
    ? arrayOf(postgresType(element))
    : ownNames(field).postgres;
}

/** Run-end encoding is only a way to store: what counts is the field of the values. */
export function valueField(field: Field): Field {
  let value = field;
  while (value.type.kind === 'run-end') value = value.children[1] as Field;
  return value;
}

export function isUuid({ type, metadata }: Field): boolean {
  if (type.kind !== 'fixed-binary' || type.width !== 16) return false;
  return metadata.find(([key]) => key === 'ARROW:extension:name')?.[1] === 'arrow.uuid';
}

function ownNames(field: Field): TypeNames {
  return isUuid(field) ? uuidNames : typeNames(field.type);
}
