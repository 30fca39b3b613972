import type { ArrayData } from '../arrow/arrays/array-data.ts';
import { convertTimes } from '../arrow/arrays/convert-times.ts';
import { int32s } from '../arrow/arrays/elements.ts';
import type { ArrowType, Field, Schema } from '../arrow/field.ts';
import { typeText } from '../arrow/schema/type-text.ts';
import { ParquetFault } from './parquet-fault.ts';

/**
 * Types that Parquet has no form for, or its writer none that other readers know, as others with the same values: seconds as milliseconds, days that
 * are counted in milliseconds as days. The Arrow schema in the file's metadata still says what they were.
 */
export function exportedSchema(schema: Schema): Schema {
  const fields = schema.fields.map(exportedField);
  return fields.every((field, index) => field === schema.fields[index]) ? schema : { ...schema, fields };
}

function exportedField(field: Field): Field {
  const type = exportedType(field.type);
  const children = field.children.map(exportedField);
  const isSame = type === field.type && children.every((child, index) => child === field.children[index]);
  return isSame ? field : { ...field, type, children };
}

function exportedType(type: ArrowType): ArrowType {
  if (type.kind === 'timestamp' && type.unit === 's') return { ...type, unit: 'ms' };
  if (type.kind === 'time' && type.unit === 's') return { ...type, unit: 'ms' };
  if (type.kind === 'date' && type.unit === 'ms') return { ...type, unit: 'day' };
  // The writer refuses these, and only these, of 32 bits.
  if (type.kind === 'decimal' && type.bits === 32 && type.precision === 1) return { ...type, bits: 64 };
  return type;
}

/** A column as `exportedSchema` says. ParquetFault for a value that has no form there. */
export function exportedArray(array: ArrayData): ArrayData {
  const field = exportedField(array.field);
  if (field === array.field) return array;
  if (field.dictionary !== null)
    return { ...array, field, dictionary: array.dictionary && exportedArray(array.dictionary) };
  if (field.type === array.field.type)
    return { ...array, field, children: array.children.map(exportedArray) };
  if (field.type.kind === 'decimal') return { ...array, field, buffers: [widened(array)] };
  return convertTimes(array, field, () => {
    throw new ParquetFault(
      `column ${JSON.stringify(field.name)} of type ${typeText(array.field)} has a value that does not fit ${typeText(field)}`,
      false,
      null,
    );
  });
}

function widened({ buffers, length }: ArrayData): Uint8Array {
  const values = int32s(buffers[0] as Uint8Array, 0, length);
  return new Uint8Array(BigInt64Array.from(values, BigInt).buffer);
}
