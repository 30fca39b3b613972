import { Buffer } from 'node:buffer';
import type { ArrayData } from '../../arrow/arrays/array-data.ts';
import { isValid } from '../../arrow/arrays/layout.ts';
import type { DictionaryEncoding, Field } from '../../arrow/field.ts';
import { typeText } from '../../arrow/schema/type-text.ts';
import { buffersOf, byteValues } from './byte-values.ts';
import { DoesNotFit } from './does-not-fit.ts';
import { valueText } from './value-text.ts';

/** Numbers the values of one dictionary of the frame: first those that the frame has, then new ones as they come. */
export class DictionaryEncoder {
  readonly #field: Field;
  readonly #valuesMax: number;
  readonly #ordered: boolean;
  /** Bytes as Latin-1: exact for every type, and what a Map finds fastest. */
  readonly #codes = new Map<string, number>();
  #known = 0;

  /** `field` is dictionary-encoded. */
  constructor(field: Field) {
    const { index, ordered } = field.dictionary as DictionaryEncoding;
    this.#field = field;
    this.#ordered = ordered;
    this.#valuesMax = 2 ** (index.signed ? index.bits - 1 : index.bits);
  }

  /** Values that the frame has, in its order; those that are there already stay where they are. */
  know(values: ArrayData): void {
    for (const key of keysOf(values))
      if (key !== null && !this.#codes.has(key)) this.#codes.set(key, this.#codes.size);
    this.#known = this.#codes.size;
  }

  /** Whether the values are those of the frame in the same order, from the first one on. */
  beginsWith(values: ArrayData): boolean {
    let next = 0;
    for (const key of keysOf(values)) if (key === null || this.#codes.get(key) !== next++) return false;
    return true;
  }

  /** The number of each row's value; -1 for nulls. */
  encode(values: ArrayData): Int32Array {
    const codes = new Int32Array(values.length).fill(-1);
    let row = 0;
    for (const key of keysOf(values)) {
      if (key !== null) codes[row] = this.#codes.get(key) ?? this.#add(key, values, row);
      row++;
    }
    return codes;
  }

  #add(key: string, values: ArrayData, row: number): number {
    const count = this.#codes.size;
    if (this.#ordered && this.#known > 0)
      throw new DoesNotFit(row, valueText(values, row), "is none of the ordered dictionary's values");
    if (count >= this.#valuesMax)
      throw new DoesNotFit(
        row,
        valueText(values, row),
        `would be value ${count + 1} of the dictionary, and ${typeText(this.#field)} has room for ${this.#valuesMax}`,
      );
    this.#codes.set(key, count);
    return count;
  }

  /** All values, in the order of their numbers. */
  values(): ArrayData {
    const keys = [...this.#codes.keys()];
    const field = { ...this.#field, dictionary: null };
    const buffers = buffersOf(
      field,
      keys.length,
      (row) => Buffer.from(keys[row] as string, 'latin1'),
      Infinity,
    );
    const length = keys.length;
    return { field, length, nullCount: 0, validity: null, buffers, children: [], dictionary: null };
  }
}

function* keysOf(values: ArrayData): Generator<string | null, void, void> {
  const bytes = byteValues(values);
  for (let row = 0; row < values.length; row++)
    yield isValid(values.validity, row) ? latin1(bytes(row)) : null;
}

function latin1({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString('latin1');
}
