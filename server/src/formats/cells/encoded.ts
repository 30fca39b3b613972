import type { ArrayData } from '../../arrow/arrays/array-data.ts';
import { isValid } from '../../arrow/arrays/layout.ts';
import { runAt, runEndsOf } from '../../arrow/arrays/run-ends.ts';
import type { IntType } from '../../arrow/field.ts';
import type { CellStyle } from './cell-style.ts';
import { cellTexts } from './cell-texts.ts';
import { dictionaryCodes } from './dictionary-codes.ts';
import { weigh } from './weight.ts';

/** Texts of a dictionary are remembered up to this much; a dictionary of larger values is written row by row. */
const rememberedBytesMax = 4 * 1024 * 1024;

export function dictionaryTexts(
  index: IntType,
  data: ArrayData,
  from: number,
  to: number,
  style: CellStyle,
): string[] {
  const values = data.dictionary as ArrayData;
  const remembered = rememberedTexts(values, style);
  const codes = dictionaryCodes(index, data, from, to);
  const texts = new Array<string>(to - from);
  for (let row = 0; row < texts.length; row++) {
    const code = codes[row] as number;
    let text = remembered[code];
    if (text === undefined) {
      // What a null row's code says need not hold.
      if (!isValid(data.validity, from + row)) {
        texts[row] = '';
        continue;
      }
      text = cellTexts(values, code, code + 1, style)[0] as string;
      remembered[code] = text;
    }
    texts[row] = text;
  }
  return texts;
}

function rememberedTexts(values: ArrayData, style: CellStyle): (string | undefined)[] {
  let texts = style.dictionaryTexts.get(values);
  if (texts !== undefined) return texts;
  texts = [];
  if (weigh(values, 0, values.length, rememberedBytesMax) < rememberedBytesMax) {
    texts = new Array<string | undefined>(values.length);
    style.dictionaryTexts.set(values, texts);
  }
  return texts;
}

export function runEndTexts(data: ArrayData, from: number, to: number, style: CellStyle): string[] {
  if (from === to) return [];
  const ends = runEndsOf(data);
  const values = data.children[1] as ArrayData;
  const firstRun = runAt(ends, from);
  const lastRun = runAt(ends, to - 1);
  const runTexts = cellTexts(values, firstRun, lastRun + 1, style);
  const texts = new Array<string>(to - from);
  let row = from;
  for (let run = firstRun; run <= lastRun; run++) {
    const end = Math.min(to, ends[run] as number);
    const text = runTexts[run - firstRun] as string;
    for (; row < end; row++) texts[row - from] = text;
  }
  return texts;
}
