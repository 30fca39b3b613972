import type { Field, Metadata, Schema } from '../arrow/field.ts';

/** What of a frame is written as Parquet. */
export interface WritableColumns {
  /** Indices of the columns, in order. */
  readonly columns: readonly number[];
  /** Of those columns. */
  readonly schema: Schema;
}

/**
 * The columns that Parquet can hold, where it cannot hold all that the schema says; null where it can, and where nothing would be left. The rest
 * is in the Arrow form only, which stays the truth: SQL reads what is here.
 */
export function writableColumns(schema: Schema): WritableColumns | null {
  const columns = [...schema.fields.keys()].filter((index) => !isUnwritable(schema.fields[index] as Field));
  if (columns.length === 0) return null;
  if (columns.length === schema.fields.length && hasReadableMetadata(schema)) return null;
  const fields = columns.map((index) => withReadableMetadata(schema.fields[index] as Field));
  return { columns, schema: { fields, metadata: readable(schema.metadata) } };
}

/** The Parquet library refuses these; unions, and dictionaries whose values are views, end its thread. */
function isUnwritable(field: Field): boolean {
  const { type, children, dictionary } = field;
  if (type.kind === 'union' || type.kind === 'interval') return true;
  if (type.kind === 'struct' && children.length === 0) return true;
  if (type.kind === 'decimal' && type.scale < 0) return true;
  if (dictionary !== null && (children.length > 0 || type.kind.endsWith('-view'))) return true;
  return children.some(isUnwritable);
}

function hasReadableMetadata({ metadata, fields }: Schema): boolean {
  return isReadable(metadata) && fields.every(hasReadableFieldMetadata);
}

function hasReadableFieldMetadata({ metadata, children }: Field): boolean {
  return isReadable(metadata) && children.every(hasReadableFieldMetadata);
}

function withReadableMetadata(field: Field): Field {
  return {
    ...field,
    metadata: readable(field.metadata),
    children: field.children.map(withReadableMetadata),
  };
}

/** Bytes that are not UTF-8 have been read as lone surrogates. */
function isReadable(metadata: Metadata): boolean {
  return metadata.every(([key, value]) => key.isWellFormed() && value.isWellFormed());
}

function readable(metadata: Metadata): Metadata {
  return metadata.filter((entry) => isReadable([entry]));
}
