import { Buffer } from 'node:buffer';
import type { ArrayData } from '../../arrow/arrays/array-data.ts';
import { offsets } from '../../arrow/arrays/elements.ts';
import { isUuid } from '../../arrow/schema/column-types.ts';
import type { CellStyle } from './cell-style.ts';
import { quoteMark } from './cell-style.ts';
import { viewBytes } from './views.ts';

export function binaryTexts(
  large: boolean,
  data: ArrayData,
  from: number,
  to: number,
  style: CellStyle,
): string[] {
  const quote = emptyMark(style);
  const ends = offsets(data.buffers[0] as Uint8Array, large, from, to);
  const block = bufferOf(data.buffers[1] as Uint8Array);
  const texts = new Array<string>(to - from);
  for (let index = 0; index < texts.length; index++) {
    const start = ends[index] as number;
    const end = ends[index + 1] as number;
    texts[index] = quote(block.toString('base64', start, end));
  }
  return texts;
}

export function binaryViewTexts(data: ArrayData, from: number, to: number, style: CellStyle): string[] {
  const quote = emptyMark(style);
  return viewBytes(data, from, to, (bytes) => quote(bytes.toString('base64')));
}

export function fixedBinaryTexts(
  width: number,
  data: ArrayData,
  from: number,
  to: number,
  style: CellStyle,
): string[] {
  const block = bufferOf(data.buffers[0] as Uint8Array);
  const texts = new Array<string>(to - from);
  if (isUuid(data.field)) {
    const quote = quoteMark(style);
    for (let index = 0; index < texts.length; index++) {
      const start = (from + index) * width;
      texts[index] = quote + uuidText(block.toString('hex', start, start + width)) + quote;
    }
    return texts;
  }
  const quote = emptyMark(style);
  for (let index = 0; index < texts.length; index++) {
    const start = (from + index) * width;
    texts[index] = quote(block.toString('base64', start, start + width));
  }
  return texts;
}

function uuidText(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** In CSV nothing at all is null, so no bytes are written as `""`. */
function emptyMark(style: CellStyle): (text: string) => string {
  return style.syntax === 'json' ? (text) => `"${text}"` : (text) => (text === '' ? '""' : text);
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}
