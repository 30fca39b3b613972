import duckdb, { type Vector } from '@duckdb/node-bindings';
import type { ArrayData } from '../../../arrow/arrays/array-data.ts';
import { isValid } from '../../../arrow/arrays/layout.ts';
import type { Field } from '../../../arrow/field.ts';
import { FrameholdError } from '../../../model/errors.ts';
import type { Selection } from './selection.ts';
import { ValidityBuilder } from './validity.ts';

/** Values of a dictionary that are new since the last batch. */
export interface DictionaryValues {
  readonly id: bigint;
  readonly delta: boolean;
  readonly values: ArrayData;
}

/**
 * Gathers the values of one column, or of one child of it, into Arrow's buffers. Each vector is loaded once (the calls into the engine are what is
 * dear) and appended in one or several pieces; `finish` gives what was appended, and `clear` begins the next batch.
 */
export abstract class ColumnEncoder {
  readonly field: Field;
  readonly children: readonly ColumnEncoder[];
  /** Of the loaded vector: one bit an element; null if all are valid. */
  protected loaded: Uint8Array | null = null;
  protected length = 0;
  readonly #validity = new ValidityBuilder();

  constructor(field: Field, children: readonly ColumnEncoder[] = []) {
    this.field = field;
    this.children = children;
  }

  /** Copies out what a vector of `count` elements holds. */
  load(vector: Vector, count: number): void {
    this.loaded = count === 0 ? null : duckdb.vector_get_validity(vector, Math.ceil(count / 64) * 8);
    this.loadValues(vector, count);
  }

  append(selection: Selection): void {
    this.#validity.append(this.loaded, selection);
    this.appendValues(selection);
    this.length += selection.count;
  }

  /** About how many bytes the selected elements take in a batch. */
  abstract weigh(selection: Selection): number;

  /** What was appended since `clear`. Its buffers are used again. If the parent, a struct, is null, the value does not count. */
  finish(parent: Uint8Array | null = null): ArrayData {
    const validity = this.#validity.finish();
    const { nullCount } = this.#validity;
    if (nullCount > 0 && !this.field.nullable) this.#refuseNulls(validity, parent);
    return this.array(validity, nullCount);
  }

  clear(): void {
    this.length = 0;
    this.#validity.clear();
    this.clearValues();
    for (const child of this.children) child.clear();
  }

  /** To be called after `finish`: what the batch's readers need before it. */
  *dictionaries(): Generator<DictionaryValues, void, void> {
    for (const child of this.children) yield* child.dictionaries();
  }

  protected abstract loadValues(vector: Vector, count: number): void;
  protected abstract appendValues(selection: Selection): void;
  protected abstract clearValues(): void;

  /** If the field has a dictionary, that is not filled in: only the buffers are written. */
  protected abstract buffers(validity: Uint8Array | null): readonly Uint8Array[];

  protected array(validity: Uint8Array | null, nullCount: number): ArrayData {
    return {
      field: this.field,
      length: this.length,
      nullCount,
      validity,
      buffers: this.buffers(validity),
      children: this.children.map((child) =>
        child.finish(this.field.type.kind === 'struct' ? validity : null),
      ),
      dictionary: null,
    };
  }

  #refuseNulls(validity: Uint8Array | null, parent: Uint8Array | null): void {
    if (this.field.type.kind === 'null') return;
    for (let row = 0; row < this.length; row++)
      if (isValid(parent, row) && !isValid(validity, row))
        throw new FrameholdError(
          'sql_failed',
          `Column ${JSON.stringify(this.field.name)} holds no nulls, and a row has one for it.`,
        );
  }

  protected refuseValue(reason: string): never {
    throw new FrameholdError(
      'sql_failed',
      `A value for column ${JSON.stringify(this.field.name)} ${reason}.`,
      { hint: 'Cast it in the statement to what the column holds.' },
    );
  }
}

/** Visits the places, from 0, of the selected elements that are null. */
export function eachNull(
  validity: Uint8Array | null,
  selection: Selection,
  visit: (place: number) => void,
): void {
  if (validity === null) return;
  const { from, count, index } = selection;
  for (let place = 0; place < count; place++) {
    const row = index === null ? from + place : (index[place] as number);
    const byte = validity[row >> 3] as number;
    if (byte === 0xff && index === null) {
      // The rest of this byte is valid, too.
      place += 7 - (row & 7);
      continue;
    }
    if (((byte >> (row & 7)) & 1) === 0) visit(place);
  }
}
