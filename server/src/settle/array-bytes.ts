import type { ArrayData } from '../arrow/arrays/array-data.ts';

/** Of all its buffers, without those of its dictionary. */
export function arrayBytes(array: ArrayData): number {
  return (
    (array.validity?.length ?? 0) +
    array.buffers.reduce((sum, buffer) => sum + buffer.length, 0) +
    array.children.reduce((sum, child) => sum + arrayBytes(child), 0)
  );
}
