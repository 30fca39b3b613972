import type { ArrayData } from '../../arrow/arrays/array-data.ts';
import { isValid } from '../../arrow/arrays/layout.ts';
import type { Field } from '../../arrow/field.ts';
import { typeDifference } from '../../arrow/schema/schema-difference.ts';
import { isBinary, isList, isText, typeLayout } from '../../model/types/type-table.ts';
import { convertLists } from './convert-lists.ts';
import { convertNumbers } from './convert-numbers.ts';
import { type ConvertChild, convertStructs } from './convert-structs.ts';
import { convertBytes } from './convert-texts.ts';
import { convertTimes, sameSortOfTime } from './convert-times.ts';
import { hasDictionary } from './convertible.ts';
import { indexArray, takeRows, usedValues } from './dictionary-arrays.ts';
import type { DictionaryEncoder } from './dictionary-encoder.ts';
import { DoesNotFit, within } from './does-not-fit.ts';
import { nullArray } from './null-array.ts';
import { isNumber } from './number-values.ts';
import { valueText } from './value-text.ts';

export interface Conversion {
  /** By the id that a dictionary has in the frame. */
  readonly encoders: ReadonlyMap<bigint, DictionaryEncoder>;
  /** The rows are some of a batch: what views point to must not be copied with each piece. */
  readonly isPiece: boolean;
}

/** The same values in the frame's type. `conversionFault` has found nothing; DoesNotFit says which value does not fit. */
export function convertArray(array: ArrayData, target: Field, conversion: Conversion): ArrayData {
  if (target.dictionary !== null) return encode(array, target, conversion);
  return array.field.dictionary === null
    ? convertPlain(array, target, conversion)
    : decode(array, target, conversion);
}

function decode(array: ArrayData, target: Field, conversion: Conversion): ArrayData {
  const { values, codes, firstRows } = usedValues(array);
  const converted = within(
    () => convertPlain(values, target, conversion),
    (row) => firstRows[row] as number,
  );
  return takeRows(converted, codes);
}

function encode(array: ArrayData, target: Field, conversion: Conversion): ArrayData {
  const encoder = conversion.encoders.get(target.dictionary?.id ?? -1n) as DictionaryEncoder;
  const valueField: Field = { ...target, nullable: true, dictionary: null };
  const numbered = (values: ArrayData) => encoder.encode(convertPlain(values, valueField, conversion));
  if (array.field.dictionary === null) return indexArray(target, numbered(array));
  const { values, codes, firstRows } = usedValues(array);
  const numbers = within(
    () => numbered(values),
    (row) => firstRows[row] as number,
  );
  return indexArray(
    target,
    codes.map((code) => (code < 0 ? -1 : (numbers[code] as number))),
  );
}

/** Neither of the two is dictionary-encoded itself. */
function convertPlain(array: ArrayData, target: Field, conversion: Conversion): ArrayData {
  const from = array.field.type;
  const to = target.type;
  if (from.kind === 'null') return nullArray(target, array.length);
  if (to.kind === 'null') return onlyNulls(array, target);
  if (isPassed(array.field, target, conversion)) return renamed(array, target);
  if (isNumber(from) && isNumber(to)) return convertNumbers(array, target);
  if ((isText(from) && isText(to)) || (isBinary(from) && isBinary(to))) return convertBytes(array, target);
  if (sameSortOfTime(from, to)) return convertTimes(array, target);
  const convertChild: ConvertChild = (child, field, isPiece) =>
    convertArray(child, field, isPiece ? { ...conversion, isPiece } : conversion);
  if (isList(from) || from.kind === 'map') return convertLists(array, target, convertChild);
  if (from.kind === 'struct') return convertStructs(array, target, convertChild);
  return renamed(array, target);
}

function isPassed(field: Field, target: Field, { isPiece }: Conversion): boolean {
  if (hasDictionary(field) || (isPiece && hasViews(field))) return false;
  return typeDifference(target, { ...field, dictionary: null }) === null;
}

function hasViews({ type, children }: Field): boolean {
  return typeLayout(type).kind === 'views' || children.some(hasViews);
}

/** What a list calls its items, and metadata, are the frame's. */
function renamed(array: ArrayData, field: Field): ArrayData {
  const children = array.children.map((child, index) => renamed(child, field.children[index] as Field));
  return { ...array, field, children };
}

function onlyNulls(array: ArrayData, target: Field): ArrayData {
  for (let row = 0; row < array.length; row++)
    if (isValid(array.validity, row)) throw new DoesNotFit(row, valueText(array, row), 'does not fit');
  return nullArray(target, array.length);
}
