import type { ArrowType, Field, Metadata, Schema } from '../field.ts';

/**
 * Whole numbers of 128 bits have no type in Arrow: a result has them as decimals, and this mark in the metadata of the field says what they
 * are. It goes from the engine to the writers of text and no further: Arrow results and held frames do not have it.
 */
const markKey = 'framehold:integer';

export type WideInteger = 'HUGEINT' | 'UHUGEINT';

export function wideIntegerMark(type: WideInteger): Metadata {
  return [[markKey, type]];
}

export function hasWideIntegers({ fields }: Schema): boolean {
  const isMarked = (field: Field): boolean => markOf(field) !== null || field.children.some(isMarked);
  return fields.some(isMarked);
}

/** The schema as callers get it. */
export function withoutMarks({ fields, metadata }: Schema): Schema {
  return { fields: fields.map(unmarked), metadata };
}

/** The schema with types that say which decimals are whole numbers. Only for a schema that the engine made: anybody may put such a mark into a frame. */
export function withWideIntegers({ fields, metadata }: Schema): Schema {
  return { fields: fields.map(typed), metadata };
}

function unmarked(field: Field): Field {
  return {
    ...field,
    metadata: field.metadata.filter(([key]) => key !== markKey),
    children: field.children.map(unmarked),
  };
}

function typed(field: Field): Field {
  const mark = markOf(field);
  const type: ArrowType =
    mark !== null && field.type.kind === 'decimal' ? { ...field.type, integer: mark } : field.type;
  return { ...field, type, children: field.children.map(typed) };
}

function markOf({ metadata }: Field): WideInteger | null {
  const mark = metadata.find(([key]) => key === markKey)?.[1];
  return mark === 'HUGEINT' || mark === 'UHUGEINT' ? mark : null;
}
