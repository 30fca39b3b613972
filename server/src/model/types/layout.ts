import type { TypeOf } from './field.ts';

/**
 * How the values of a type lie in buffers, beside the validity bitmap: the physical layouts of Arrow's columnar format. Many types share one, so code that
 * moves values asks for the layout, and a new type with a known layout changes none of it.
 */
export type Layout =
  /** No buffers: the type `null`. */
  | { readonly kind: 'none' }
  | { readonly kind: 'bits' }
  | { readonly kind: 'fixed'; readonly bytes: number }
  /** Offsets, and the bytes that they point into. */
  | { readonly kind: 'bytes'; readonly large: boolean }
  /** Views of 16 bytes, and any number of buffers that they point into. */
  | { readonly kind: 'views' }
  /** Offsets into a child: lists and maps. */
  | { readonly kind: 'list'; readonly large: boolean }
  /** Offsets and sizes. */
  | { readonly kind: 'list-view'; readonly large: boolean }
  | { readonly kind: 'fixed-list'; readonly size: number }
  | { readonly kind: 'struct' }
  | TypeOf<'union'>
  | { readonly kind: 'run-end' };

export const none: Layout = { kind: 'none' };
export const bits: Layout = { kind: 'bits' };
export const views: Layout = { kind: 'views' };
export const struct: Layout = { kind: 'struct' };
export const runEnd: Layout = { kind: 'run-end' };

const byBytes = new Map(
  [1, 2, 4, 8, 16, 32].map((bytes): [number, Layout] => [bytes, { kind: 'fixed', bytes }]),
);

/** The usual ones are made once: a batch asks for the layout of each of its columns. */
export function fixed(bytes: number): Layout {
  return byBytes.get(bytes) ?? { kind: 'fixed', bytes };
}
