import duckdb, { type Vector } from '@duckdb/node-bindings';
import { GrowingBytes } from '../../../arrow/arrays/growing-bytes.ts';
import type { Field } from '../../../arrow/field.ts';
import { ColumnEncoder, eachNull } from './column-encoder.ts';
import type { Selection } from './selection.ts';

const microsecondsOfDay = 86_400_000_000n;

/** Writes one interval at a byte; returns what is wrong if it cannot. */
type WriteInterval = (
  months: number,
  days: number,
  microseconds: bigint,
  target: DataView,
  at: number,
) => string | null;

/** Months, days and microseconds, as one of the things that Arrow has for spans of time. */
export class IntervalColumn extends ColumnEncoder {
  readonly #values = new GrowingBytes();
  readonly #width: number;
  readonly #write: WriteInterval;
  #source: DataView = new DataView(new ArrayBuffer(0));

  constructor(field: Field, width: number, write: WriteInterval) {
    super(field);
    this.#width = width;
    this.#write = write;
  }

  override weigh(selection: Selection): number {
    return selection.count * this.#width;
  }

  protected override loadValues(vector: Vector, count: number): void {
    if (count === 0) return;
    const data = duckdb.vector_get_data(vector, count * 16);
    this.#source = new DataView(data.buffer, data.byteOffset, data.length);
  }

  protected override appendValues(selection: Selection): void {
    const { from, count, index } = selection;
    const start = this.#values.extend(count * this.#width);
    this.#values.bytes.fill(0, start, start + count * this.#width);
    const nulls = new Uint8Array(this.loaded === null ? 0 : count);
    eachNull(this.loaded, selection, (place) => {
      nulls[place] = 1;
    });
    const target = this.#values.view;
    for (let place = 0; place < count; place++) {
      if (nulls[place] === 1) continue;
      const at = (index === null ? from + place : (index[place] as number)) * 16;
      const fault = this.#write(
        this.#source.getInt32(at, true),
        this.#source.getInt32(at + 4, true),
        this.#source.getBigInt64(at + 8, true),
        target,
        start + place * this.#width,
      );
      if (fault !== null) this.refuseValue(fault);
    }
  }

  protected override clearValues(): void {
    this.#values.clear();
  }

  protected override buffers(): readonly Uint8Array[] {
    return [this.#values.written];
  }
}

const outOfRange = 'is out of the range of the column';

export const monthDayNano: WriteInterval = (months, days, microseconds, target, at) => {
  const nanoseconds = microseconds * 1000n;
  if (BigInt.asIntN(64, nanoseconds) !== nanoseconds) return outOfRange;
  target.setInt32(at, months, true);
  target.setInt32(at + 4, days, true);
  target.setBigInt64(at + 8, nanoseconds, true);
  return null;
};

export const yearMonth: WriteInterval = (months, days, microseconds, target, at) => {
  if (days !== 0 || microseconds !== 0n) return 'has days or times, and the column counts months';
  target.setInt32(at, months, true);
  return null;
};

export const dayTime: WriteInterval = (months, days, microseconds, target, at) => {
  if (months !== 0) return 'has months, and the column counts days and milliseconds';
  if (microseconds % 1000n !== 0n) return 'is finer than the unit of the column';
  const milliseconds = microseconds / 1000n;
  if (BigInt.asIntN(32, milliseconds) !== milliseconds) return outOfRange;
  target.setInt32(at, days, true);
  target.setInt32(at + 4, Number(milliseconds), true);
  return null;
};

/** A day is 24 hours, as the engine has it when it compares intervals. */
export function durationIn(factor: bigint, divisor: bigint): WriteInterval {
  return (months, days, microseconds, target, at) => {
    if (months !== 0) return 'has months, which have no fixed duration';
    const product = (BigInt(days) * microsecondsOfDay + microseconds) * factor;
    if (product % divisor !== 0n) return 'is finer than the unit of the column';
    const duration = product / divisor;
    if (BigInt.asIntN(64, duration) !== duration) return outOfRange;
    target.setBigInt64(at, duration, true);
    return null;
  };
}
