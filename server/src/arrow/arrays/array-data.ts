import type { Field } from '../field.ts';

/**
 * One column of one batch (or one child of it), as the buffers that Arrow's layout defines for the type, uncompressed, in the order of the format's
 * specification and without the validity bitmap: fixed width [values]; utf8, binary [offsets, bytes]; views [views, ...data];
 * list, map [offsets]; list-view [offsets, sizes]; sparse union [type ids]; dense union [type ids, offsets];
 * struct, fixed-list, null, run-end []. A dictionary-encoded field has [indices]. Buffers may be longer than needed and unaligned.
 */
export interface ArrayData {
  readonly field: Field;
  readonly length: number;
  readonly nullCount: number;
  /** One bit a row, least significant first; null if no row is null. Unions and run-end arrays never have one. */
  readonly validity: Uint8Array | null;
  readonly buffers: readonly Uint8Array[];
  readonly children: readonly ArrayData[];
  /** The values of a dictionary-encoded field, else null. */
  readonly dictionary: ArrayData | null;
}

/** Rows of all columns of one record batch. */
export interface BatchData {
  readonly length: number;
  readonly columns: readonly ArrayData[];
}

/** The bytes of all its buffers, without those of its dictionary. */
export function arrayBytes(array: ArrayData): number {
  return (
    (array.validity?.length ?? 0) +
    array.buffers.reduce((sum, buffer) => sum + buffer.length, 0) +
    array.children.reduce((sum, child) => sum + arrayBytes(child), 0)
  );
}
