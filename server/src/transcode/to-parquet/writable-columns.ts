import { plainTextType } from '../../arrow/arrays/plain-texts.ts';
import { writableDecimal } from '../../arrow/arrays/widen-decimals.ts';
import type { Field, Metadata, Schema } from '../../arrow/field.ts';
import { typeLayout } from '../../model/types/type-table.ts';

/** What of a frame is written as Parquet. */
export interface WritableColumns {
  /** Indices of the columns, in order. */
  readonly columns: readonly number[];
  /** Of those columns, as they are written. */
  readonly schema: Schema;
}

/**
 * The columns that Parquet can hold, if it cannot hold all that the schema says; null if it can, and if nothing would be left. The rest
 * is in the Arrow form only, which stays the truth: SQL reads what is here.
 */
export function writableColumns(schema: Schema): WritableColumns | null {
  const written = schema.fields.map(writableField);
  const columns = [...written.keys()].filter((index) => written[index] !== null);
  if (columns.length === 0) return null;
  const isSame = written.every((field, index) => field === schema.fields[index]);
  // Nulls among the values of a dictionary must become nulls among the rows: the library takes them for texts.
  if (isSame && !schema.fields.some(hasDictionary) && hasReadableMetadata(schema)) return null;
  const fields = columns.map((index) => withReadableMetadata(written[index] as Field));
  return { columns, schema: { fields, metadata: readable(schema.metadata) } };
}

/** The field itself if the Parquet library can write it, another one with the same values, or null if it refuses them (unions end its thread). */
function writableField(field: Field): Field | null {
  const { type, dictionary } = field;
  if (type.kind === 'union' || type.kind === 'interval') return null;
  if (type.kind === 'struct' && field.children.length === 0) return null;
  if (type.kind === 'decimal' && type.scale < 0) return null;
  if (dictionary !== null) return writableDictionary(field);
  const ownType = writableDecimal(type);
  const children: Field[] = [];
  for (const child of field.children) {
    const written = writableField(child);
    if (written === null) return null;
    children.push(written);
  }
  const isSame = ownType === type && children.every((child, index) => child === field.children[index]);
  return isSame ? field : { ...field, type: ownType, children };
}

/**
 * Dictionaries of texts are written as such, with plain texts in place of views, which end the library's thread. Those of other values are written
 * as these values: the library takes only some of them.
 */
function writableDictionary(field: Field): Field | null {
  const type = plainTextType(field.type);
  if (typeLayout(type).kind === 'bytes') return type === field.type ? field : { ...field, type };
  if (hasRunEnds(field)) return null;
  return writableField({ ...field, dictionary: null, nullable: true });
}

function hasDictionary({ dictionary, children }: Field): boolean {
  return dictionary !== null || children.some(hasDictionary);
}

/** They have no nulls of their own, so rows of a dictionary with nulls cannot become them. */
function hasRunEnds({ type, children }: Field): boolean {
  return type.kind === 'run-end' || children.some(hasRunEnds);
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
