import { Buffer } from 'node:buffer';
import type { ArrayData } from '../../arrow/arrays/array-data.ts';
import { int32s } from '../../arrow/arrays/elements.ts';
import { isValid } from '../../arrow/arrays/layout.ts';

const viewBytesEach = 16;
/** Shorter values are inside their view. */
const inlineBytesMax = 12;

/** A text for each value of a view array; rows that are null are passed over, because what their views say need not hold. */
export function viewBytes(
  data: ArrayData,
  from: number,
  to: number,
  textOf: (bytes: Buffer) => string,
): string[] {
  const views = data.buffers[0] as Uint8Array;
  const words = int32s(views, from * 4, to * 4);
  const texts = new Array<string>(to - from);
  for (let index = 0; index < texts.length; index++) {
    if (!isValid(data.validity, from + index)) {
      texts[index] = '';
      continue;
    }
    const length = words[index * 4] as number;
    if (length <= inlineBytesMax) {
      texts[index] = textOf(range(views, (from + index) * viewBytesEach + 4, length));
    } else {
      const bytes = data.buffers[1 + (words[index * 4 + 2] as number)];
      if (bytes === undefined) throw new Error('a view points to a buffer that is not there');
      texts[index] = textOf(range(bytes, words[index * 4 + 3] as number, length));
    }
  }
  return texts;
}

function range(bytes: Uint8Array, start: number, length: number): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, length);
}
