import type { ArrayData } from '../arrays/array-data.ts';
import { copyBits } from '../arrays/bitmap.ts';
import { emptyArray } from '../arrays/empty-array.ts';
import { bitmapBytes } from '../arrays/layout.ts';
import type { DictionaryValues } from '../batches/batch.ts';
import type { Field, Schema } from '../field.ts';
import type { DictionaryMessage } from '../ipc/message.ts';
import { MalformedArrow } from '../malformed-arrow.ts';
import { type DictionaryField, dictionaryFields } from '../schema/dictionary-fields.ts';

/**
 * A reader of the stream joins each delta to the values before it. Streams of many small deltas to a large dictionary, a batch after
 * each, would keep readers copying for minutes: about 20 s are allowed.
 */
const joinedBytesMaxDefault = 64 * 1024 * 1024 * 1024;

/** What a check must remember of dictionaries: not their values, only how many there are, and which of them are null. */
export class DictionaryLengths {
  readonly #fields: ReadonlyMap<bigint, DictionaryField>;
  readonly #known = new Map<bigint, ArrayData>();
  readonly #bytes = new Map<bigint, number>();
  readonly #grown = new Set<bigint>();
  readonly #joinedBytesMax: number;
  #joinedBytes = 0;

  constructor(schema: Schema, joinedBytesMax = joinedBytesMaxDefault) {
    this.#joinedBytesMax = joinedBytesMax;
    this.#fields = dictionaryFields(schema);
  }

  /** `read` checks the values of the message, given their field. */
  add(message: DictionaryMessage, read: (field: Field, known: DictionaryValues) => ArrayData): void {
    const { id, delta } = message;
    const dictionary = this.#fields.get(id);
    if (dictionary === undefined) throw new MalformedArrow(`dictionary ${id} is not in the schema`);
    const before = this.#known.get(id);
    if (delta && before === undefined)
      throw new MalformedArrow(`a delta to dictionary ${id}, which has no values yet`);
    const values = read(dictionary.field, this.#known);
    if (!delta && before !== undefined && values.length < before.length && this.#isUsed(dictionary))
      throw new MalformedArrow(`dictionary ${id} became shorter while another dictionary uses it`);
    const first = delta ? (before ?? null) : null;
    const length = values.length + (first?.length ?? 0);
    const nullCount = values.nullCount + (first?.nullCount ?? 0);
    const validity = nullCount === 0 ? null : joinedValidity(first, values);
    this.#known.set(id, { ...emptyArray(dictionary.field), length, nullCount, validity });
    this.#bytes.set(id, message.bodyBytes + (delta ? (this.#bytes.get(id) ?? 0) : 0));
    if (delta) this.#grown.add(id);
  }

  /** Values (their number only) by id, as of the batch that follows. */
  forBatch(): DictionaryValues {
    for (const id of this.#grown) this.#joinedBytes += this.#bytes.get(id) ?? 0;
    this.#grown.clear();
    if (this.#joinedBytes > this.#joinedBytesMax)
      throw new MalformedArrow(
        'too many small deltas to a large dictionary; send its values in fewer messages',
      );
    return this.#known;
  }

  #isUsed(dictionary: DictionaryField): boolean {
    for (const id of dictionary.usedBy) if (this.#known.has(id)) return true;
    return false;
  }
}

/** In memory of its own: that of a message is used again. */
function joinedValidity(first: ArrayData | null, values: ArrayData): Uint8Array {
  const before = first?.length ?? 0;
  const validity = new Uint8Array(bitmapBytes(before + values.length));
  if (first !== null) copyBits(validity, 0, first.validity, 0, before);
  copyBits(validity, before, values.validity, 0, values.length);
  return validity;
}
