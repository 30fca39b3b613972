import { putPadded, putTwo } from '../../cells/digits.ts';
import type { TextBuffer } from '../../cells/text-buffer.ts';

const colon = 58;
const point = 46;
const zero = 48;
/** `24:00:00.123456`. */
export const clockBytesMax = 15;

/** `12:30:00.5`, without zeros at the end. There is room for `clockBytesMax`. */
export function putClock(out: TextBuffer, second: number, microseconds: number): void {
  const { bytes } = out;
  const hours = (second / 3_600) | 0;
  const minutes = ((second - hours * 3_600) / 60) | 0;
  let at = putTwo(bytes, out.at, hours);
  bytes[at++] = colon;
  at = putTwo(bytes, at, minutes);
  bytes[at++] = colon;
  at = putTwo(bytes, at, second - hours * 3_600 - minutes * 60);
  if (microseconds !== 0) {
    bytes[at++] = point;
    at = putPadded(bytes, at, microseconds, 6);
    while (bytes[at - 1] === zero) at--;
  }
  out.at = at;
}
