import type { ArrayData } from '../../arrow/arrays/array-data.ts';
import { emptyArray } from '../../arrow/arrays/empty-array.ts';
import { bitmapBytes, layoutOf } from '../../arrow/arrays/layout.ts';
import type { Field } from '../../arrow/field.ts';
import { buffersOf } from './byte-values.ts';
import { indexArray } from './dictionary-arrays.ts';

const none = new Uint8Array(0);

/** Whether a column of this field can consist of nulls: unions and run-end arrays have no nulls of their own. */
export function canBeNull({ type, children }: Field): boolean {
  if (type.kind === 'union' || type.kind === 'run-end') return false;
  return (type.kind !== 'struct' && type.kind !== 'fixed-list') || children.every(canBeNull);
}

/** Only nulls. */
export function nullArray(field: Field, length: number): ArrayData {
  if (field.dictionary !== null) return indexArray(field, new Int32Array(length).fill(-1));
  const layout = layoutOf(field);
  const validity = layout.kind === 'none' ? null : new Uint8Array(bitmapBytes(length));
  const array = (buffers: readonly Uint8Array[], children: readonly ArrayData[] = []): ArrayData => ({
    field,
    length,
    nullCount: length,
    validity,
    buffers,
    children,
    dictionary: null,
  });
  switch (layout.kind) {
    case 'none':
      return array([]);
    case 'struct':
      return array(
        [],
        field.children.map((child) => nullArray(child, length)),
      );
    case 'fixed-list':
      return array(
        [],
        field.children.map((child) => nullArray(child, length * layout.size)),
      );
    case 'list': {
      const width = layout.large ? 8 : 4;
      return array([new Uint8Array((length + 1) * width)], field.children.map(emptyArray));
    }
    case 'list-view': {
      const bytes = length * (layout.large ? 8 : 4);
      return array([new Uint8Array(bytes), new Uint8Array(bytes)], field.children.map(emptyArray));
    }
    default:
      return array(buffersOf(field, length, () => none));
  }
}
