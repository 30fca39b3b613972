import { isDeepStrictEqual } from 'node:util';
import type { Field, Metadata, Schema } from '../field.ts';

/** Whether two schemas say the same. The order of metadata entries means nothing; dictionary ids are a matter of the stream. */
export function sameSchema(a: Schema, b: Schema): boolean {
  return isDeepStrictEqual(plainSchema(a), plainSchema(b));
}

/** Name, type and everything inside, without metadata. */
export function sameType(a: Field, b: Field): boolean {
  return isDeepStrictEqual(plainField(a, false), plainField(b, false));
}

function plainSchema(schema: Schema): unknown {
  return [schema.fields.map((field) => plainField(field, true)), sorted(schema.metadata)];
}

function plainField(field: Field, withMetadata: boolean): unknown {
  const { dictionary } = field;
  return [
    field.name,
    field.nullable,
    field.type,
    dictionary === null ? null : [dictionary.index, dictionary.ordered],
    withMetadata ? sorted(field.metadata) : [],
    field.children.map((child) => plainField(child, withMetadata)),
  ];
}

function sorted(metadata: Metadata): Metadata {
  return metadata.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}
