import type { TextPlace } from '../../../server/src/model/errors.ts';
import { textPlace } from '../../../server/src/model/text-place.ts';

/**
 * Where in the caller's statement something is that Spark has found in the text it was sent. Spark counts code points.
 * `places` has pairs, one for each token: its start in the text that was sent, and in the caller's. null if there is no token.
 */
export function callerPlace(
  sent: string,
  start: number,
  places: Uint32Array,
  statement: string,
): TextPlace | null {
  const at = unitsBefore(sent, start);
  let low = 0;
  let high = places.length / 2 - 1;
  if (high < 0 || at < (places[0] as number)) return null;
  // The last token that begins there or before.
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((places[middle * 2] as number) <= at) low = middle;
    else high = middle - 1;
  }
  return textPlace(statement, places[low * 2 + 1] as number);
}

function unitsBefore(text: string, codePoints: number): number {
  let units = 0;
  for (let left = codePoints; left > 0 && units < text.length; left--)
    units += (text.codePointAt(units) as number) > 0xffff ? 2 : 1;
  return units;
}
