import type { ArrayData, BatchData } from '../../arrow/arrays/array-data.ts';
import { setBit } from '../../arrow/arrays/bitmap.ts';
import { dictionaryRows } from '../../arrow/arrays/dictionary-rows.ts';
import { emptyArray } from '../../arrow/arrays/empty-array.ts';
import { bitmapBytes, isValid } from '../../arrow/arrays/layout.ts';
import { plainTexts } from '../../arrow/arrays/plain-texts.ts';
import { sliceArray } from '../../arrow/arrays/ranges.ts';
import { TooManyBytes, takeRows } from '../../arrow/arrays/take-rows.ts';
import { widenDecimals, writableDecimal } from '../../arrow/arrays/widen-decimals.ts';
import type { Field } from '../../arrow/field.ts';
import { ParquetFault } from '../../parquet/parquet-fault.ts';

/** Of one column of a piece. A dictionary may expand to any number of bytes; a piece that would take more is halved. */
const decodedBytesMax = 64 * 1024 * 1024;

/** Makes arrays what `writableColumns` says is written. The values of a dictionary are made once for all batches that use them. */
export class WritableArrays {
  readonly #texts = new WeakMap<ArrayData, ArrayData>();

  /** Columns as these fields. Several batches if one would be too large. */
  *batches(batch: BatchData, fields: readonly Field[]): Generator<BatchData, void, void> {
    let columns: ArrayData[];
    try {
      columns = batch.columns.map((column, index) => this.array(column, fields[index] as Field));
    } catch (thrown) {
      if (!(thrown instanceof TooManyBytes)) throw thrown;
      if (batch.length < 2)
        throw new ParquetFault('a value of a dictionary is too large to be written', false, thrown);
      const half = batch.length >> 1;
      yield* this.batches(rowsOf(batch, 0, half), fields);
      yield* this.batches(rowsOf(batch, half, batch.length - half), fields);
      return;
    }
    yield { length: batch.length, columns };
  }

  array(array: ArrayData, field: Field): ArrayData {
    const { dictionary } = array;
    if (array.field.dictionary === null) {
      const { type } = array.field;
      if (type.kind.endsWith('-view') && type.kind !== field.type.kind)
        return plainTexts(array, field, decodedBytesMax);
      if (type.kind === 'decimal' && writableDecimal(type) !== type) return widenDecimals(array, field);
      const children = array.children.map((child, at) => this.array(child, childOf(field, at)));
      return { ...array, field, children };
    }
    if (field.dictionary !== null) {
      const values = dictionary && this.dictionary(dictionary, { ...field, dictionary: null });
      return { ...withNullsOfDictionary(array), field, dictionary: values };
    }
    // Without a dictionary every row is null.
    const values = dictionary ?? emptyArray({ ...array.field, dictionary: null });
    return this.array(takeRows(values, dictionaryRows(array), decodedBytesMax), field);
  }

  /** The values of a dictionary that is written as one. */
  dictionary(values: ArrayData, field: Field): ArrayData {
    const known = this.#texts.get(values);
    if (known !== undefined) return known;
    const made = this.array(values, { ...field, nullable: true });
    this.#texts.set(values, made);
    return made;
  }
}

/** Rows that point to a null are null themselves. */
function withNullsOfDictionary(array: ArrayData): ArrayData {
  const { dictionary, length } = array;
  if (dictionary === null || dictionary.nullCount === 0) return array;
  const validity = new Uint8Array(bitmapBytes(length));
  let nullCount = 0;
  for (const [row, index] of dictionaryRows(array).entries())
    if (index >= 0 && isValid(dictionary.validity, index)) setBit(validity, row);
    else nullCount++;
  return { ...array, validity, nullCount };
}

function rowsOf(batch: BatchData, start: number, length: number): BatchData {
  return { length, columns: batch.columns.map((column) => sliceArray(column, start, length)) };
}

function childOf(field: Field, index: number): Field {
  return field.children[index] as Field;
}
