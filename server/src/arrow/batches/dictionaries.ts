import type { ArrayData } from '../arrays/array-data.ts';
import { joinArrays } from '../arrays/ranges.ts';
import type { Schema } from '../field.ts';
import type { DictionaryMessage } from '../ipc/message.ts';
import { MalformedArrow } from '../malformed-arrow.ts';
import { type DictionaryField, dictionaryFields } from '../schema/dictionary-fields.ts';
import { type BatchOptions, readBatch } from './batch.ts';

/** The dictionaries of a stream as of the message read last. */
export class Dictionaries {
  readonly #fields: ReadonlyMap<bigint, DictionaryField>;
  /** A first piece, and the deltas that nobody has asked for yet. */
  readonly #pieces = new Map<bigint, ArrayData[]>();
  readonly #values = new Map<bigint, ArrayData>();
  readonly #stale = new Set<bigint>();

  constructor(schema: Schema) {
    this.#fields = dictionaryFields(schema);
  }

  /** Takes a dictionary batch: new values in place of the old, or a delta behind them. The body must stay unchanged from now on. */
  add(message: DictionaryMessage, body: Uint8Array, options: BatchOptions = {}): void {
    const { id } = message;
    const known = this.#fields.get(id);
    if (known === undefined) throw new MalformedArrow(`dictionary ${id} is not in the schema`);
    const values = readBatch([known.field], message.batch, body, this.current(), options)
      .columns[0] as ArrayData;
    const pieces = this.#pieces.get(id);
    if (!message.delta) this.#pieces.set(id, [values]);
    else if (pieces === undefined)
      throw new MalformedArrow(`a delta to dictionary ${id}, which has no values yet`);
    else pieces.push(values);
    this.#stale.add(id);
    for (const outer of known.usedBy) this.#stale.add(outer);
  }

  /** Values by id, for `readBatch`. Deltas are joined only here, once for all that came since the last call. */
  current(): ReadonlyMap<bigint, ArrayData> {
    for (const id of this.#stale) this.#values.delete(id);
    for (const id of this.#stale) this.#resolve(id);
    this.#stale.clear();
    return this.#values;
  }

  #resolve(id: bigint): ArrayData | null {
    const resolved = this.#values.get(id);
    if (resolved !== undefined) return resolved;
    const pieces = this.#pieces.get(id);
    const known = this.#fields.get(id);
    if (pieces === undefined || known === undefined) return null;
    const joined = pieces.length === 1 ? (pieces[0] as ArrayData) : joinArrays(known.field, pieces);
    this.#pieces.set(id, [joined]);
    const values = this.#bind(joined);
    this.#values.set(id, values);
    return values;
  }

  /** Dictionaries inside the values follow their own latest state, as in other implementations. */
  #bind(array: ArrayData): ArrayData {
    if (array.field.dictionary !== null)
      return { ...array, dictionary: this.#resolve(array.field.dictionary.id) ?? array.dictionary };
    if (array.children.length === 0) return array;
    return { ...array, children: array.children.map((child) => this.#bind(child)) };
  }
}
