import type { ArrowType } from '../../arrow/field.ts';
import type { CellBlock } from './cell-block.ts';
import type { CellBuilder } from './column-builder.ts';
import { FixedWidthBuilder } from './fixed-width-builder.ts';
import {
  momentLength,
  type ShortCell,
  shortBoolean,
  shortDay,
  shortInteger,
  shortMoment,
  shortNanoseconds,
  shortZonedMoment,
} from './short-cells.ts';
import { shortDecimal } from './short-decimal.ts';

/** Appends a column's cells from this row on, as long as they are of the usual shapes. Answers the first row that is not; the number of rows if all are. */
export type ShortRun = (block: CellBlock, column: number, from: number) => number;

/**
 * What reads the usual texts of a type; null if there is no such way. Each has a loop of its own, with nothing in it that differs from
 * cell to cell: these loops take most of the time of a large text.
 */
export function shortRun(type: ArrowType, builder: CellBuilder, decimal: '.' | ','): ShortRun | null {
  if (type.kind === 'bool') return otherRun(builder, shortBoolean);
  if (type.kind === 'date') return otherRun(builder, shortDay);
  if (!(builder instanceof FixedWidthBuilder)) return null;
  if (type.kind === 'int' && type.bits === 64 && type.signed) return integerRun(builder);
  if (type.kind === 'float' && type.bits === 64) return decimalRun(builder, decimal.charCodeAt(0));
  if (type.kind !== 'timestamp') return null;
  if (type.unit === 'us') return type.zone === null ? momentRun(builder) : zonedMomentRun(builder);
  return type.unit === 'ns' && type.zone === null ? nanosecondRun(builder) : null;
}

function integerRun(builder: FixedWidthBuilder): ShortRun {
  return ({ bytes, starts, ends, width, rows }, column, from) => {
    const halves = new Int32Array(builder.room(rows - from));
    let at = builder.rows;
    let row = from;
    for (let cell = from * width + column; row < rows; row++, at++, cell += width) {
      const end = ends[cell] as number;
      const value = end < 0 ? 0 : shortInteger(bytes, starts[cell] as number, end);
      if (Number.isNaN(value)) break;
      if (end < 0) builder.setNull(at);
      // A store keeps the lower 32 bits.
      halves[2 * at] = value;
      halves[2 * at + 1] = Math.floor(value / 2 ** 32);
    }
    builder.filled(at);
    return row;
  };
}

function momentRun(builder: FixedWidthBuilder): ShortRun {
  return ({ bytes, starts, ends, width, rows }, column, from) => {
    const halves = new Int32Array(builder.room(rows - from));
    let at = builder.rows;
    let row = from;
    for (let cell = from * width + column; row < rows; row++, at++, cell += width) {
      const end = ends[cell] as number;
      const value = end < 0 ? 0 : shortMoment(bytes, starts[cell] as number, end);
      if (Number.isNaN(value)) break;
      if (end < 0) builder.setNull(at);
      halves[2 * at] = value;
      halves[2 * at + 1] = Math.floor(value / 2 ** 32);
    }
    builder.filled(at);
    return row;
  };
}

function zonedMomentRun(builder: FixedWidthBuilder): ShortRun {
  return ({ bytes, starts, ends, width, rows }, column, from) => {
    const halves = new Int32Array(builder.room(rows - from));
    let at = builder.rows;
    let row = from;
    for (let cell = from * width + column; row < rows; row++, at++, cell += width) {
      const end = ends[cell] as number;
      const value = end < 0 ? 0 : shortZonedMoment(bytes, starts[cell] as number, end);
      if (Number.isNaN(value)) break;
      if (end < 0) builder.setNull(at);
      halves[2 * at] = value;
      halves[2 * at + 1] = Math.floor(value / 2 ** 32);
    }
    builder.filled(at);
    return row;
  };
}

function nanosecondRun(builder: FixedWidthBuilder): ShortRun {
  return ({ bytes, starts, ends, width, rows }, column, from) => {
    const halves = new Int32Array(builder.room(rows - from));
    let at = builder.rows;
    let row = from;
    for (let cell = from * width + column; row < rows; row++, at++, cell += width) {
      const start = starts[cell] as number;
      const end = ends[cell] as number;
      const microseconds = end < 0 ? 0 : shortMoment(bytes, start, Math.min(end, start + momentLength));
      const nanoseconds = end < 0 ? 0 : shortNanoseconds(bytes, start, end);
      if (Number.isNaN(microseconds + nanoseconds)) break;
      if (end < 0) builder.setNull(at);
      // The whole has more bits than a double: each half is multiplied apart.
      const upper = Math.floor(microseconds / 2 ** 32);
      const lower = (microseconds - upper * 2 ** 32) * 1_000 + nanoseconds;
      halves[2 * at] = lower;
      halves[2 * at + 1] = upper * 1_000 + Math.floor(lower / 2 ** 32);
    }
    builder.filled(at);
    return row;
  };
}

function decimalRun(builder: FixedWidthBuilder, point: number): ShortRun {
  return ({ bytes, starts, ends, width, rows }, column, from) => {
    const values = new Float64Array(builder.room(rows - from));
    let at = builder.rows;
    let row = from;
    for (let cell = from * width + column; row < rows; row++, at++, cell += width) {
      const end = ends[cell] as number;
      const value = end < 0 ? 0 : shortDecimal(bytes, starts[cell] as number, end, point);
      if (Number.isNaN(value)) break;
      if (end < 0) builder.setNull(at);
      values[at] = value;
    }
    builder.filled(at);
    return row;
  };
}

function otherRun(builder: CellBuilder, short: ShortCell): ShortRun {
  return ({ bytes, starts, ends, width, rows }, column, from) => {
    for (let row = from, cell = from * width + column; row < rows; row++, cell += width) {
      const end = ends[cell] as number;
      if (end < 0) builder.appendNull();
      else {
        const value = short(bytes, starts[cell] as number, end);
        if (Number.isNaN(value)) return row;
        builder.append(value);
      }
    }
    return rows;
  };
}
