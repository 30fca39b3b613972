import type { Field, Schema } from '../../arrow/field.ts';

/**
 * Whether Parquet files without a note of their Arrow types give back these columns: then an engine's workers can write the rows. Spark, for example, writes
 * durations as plain integers, and refuses names that differ in case only.
 */
export function isPlain({ fields }: Schema): boolean {
  return hasDistinctNames(fields) && fields.every(isPlainField);
}

function isPlainField({ type, children, dictionary, metadata }: Field): boolean {
  if (dictionary !== null || metadata.length > 0) return false;
  switch (type.kind) {
    case 'bool':
      return true;
    case 'int':
      return type.signed;
    case 'float':
      return type.bits !== 16;
    case 'decimal':
      return type.bits === 128 && type.scale >= 0 && type.scale <= type.precision;
    case 'utf8':
    case 'binary':
      return !type.large;
    case 'date':
      return type.unit === 'day';
    case 'timestamp':
      return type.unit === 'us' && (type.zone === null || type.zone === 'UTC');
    case 'list':
      return !type.large && children.every(isPlainField);
    case 'struct':
      return children.length > 0 && hasDistinctNames(children) && children.every(isPlainField);
    case 'map':
      return !type.keysSorted && children.every(isPlainField);
    default:
      return false;
  }
}

function hasDistinctNames(fields: readonly Field[]): boolean {
  return new Set(fields.map(({ name }) => name.toLowerCase())).size === fields.length;
}
