/** Which neighbouring parts of a log become one. */

export interface CompactionLimits {
  /** Parts of this size or more stay as they are. */
  readonly partBytesMax: number;
  /** Of all parts of a run together. */
  readonly runBytesMax: number;
  readonly runPartsMin: number;
  readonly runPartsMax: number;
  /** The run is at least this many times its largest part. */
  readonly growthMin: number;
}

export interface LogPart {
  readonly bytes: number;
  /** It must not be compacted. */
  readonly apart: boolean;
  /** A kept version ends with this part: a run may end here, but not continue. */
  readonly endsVersion: boolean;
}

/**
 * The oldest run, as long as possible: [first, behind the last]. Because a run is several times as large as its largest part, a row
 * is written again only when its part grows by that factor: a logarithmic number of times, however many appends come.
 * And because any such run is taken, what is left uncompacted is short: its sizes fall by that factor every few parts.
 */
export function chooseRun(parts: readonly LogPart[], limits: CompactionLimits): [number, number] | null {
  for (let first = 0; first + limits.runPartsMin <= parts.length; first++) {
    const end = longestRun(parts, first, limits);
    if (end !== null) return [first, end];
  }
  return null;
}

function longestRun(parts: readonly LogPart[], first: number, limits: CompactionLimits): number | null {
  let bytes = 0;
  let largest = 0;
  let longest: number | null = null;
  const last = Math.min(parts.length, first + limits.runPartsMax);
  for (let index = first; index < last; index++) {
    const part = parts[index] as LogPart;
    bytes += part.bytes;
    if (part.apart || part.bytes >= limits.partBytesMax || bytes > limits.runBytesMax) break;
    largest = Math.max(largest, part.bytes);
    if (index - first + 1 >= limits.runPartsMin && bytes >= limits.growthMin * largest) longest = index + 1;
    if (part.endsVersion) break;
  }
  return longest;
}
