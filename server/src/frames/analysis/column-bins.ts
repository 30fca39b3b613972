import type { Field } from '../../arrow/field.ts';
import type { CellText } from '../../ports/version-statements.ts';
import type { Bin } from './analysis.ts';
import { binCounts, keyValues } from './column-expressions.ts';
import type { ColumnKind } from './column-kind.ts';
import { doubleEdges, wholeEdges } from './histogram-edges.ts';

/** The bins of a column: what to ask the engine, and what to make of its answer. */
export interface ColumnBins {
  /** Two expressions: counts, and texts of the ends if only the engine can write them. */
  readonly expressions: readonly [counts: string, texts: string];
  bins(counts: CellText, texts: CellText): readonly Bin[];
}

/** `low` and `high` as the engine wrote them: the smallest and the largest value, or key. null if the kind has no bins. */
export function columnBins(
  kind: ColumnKind,
  field: Field,
  column: string,
  low: string,
  high: string,
): ColumnBins | null {
  switch (kind) {
    case 'float':
      return doubleBins(column, Number(low), Number(high));
    case 'integer':
    case 'decimal':
    case 'date':
    case 'timestamp':
    case 'timestamp-ns':
    case 'time':
      return wholeBins(kind, field, column, low, high);
    default:
      return null;
  }
}

function doubleBins(column: string, low: number, high: number): ColumnBins {
  const ends = doubleEdges(low, high);
  return {
    expressions: [binCounts('float', column, ends.map(doubleText), 0), 'NULL'],
    bins: (counts) =>
      ends.map((end, bin) => ({
        from: doubleText(ends[bin - 1] ?? low),
        to: doubleText(end),
        count: countAt(counts, bin),
      })),
  };
}

function wholeBins(kind: ColumnKind, { type }: Field, column: string, low: string, high: string): ColumnBins {
  const scale = type.kind === 'decimal' ? type.scale : 0;
  const [min, max] = [digitsOf(low), digitsOf(high)];
  const ends = wholeEdges(min, max);
  // A bin of whole numbers or days begins after the end of the one before. Between two times there is always another one.
  const step = kind === 'integer' || kind === 'date' ? 1n : 0n;
  const starts = ends.map((_, bin) => (bin === 0 ? min : (ends[bin - 1] as bigint) + step));
  const own = [...starts, ...ends].map((digits) => decimalText(digits, scale));
  return {
    expressions: [
      binCounts(kind, column, own.slice(ends.length), scale),
      keyValues(kind, [...starts, ...ends]),
    ],
    bins: (counts, given) => {
      const texts = Array.isArray(given) ? (given as readonly string[]) : own;
      return ends.map((_, bin) => ({
        from: texts[bin] as string,
        to: texts[ends.length + bin] as string,
        count: countAt(counts, bin),
      }));
    },
  };
}

function countAt(counts: CellText, bin: number): number {
  return Number(Array.isArray(counts) ? (counts[bin] ?? 0) : 0);
}

/** All digits of a number as one whole number, without its point. */
function digitsOf(text: string): bigint {
  return BigInt(text.replace('.', ''));
}

function decimalText(digits: bigint, scale: number): string {
  if (scale === 0) return String(digits);
  const sign = digits < 0n ? '-' : '';
  const text = String(digits < 0n ? -digits : digits).padStart(scale + 1, '0');
  return `${sign}${text.slice(0, -scale)}.${text.slice(-scale)}`;
}

export function doubleText(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value);
}
