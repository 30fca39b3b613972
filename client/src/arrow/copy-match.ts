/** A match may overlap what it writes: then what it has written so far is repeated, twice as much each time. */
export function copyMatch(output: Uint8Array, to: number, distance: number, length: number): void {
  if (length <= 16) {
    for (let index = to; index < to + length; index++) output[index] = output[index - distance] as number;
    return;
  }
  for (let done = 0; done < length; ) {
    const count = Math.min(distance + done, length - done);
    output.copyWithin(to + done, to - distance, to - distance + count);
    done += count;
  }
}
