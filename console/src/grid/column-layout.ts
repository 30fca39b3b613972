import type { GridColumn } from './row-source.ts';

/** Where a shown column is: `left` from the first column behind the row numbers. */
export interface Place {
  readonly column: number;
  readonly left: number;
  readonly width: number;
  readonly isFrozen: boolean;
}

export interface LayoutOptions {
  readonly hidden: ReadonlySet<string>;
  readonly frozen: readonly string[];
  /** By name of column; columns without an entry get a width for their type. */
  readonly widths: ReadonlyMap<string, number>;
  readonly gutterPx: number;
  readonly viewportPx: number;
}

export const columnPxMin = 48;
export const columnPxMax = 1200;

/** The shown columns in their order: frozen ones first. */
export class ColumnLayout {
  readonly places: readonly Place[];
  readonly gutterPx: number;
  /** Width of the row numbers and the frozen columns. */
  readonly frozenPx: number;
  readonly totalPx: number;
  readonly #frozenCount: number;

  constructor(columns: readonly GridColumn[], options: LayoutOptions) {
    const ranks = new Map(options.frozen.map((name, rank) => [name, rank] as const));
    const shown = columns.flatMap(({ name }, column) => (options.hidden.has(name) ? [] : [{ name, column }]));
    const frozen = shown
      .filter(({ name }) => ranks.has(name))
      .sort((a, b) => (ranks.get(a.name) ?? 0) - (ranks.get(b.name) ?? 0) || a.column - b.column);
    const others = shown.filter(({ name }) => !ranks.has(name));

    this.gutterPx = options.gutterPx;
    const places: Place[] = [];
    let left = 0;
    let frozenPx = options.gutterPx;
    let frozenCount = 0;
    for (const [index, { name, column }] of [...frozen, ...others].entries()) {
      const width = options.widths.get(name) ?? defaultWidth(columns[column] as GridColumn);
      // On a narrow screen frozen columns would leave no room for the others.
      const isFrozen =
        index < frozen.length &&
        frozenCount === index &&
        options.gutterPx + left + width <= options.viewportPx * 0.6;
      places.push({ column, left, width, isFrozen });
      left += width;
      if (isFrozen) {
        frozenPx += width;
        frozenCount++;
      }
    }
    this.places = places;
    this.frozenPx = frozenPx;
    this.totalPx = options.gutterPx + left;
    this.#frozenCount = frozenCount;
  }

  /** Indices into `places` of what a viewport shows: the frozen ones, then those that are scrolled into view. */
  visible(scrollLeft: number, viewportPx: number): number[] {
    const found: number[] = [];
    for (let index = 0; index < this.#frozenCount; index++) found.push(index);
    const from = scrollLeft + this.frozenPx - this.gutterPx;
    const to = scrollLeft + viewportPx - this.gutterPx;
    for (let index = this.#firstEndingAfter(from); index < this.places.length; index++) {
      if ((this.places[index] as Place).left >= to) break;
      found.push(index);
    }
    return found;
  }

  /** How far to scroll so that a column is in view; unchanged if it is. */
  reveal(index: number, scrollLeft: number, viewportPx: number): number {
    const place = this.places[index];
    if (place === undefined || place.isFrozen) return scrollLeft;
    const leftMost = place.left + this.gutterPx - this.frozenPx;
    const rightMost = place.left + place.width + this.gutterPx - viewportPx;
    if (scrollLeft > leftMost) return leftMost;
    return scrollLeft < rightMost ? Math.min(rightMost, leftMost) : scrollLeft;
  }

  #firstEndingAfter(px: number): number {
    let low = this.#frozenCount;
    let high = this.places.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const place = this.places[middle] as Place;
      if (place.left + place.width > px) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

const widthsByType: Readonly<Record<string, number>> = {
  BOOLEAN: 76,
  BYTE: 76,
  UBYTE: 76,
  SHORT: 84,
  USHORT: 84,
  INT: 104,
  UINT: 104,
  LONG: 136,
  ULONG: 136,
  FLOAT: 120,
  DOUBLE: 152,
  DATE: 112,
  TIME: 132,
  TIMESTAMP: 216,
  TIMESTAMP_NS: 240,
  UUID: 288,
};

function defaultWidth({ name, type }: GridColumn): number {
  const forCells = widthsByType[type] ?? (type.startsWith('DECIMAL') ? 176 : 168);
  return Math.max(forCells, fittingWidth(Math.min(name.length, 24)));
}

/** Room for the longest text in view; for numbers at least what most of their type need, because a cut number misleads. */
export function fittedWidth({ name, type }: GridColumn, longestText: number, isAsked: boolean): number {
  const header = Math.max(Math.min(name.length, isAsked ? 80 : 28) + 1, Math.min(type.length, 24));
  const fitted = fittingWidth(Math.max(Math.min(longestText, isAsked ? 160 : 44), header, 6));
  return isNumeric(type) && !isAsked ? Math.max(fitted, Math.min(widthsByType[type] ?? 0, 112)) : fitted;
}

/** Room for so many characters of the data font, and for the margins of a cell. */
function fittingWidth(characters: number): number {
  return Math.ceil(characters * 7.4) + 30;
}

const numbers = new Set([
  'BYTE',
  'UBYTE',
  'SHORT',
  'USHORT',
  'INT',
  'UINT',
  'LONG',
  'ULONG',
  'FLOAT',
  'DOUBLE',
  'HUGEINT',
  'UHUGEINT',
]);

export function isNumeric(type: string): boolean {
  return numbers.has(type) || type.startsWith('DECIMAL');
}

/** Columns that are read together: enough for a wide screen, few enough for a URL. */
const groupColumnsMax = 32;
/** Of 32 names. Servers and proxies often refuse URLs above 8 KB. */
const groupNamesBytesMax = 4000;

/** For each column the number of its group, and for each group its columns. */
export function groupColumns(columns: readonly GridColumn[]): {
  readonly groupOf: readonly number[];
  readonly groups: readonly (readonly number[])[];
} {
  const groups: number[][] = [];
  const groupOf: number[] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const [column, { name }] of columns.entries()) {
    const nameBytes = encodeURIComponent(name.toWellFormed()).length + 1;
    const last = groups.at(-1);
    if (last === undefined || last.length >= groupColumnsMax || bytes + nameBytes > groupNamesBytesMax) {
      groups.push([column]);
      bytes = nameBytes;
    } else {
      last.push(column);
      bytes += nameBytes;
    }
    groupOf.push(groups.length - 1);
  }
  return { groupOf, groups };
}
