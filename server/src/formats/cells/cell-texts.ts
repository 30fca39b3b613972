import type { ArrayData } from '../../arrow/arrays/array-data.ts';
import { isValid } from '../../arrow/arrays/layout.ts';
import { binaryTexts, binaryViewTexts, fixedBinaryTexts } from './binaries.ts';
import type { CellStyle } from './cell-style.ts';
import { decimalTexts } from './decimals.ts';
import { dictionaryTexts, runEndTexts } from './encoded.ts';
import { fixedListTexts, listTexts, listViewTexts, mapTexts, structTexts, unionTexts } from './nested.ts';
import { boolTexts, floatTexts, intTexts } from './numbers.ts';
import { csvText, stringTexts, stringViewTexts } from './strings.ts';
import { dateTexts, durationTexts, intervalTexts, timestampTexts, timeTexts } from './temporal.ts';

/** The texts of rows [from, to) of a column, as they stand in the answer. */
export function cellTexts(data: ArrayData, from: number, to: number, style: CellStyle): string[] {
  const texts = valueTexts(data, from, to, style);
  if (data.validity !== null) {
    const nullText = style.syntax === 'json' ? 'null' : '';
    for (let row = from; row < to; row++) if (!isValid(data.validity, row)) texts[row - from] = nullText;
  }
  return texts;
}

function valueTexts(data: ArrayData, from: number, to: number, style: CellStyle): string[] {
  const { type, dictionary } = data.field;
  if (dictionary !== null) return dictionaryTexts(dictionary.index, data, from, to, style);
  switch (type.kind) {
    case 'null':
      return new Array<string>(to - from).fill(style.syntax === 'json' ? 'null' : '');
    case 'bool':
      return boolTexts(data, from, to);
    case 'int':
      return intTexts(type, data, from, to, style);
    case 'float':
      return floatTexts(type.bits, data, from, to, style);
    case 'decimal':
      return decimalTexts(type, data, from, to, style);
    case 'utf8':
      return stringTexts(type.large, data, from, to, style);
    case 'utf8-view':
      return stringViewTexts(data, from, to, style);
    case 'binary':
      return binaryTexts(type.large, data, from, to, style);
    case 'binary-view':
      return binaryViewTexts(data, from, to, style);
    case 'fixed-binary':
      return fixedBinaryTexts(type.width, data, from, to, style);
    case 'date':
      return dateTexts(type.unit, data, from, to, style);
    case 'time':
      return timeTexts(type.bits, type.unit, data, from, to, style);
    case 'timestamp':
      return timestampTexts(type.unit, type.zone !== null, data, from, to, style);
    case 'duration':
      return durationTexts(type.unit, data, from, to, style);
    case 'interval':
      return intervalTexts(type.unit, data, from, to, style);
    case 'run-end':
      return runEndTexts(data, from, to, style);
    default:
      return nestedTexts(data, from, to, style);
  }
}

function nestedTexts(data: ArrayData, from: number, to: number, style: CellStyle): string[] {
  const texts = jsonTexts(data, from, to, style.nested);
  return style.syntax === 'csv' ? texts.map(csvText) : texts;
}

function jsonTexts(data: ArrayData, from: number, to: number, style: CellStyle): string[] {
  const { type } = data.field;
  switch (type.kind) {
    case 'list':
      return listTexts(type.large, data, from, to, style);
    case 'list-view':
      return listViewTexts(type.large, data, from, to, style);
    case 'fixed-list':
      return fixedListTexts(type.size, data, from, to, style);
    case 'struct':
      return structTexts(data, from, to, style);
    case 'map':
      return mapTexts(data, from, to, style);
    case 'union':
      return unionTexts(data, from, to, style);
    default:
      throw new Error(`no text for values of type ${type.kind}`);
  }
}
