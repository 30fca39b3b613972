import { MalformedArrow } from '../malformed-arrow.ts';

/** Offsets rise from 0 or more and end inside what they point into. Returns the first and the last. */
export function checkOffsets(
  offsets: Int32Array | Float64Array,
  limit: number,
  what: string,
): { readonly first: number; readonly last: number } {
  const first = offsets[0] as number;
  if (first < 0) throw new MalformedArrow('offset 0 is negative');
  let last = first;
  for (let index = 1; index < offsets.length; index++) {
    const offset = offsets[index] as number;
    if (offset < last) throw new MalformedArrow(`offset ${index} is smaller than the one before`);
    last = offset;
  }
  if (last > limit) throw new MalformedArrow(`the last offset ${last} is beyond the ${limit} ${what}`);
  return { first, last };
}
