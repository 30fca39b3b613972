import type { ArrayData } from '../arrays/array-data.ts';
import { bitmapBytes, layoutOf } from '../arrays/layout.ts';
import type { BatchLayout } from './batch-encoder.ts';

/** Where each buffer of some columns goes in the body of a message. */
export interface BatchPlan {
  readonly layout: BatchLayout;
  /** Fills the first `layout.bodyBytes` bytes of the target. */
  write(target: Uint8Array): void;
  /** The same bytes as pieces, one behind the other: the buffers themselves, and zeros between them. */
  pieces(): Uint8Array[];
}

/** Arrow recommends 64, which lets readers use vector instructions. */
const bufferAlignment = 64;
const zeros = new Uint8Array(bufferAlignment);

/** Plans a record batch of these columns (all `length` long), or a dictionary batch of one. */
export function planBatch(length: number, columns: readonly ArrayData[]): BatchPlan {
  const nodes: { length: number; nullCount: number }[] = [];
  const buffers: { offset: number; length: number }[] = [];
  const variadicCounts: number[] = [];
  const pieces: Uint8Array[] = [];
  let bodyBytes = 0;
  const place = (bytes: Uint8Array): void => {
    buffers.push({ offset: bodyBytes, length: bytes.length });
    pieces.push(bytes);
    bodyBytes += Math.ceil(bytes.length / bufferAlignment) * bufferAlignment;
  };
  const visit = (array: ArrayData): void => {
    const { kind } = layoutOf(array.field);
    nodes.push({ length: array.length, nullCount: array.nullCount });
    if (kind !== 'none' && kind !== 'union' && kind !== 'run-end')
      place(array.validity?.subarray(0, bitmapBytes(array.length)) ?? new Uint8Array(0));
    for (const buffer of array.buffers) place(buffer);
    if (kind === 'views') variadicCounts.push(array.buffers.length - 1);
    for (const child of array.children) visit(child);
  };
  for (const column of columns) visit(column);
  return {
    layout: { length, nodes, buffers, variadicCounts, bodyBytes },
    write: (target) => writePieces(target, buffers, pieces, bodyBytes),
    pieces: () => pieces.flatMap(padded),
  };
}

function padded(piece: Uint8Array): Uint8Array[] {
  if (piece.length === 0) return [];
  const over = piece.length % bufferAlignment;
  return over === 0 ? [piece] : [piece, zeros.subarray(over)];
}

function writePieces(
  target: Uint8Array,
  buffers: readonly { readonly offset: number }[],
  pieces: readonly Uint8Array[],
  bodyBytes: number,
): void {
  let end = 0;
  for (const [index, piece] of pieces.entries()) {
    const offset = (buffers[index] as { offset: number }).offset;
    // Padding between buffers is zero, even if the target is used again.
    target.fill(0, end, offset);
    target.set(piece, offset);
    end = offset + piece.length;
  }
  target.fill(0, end, bodyBytes);
}
