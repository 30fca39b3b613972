import type { Field, Schema } from '../../arrow/field.ts';
import { lostInParquet } from '../../model/types/type-table.ts';

/** Why a field's Parquet form alone would not give it back exactly; null if it does. The table of types says which types are proven. */
function notProven(field: Field): string | null {
  const reason = ownReason(field);
  if (reason !== null) return `${JSON.stringify(field.name)}: ${reason}`;
  for (const child of field.children) {
    const inner = notProven(child);
    if (inner !== null) return inner;
  }
  return null;
}

export function schemaNotProven(schema: Schema): string | null {
  for (const field of schema.fields) {
    const reason = notProven(field);
    if (reason !== null) return reason;
  }
  return null;
}

function ownReason(field: Field): string | null {
  if (field.dictionary !== null) return 'dictionaries lose their order and what no row uses';
  return lostInParquet(field.type);
}
