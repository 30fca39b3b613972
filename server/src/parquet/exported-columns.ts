import type { ArrayData } from '../arrow/arrays/array-data.ts';
import { convertTimes } from '../arrow/arrays/convert-times.ts';
import { plainTexts, plainTextType } from '../arrow/arrays/plain-texts.ts';
import { TooManyBytes } from '../arrow/arrays/take-rows.ts';
import { widenDecimals, writableDecimal } from '../arrow/arrays/widen-decimals.ts';
import type { ArrowType, Field, Schema } from '../arrow/field.ts';
import { typeText } from '../arrow/schema/type-text.ts';
import { ParquetFault } from './parquet-fault.ts';

/** Of the values of one dictionary: many views of the same bytes may expand to any number. */
const textBytesMax = 64 * 1024 * 1024;

/**
 * Types that Parquet has no form for, or its writer none that other readers know, as others with the same values: seconds as milliseconds, days that
 * are counted in milliseconds as days. The Arrow schema in the file's metadata still says what they were.
 */
export function exportedSchema(schema: Schema): Schema {
  const fields = schema.fields.map(exportedField);
  return fields.every((field, index) => field === schema.fields[index]) ? schema : { ...schema, fields };
}

function exportedField(field: Field): Field {
  // Views are fine elsewhere; in a dictionary they end the writer's thread.
  const type = field.dictionary === null ? exportedType(field.type) : exportedType(plainTextType(field.type));
  const children = field.children.map(exportedField);
  const isSame = type === field.type && children.every((child, index) => child === field.children[index]);
  return isSame ? field : { ...field, type, children };
}

function exportedType(type: ArrowType): ArrowType {
  if (type.kind === 'timestamp' && type.unit === 's') return { ...type, unit: 'ms' };
  if (type.kind === 'time' && type.unit === 's') return { ...type, unit: 'ms' };
  if (type.kind === 'date' && type.unit === 'ms') return { ...type, unit: 'day' };
  return writableDecimal(type);
}

/** A column as `exportedSchema` says. ParquetFault for a value that has no form there. */
export function exportedArray(array: ArrayData): ArrayData {
  const field = exportedField(array.field);
  if (field === array.field) return array;
  if (field.dictionary !== null)
    return {
      ...array,
      field,
      dictionary: array.dictionary && exportedAs(array.dictionary, { ...field, dictionary: null }),
    };
  return exportedAs(array, field);
}

function exportedAs(array: ArrayData, field: Field): ArrayData {
  if (field.type === array.field.type)
    return { ...array, field, children: array.children.map(exportedArray) };
  if (field.type.kind === 'decimal') return widenDecimals(array, field);
  if (field.type.kind === 'utf8' || field.type.kind === 'binary') return exportedTexts(array, field);
  return convertTimes(array, field, () => {
    throw new ParquetFault(
      `column ${JSON.stringify(field.name)} of type ${typeText(array.field)} has a value that does not fit ${typeText(field)}`,
      false,
      null,
    );
  });
}

function exportedTexts(array: ArrayData, field: Field): ArrayData {
  try {
    return plainTexts(array, field, textBytesMax);
  } catch (thrown) {
    if (!(thrown instanceof TooManyBytes)) throw thrown;
    throw new ParquetFault(
      `the texts of the dictionary of column ${JSON.stringify(field.name)} take more than ${textBytesMax / 2 ** 20} MiB`,
      false,
      thrown,
    );
  }
}
