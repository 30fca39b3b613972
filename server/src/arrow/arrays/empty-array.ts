import type { Field } from '../field.ts';
import type { ArrayData } from './array-data.ts';

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
  switch (field.type.kind) {
    case 'null':
    case 'struct':
    case 'fixed-list':
    case 'run-end':
      return [];
    case 'utf8':
    case 'binary':
      return [new Uint8Array(8), none];
    case 'list':
    case 'map':
      return [new Uint8Array(8)];
    case 'list-view':
      return [none, none];
    case 'union':
      return field.type.mode === 'dense' ? [none, none] : [none];
    default:
      return [none];
  }
}
