import type { Field } from '../field.ts';
import type { ArrayData } from './array-data.ts';
import { layoutOf, ownBuffers } from './layout.ts';

const none = new Uint8Array(0);

/** An array of no rows. Offsets have their one zero. */
export function emptyArray(field: Field): ArrayData {
  const base = { field, length: 0, nullCount: 0, validity: null };
  if (field.dictionary !== null)
    return { ...base, buffers: [none], children: [], dictionary: emptyArray({ ...field, dictionary: null }) };
  return {
    ...base,
    buffers: emptyBuffers(field),
    children: field.children.map(emptyArray),
    dictionary: null,
  };
}

function emptyBuffers(field: Field): Uint8Array[] {
  const layout = layoutOf(field);
  const first = layout.kind === 'bytes' || layout.kind === 'list' ? new Uint8Array(8) : none;
  return [first, none].slice(0, ownBuffers(layout));
}
