import type { ArrayData } from '../../arrow/arrays/array-data.ts';
import type { TextBuffer } from './text-buffer.ts';

/** The texts of a dictionary's values, each made once. */
export interface CachedTexts {
  put(out: TextBuffer, code: number): void;
}

/** How cells are written; one object for each answer, because texts are remembered in it. */
export interface CellStyle {
  readonly syntax: 'json' | 'csv';
  /** `exec`: as QuestDB, dates as instants and everything with a `Z`. `exact`: dates as days, and no `Z` without a zone. */
  readonly calendar: 'exec' | 'exact';
  /** 64-bit integers as strings. */
  readonly quoteLargeNumbers: boolean;
  /** NaN and the infinities, which JSON has no numbers for. */
  readonly notFinite: 'null' | 'string';
  /** By the values of each dictionary. */
  readonly cachedTexts: WeakMap<ArrayData, CachedTexts>;
  /** How values inside lists, structs, maps and unions are written: always as JSON. */
  readonly nested: CellStyle;
}

export function jsonStyle(
  calendar: CellStyle['calendar'],
  quoteLargeNumbers: boolean,
  notFinite: CellStyle['notFinite'] = 'null',
): CellStyle {
  const style = {
    syntax: 'json' as const,
    calendar,
    quoteLargeNumbers,
    notFinite,
    cachedTexts: new WeakMap(),
  };
  // A value inside a JSON value is written like any other.
  return Object.defineProperty(style, 'nested', { value: style }) as unknown as CellStyle;
}

export function csvStyle(): CellStyle {
  return {
    syntax: 'csv',
    calendar: 'exact',
    quoteLargeNumbers: false,
    notFinite: 'null',
    cachedTexts: new WeakMap(),
    nested: jsonStyle('exact', false),
  };
}

/** What goes around text that cannot contain anything to escape. */
export function quoteMark(style: CellStyle): '"' | '' {
  return style.syntax === 'json' ? '"' : '';
}
