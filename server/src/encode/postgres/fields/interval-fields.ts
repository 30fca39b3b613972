import type { ArrayData } from '../../../arrow/arrays/array-data.ts';
import type { ArrowType } from '../../../arrow/field.ts';
import { viewOf } from '../../cells/cell-writer.ts';
import type { TextBuffer } from '../../cells/text-buffer.ts';
import { putInt32, putInt64 } from './big-endian.ts';
import { FieldWriter } from './field-writer.ts';
import { hasNanoseconds, outOfRange } from './refusals.ts';

type SpanType = Extract<ArrowType, { kind: 'interval' | 'duration' }>;

const nanoseconds = { s: 1_000_000_000n, ms: 1_000_000n, us: 1_000n, ns: 1n } as const;

/** Months, days and microseconds, which PostgreSQL keeps apart as Arrow does. A duration is microseconds alone. */
abstract class IntervalField extends FieldWriter {
  protected months = 0;
  protected days = 0;
  protected microseconds = 0n;
  readonly #data: ArrayData;
  readonly #values: DataView;
  readonly #type: SpanType;

  constructor(type: SpanType, data: ArrayData) {
    super(data);
    this.#data = data;
    this.#values = viewOf(data.buffers[0] as Uint8Array);
    this.#type = type;
  }

  protected read(row: number): void {
    const values = this.#values;
    const type = this.#type;
    if (type.kind === 'duration') this.#setTime(values.getBigInt64(row * 8, true) * nanoseconds[type.unit]);
    else if (type.unit === 'year-month') this.months = values.getInt32(row * 4, true);
    else if (type.unit === 'day-time') {
      this.days = values.getInt32(row * 8, true);
      this.#setTime(BigInt(values.getInt32(row * 8 + 4, true)) * nanoseconds.ms);
    } else {
      this.months = values.getInt32(row * 16, true);
      this.days = values.getInt32(row * 16 + 4, true);
      this.#setTime(values.getBigInt64(row * 16 + 8, true));
    }
  }

  #setTime(time: bigint): void {
    const microseconds = time / 1_000n;
    if (microseconds * 1_000n !== time) throw hasNanoseconds(this.#data.field, 'interval');
    if (BigInt.asIntN(64, microseconds) !== microseconds) throw outOfRange(this.#data.field, 'interval');
    this.microseconds = microseconds;
  }
}

export class IntervalBinary extends IntervalField {
  readonly bytesMax = 16;

  write(out: TextBuffer, row: number): void {
    this.read(row);
    putInt64(out, this.microseconds);
    putInt32(out, this.days);
    putInt32(out, this.months);
  }
}

/** In the style `postgres`: `1 year 2 mons -3 days +04:05:06.7`. */
export class IntervalText extends IntervalField {
  readonly bytesMax = 0;

  write(out: TextBuffer, row: number): void {
    this.read(row);
    out.text(intervalText(this.months, this.days, this.microseconds));
  }
}

function intervalText(months: number, days: number, microseconds: bigint): string {
  let text = '';
  let isBefore = false;
  const put = (value: number, unit: string) => {
    if (value === 0) return;
    text += `${text === '' ? '' : ' '}${isBefore && value > 0 ? '+' : ''}${value} ${unit}${value === 1 ? '' : 's'}`;
    isBefore = value < 0;
  };
  put(Math.trunc(months / 12), 'year');
  put(months % 12, 'mon');
  put(days, 'day');
  if (text !== '' && microseconds === 0n) return text;
  const sign = microseconds < 0n ? '-' : isBefore ? '+' : '';
  return `${text}${text === '' ? '' : ' '}${sign}${clock(microseconds < 0n ? -microseconds : microseconds)}`;
}

/** Hours are not limited to a day. */
function clock(microseconds: bigint): string {
  const two = (value: bigint) => value.toString().padStart(2, '0');
  const seconds = microseconds / 1_000_000n;
  const fraction = (microseconds % 1_000_000n).toString().padStart(6, '0').replace(/0+$/, '');
  const whole = `${two(seconds / 3_600n)}:${two((seconds / 60n) % 60n)}:${two(seconds % 60n)}`;
  return fraction === '' ? whole : `${whole}.${fraction}`;
}
