import type { ArrayData } from '../../arrow/arrays/array-data.ts';
import { countBits } from '../../arrow/arrays/bitmap.ts';
import { indicesOf } from '../../arrow/arrays/dictionary-indices.ts';
import { bitmapBytes, isValid } from '../../arrow/arrays/layout.ts';
import type { DictionaryEncoding, Field } from '../../arrow/field.ts';
import { buffersOf, byteValues } from './byte-values.ts';

const none = new Uint8Array(0);

/** A dictionary-encoded array without what no row uses. */
export interface UsedValues {
  /** In the order in which rows first use them. */
  readonly values: ArrayData;
  /** The position of each row's value; -1 for nulls. */
  readonly codes: Int32Array;
  /** The first row that has each value. */
  readonly firstRows: readonly number[];
}

export function usedValues(array: ArrayData): UsedValues {
  const dictionary = array.dictionary as ArrayData;
  const indices = indicesOf(array);
  const codes = new Int32Array(array.length).fill(-1);
  const codeOf = new Map<number, number>();
  const firstRows: number[] = [];
  const used: number[] = [];
  for (let row = 0; row < array.length; row++) {
    if (!isValid(array.validity, row)) continue;
    const index = indices[row] as number;
    let code = codeOf.get(index);
    if (code === undefined) {
      // A value of the dictionary may be null itself.
      code = isValid(dictionary.validity, index) && dictionary.field.type.kind !== 'null' ? used.length : -1;
      codeOf.set(index, code);
      if (code >= 0) {
        used.push(index);
        firstRows.push(row);
      }
    }
    codes[row] = code;
  }
  return { values: takeRows(dictionary, used), codes, firstRows };
}

/** Rows of an array without children, in any order and number; a row below 0 is a null. */
export function takeRows(array: ArrayData, rows: ArrayLike<number>): ArrayData {
  const { field } = array;
  const values = byteValues(array);
  const length = rows.length;
  const buffers =
    field.type.kind === 'null'
      ? []
      : buffersOf(field, length, (row) => ((rows[row] as number) < 0 ? none : values(rows[row] as number)));
  const taken = nullsOf(length, (row) => {
    const from = rows[row] as number;
    return from >= 0 && isValid(array.validity, from);
  });
  return { field, length, ...taken, buffers, children: [], dictionary: null };
}

/** Rows of a dictionary-encoded field, whose values are numbered like this; -1 is a null. */
export function indexArray(field: Field, codes: Int32Array): ArrayData {
  const { bits } = (field.dictionary as DictionaryEncoding).index;
  const length = codes.length;
  const nulls = nullsOf(length, (row) => (codes[row] as number) >= 0);
  const bytes = new Uint8Array((length * bits) / 8);
  const view = new DataView(bytes.buffer);
  for (let row = 0; row < length; row++) {
    const code = Math.max(0, codes[row] as number);
    if (bits === 8) bytes[row] = code;
    else if (bits === 16) view.setUint16(row * 2, code, true);
    else view.setUint32((row * bits) / 8, code, true);
  }
  return { field, length, ...nulls, buffers: [bytes], children: [], dictionary: null };
}

/** What an array says about its nulls. */
function nullsOf(
  length: number,
  valid: (row: number) => boolean,
): { readonly nullCount: number; readonly validity: Uint8Array | null } {
  const validity = new Uint8Array(bitmapBytes(length));
  for (let row = 0; row < length; row++)
    if (valid(row)) validity[row >> 3] = (validity[row >> 3] as number) | (1 << (row & 7));
  const nullCount = length - countBits(validity, length);
  return nullCount === 0 ? { nullCount, validity: null } : { nullCount, validity };
}
