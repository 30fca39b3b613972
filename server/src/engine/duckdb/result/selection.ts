/** Which elements of a vector are wanted: `count` from `from` on, or those that `index` names. */
export interface Selection {
  readonly from: number;
  readonly count: number;
  /** The first `count` of it. Lists whose elements do not follow each other need it. */
  readonly index: Int32Array | null;
}

export function rows(from: number, count: number): Selection {
  return { from, count, index: null };
}

/** The elements of some lists, in order. Offsets and lengths are those of lists that are not null; the others have length 0. */
export function listElements(offsets: Int32Array, lengths: Int32Array, count: number): Selection {
  let total = 0;
  let from = -1;
  let contiguous = true;
  for (let list = 0; list < count; list++) {
    const length = lengths[list] as number;
    if (length === 0) continue;
    const offset = offsets[list] as number;
    if (from === -1) from = offset;
    else if (offset !== from + total) contiguous = false;
    total += length;
  }
  if (contiguous) return rows(Math.max(from, 0), total);
  const index = new Int32Array(total);
  let next = 0;
  for (let list = 0; list < count; list++) {
    const offset = offsets[list] as number;
    const end = offset + (lengths[list] as number);
    for (let element = offset; element < end; element++) index[next++] = element;
  }
  return { from: 0, count: total, index };
}

/** The elements of arrays of a fixed size. */
export function arrayElements(selection: Selection, size: number): Selection {
  const { from, count, index } = selection;
  if (index === null) return rows(from * size, count * size);
  const elements = new Int32Array(count * size);
  let next = 0;
  for (let array = 0; array < count; array++) {
    const start = (index[array] as number) * size;
    for (let element = 0; element < size; element++) elements[next++] = start + element;
  }
  return { from: 0, count: count * size, index: elements };
}
