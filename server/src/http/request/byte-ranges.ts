import type { ByteRange } from '../../frames/files/file-pieces.ts';
import { FrameholdError } from '../../model/errors.ts';

/** RFC 9110, section 14. A reader of Parquet asks for some column chunks at once; more, or overlapping ones, only make the server work. */
export const rangesMax = 16;

const unit = 'bytes=';

/**
 * The ranges of a file that are wanted, in the order of the header; null for all of it, also if the header is not one of byte ranges. Those behind the end
 * are left out. range_not_satisfiable if none is left, and for too many or overlapping ranges: the whole file in their place could be gigabytes.
 */
export function byteRanges(header: string | undefined, size: number): readonly ByteRange[] | null {
  if (header === undefined || header.slice(0, unit.length).toLowerCase() !== unit) return null;
  const specified = header.slice(unit.length).split(',', rangesMax + 1);
  if (specified.length > rangesMax)
    throw notSatisfiable(size, `There are more than ${rangesMax} ranges.`, 'Ask for fewer ranges at once.');
  const ranges: ByteRange[] = [];
  for (const text of specified) {
    const range = rangeOf(text.trim(), size);
    if (range === undefined) return null;
    if (range.start < range.end) ranges.push(range);
  }
  if (ranges.length === 0)
    throw notSatisfiable(
      size,
      `The file has ${size} bytes, and none of these.`,
      'Ask for bytes that it has.',
    );
  const ordered = [...ranges].sort((one, other) => one.start - other.start);
  if (ordered.some(({ start }, index) => start < (ordered[index - 1]?.end ?? 0)))
    throw notSatisfiable(size, 'The ranges overlap.', 'Ask for each byte once.');
  return ranges;
}

/** Empty if the file ends before it; undefined if it is no range. */
function rangeOf(text: string, size: number): ByteRange | undefined {
  const dash = text.indexOf('-');
  const first = text.slice(0, dash);
  const last = text.slice(dash + 1);
  if (dash === -1 || !isNumber(first) || !isNumber(last) || first + last === '') return undefined;
  if (first === '') return { start: Math.max(0, size - Number(last)), end: size };
  if (last !== '' && Number(last) < Number(first)) return undefined;
  return { start: Number(first), end: last === '' ? size : Math.min(size, Number(last) + 1) };
}

/** Also the empty text. */
function isNumber(text: string): boolean {
  for (const character of text) if (character < '0' || character > '9') return false;
  return true;
}

function notSatisfiable(size: number, detail: string, hint: string): FrameholdError {
  return new RangeNotSatisfiable(size, detail, hint);
}

/** Knows how large the file is, for the header Content-Range. */
export class RangeNotSatisfiable extends FrameholdError {
  readonly size: number;

  constructor(size: number, detail: string, hint: string) {
    super('range_not_satisfiable', detail, { hint });
    this.size = size;
  }
}
