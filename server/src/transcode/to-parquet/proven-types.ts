import type { Field, Schema } from '../../arrow/field.ts';

/**
 * Why a field's Parquet form alone would not give it back exactly; null if round trips with every bit set have shown that it does
 * (server/test/transcode). A type that is not listed here as exact is not.
 */
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
  switch (field.type.kind) {
    case 'bool':
    case 'int':
    case 'float':
    case 'decimal':
    case 'utf8':
    case 'binary':
    case 'fixed-binary':
    case 'date':
    case 'time':
    case 'timestamp':
    case 'duration':
    case 'null':
    case 'list':
    case 'fixed-list':
    case 'struct':
    case 'map':
      return null;
    case 'interval':
      return 'intervals have no exact Parquet form';
    case 'utf8-view':
    case 'binary-view':
    case 'list-view':
      return 'views come back as plain arrays';
    case 'run-end':
      return 'run-end encoding is not kept';
    case 'union':
      return 'Parquet has no unions';
  }
}
