import { Buffer, isAscii } from 'node:buffer';
import type { ArrayData } from '../../arrow/arrays/array-data.ts';
import { offsets } from '../../arrow/arrays/elements.ts';
import type { CellStyle } from './cell-style.ts';
import { viewBytes } from './views.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what JSON wants escaped.
const jsonSpecial = /["\\\u0000-\u001f]/;
/** RFC 4180's, and the mark that a reader would take off at the beginning of a file. */
const csvSpecial = /[",\r\n\ufeff]/;

function jsonText(text: string): string {
  return jsonSpecial.test(text) ? JSON.stringify(text) : `"${text}"`;
}

/** Quoted if needed; the empty string always, so that it differs from null. */
export function csvText(text: string): string {
  return text === '' || csvSpecial.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function stringTexts(
  large: boolean,
  data: ArrayData,
  from: number,
  to: number,
  style: CellStyle,
): string[] {
  const ends = offsets(data.buffers[0] as Uint8Array, large, from, to);
  const first = ends[0] as number;
  const bytes = (data.buffers[1] as Uint8Array).subarray(first, ends[to - from] as number);
  const block = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const texts = new Array<string>(to - from);
  const json = style.syntax === 'json';
  const write = json ? jsonText : csvText;
  if (!isAscii(bytes)) {
    for (let index = 0; index < texts.length; index++) {
      const start = (ends[index] as number) - first;
      texts[index] = write(block.toString('utf8', start, (ends[index + 1] as number) - first));
    }
    return texts;
  }
  // One character a byte: decoded and looked through once for all rows.
  const whole = block.toString('latin1');
  const clean = json && !jsonSpecial.test(whole);
  for (let index = 0; index < texts.length; index++) {
    const text = whole.substring((ends[index] as number) - first, (ends[index + 1] as number) - first);
    texts[index] = clean ? `"${text}"` : write(text);
  }
  return texts;
}

export function stringViewTexts(data: ArrayData, from: number, to: number, style: CellStyle): string[] {
  const write = style.syntax === 'json' ? jsonText : csvText;
  return viewBytes(data, from, to, (bytes) => write(bytes.toString('utf8')));
}
