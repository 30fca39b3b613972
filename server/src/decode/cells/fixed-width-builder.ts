import { Buffer } from 'node:buffer';
import type { ArrayData } from '../../arrow/arrays/array-data.ts';
import type { Field } from '../../arrow/field.ts';
import type { Cell } from './cell-parser.ts';
import type { CellBuilder } from './column-builder.ts';
import { columnBytes } from './column-bytes.ts';
import { Validity } from './validity.ts';

type WriteValue = (view: DataView, position: number, value: Cell) => void;

/** Rows of values that all have the same size. */
export class FixedWidthBuilder implements CellBuilder {
  readonly field: Field;
  readonly #validity = new Validity();
  readonly #values = columnBytes();
  readonly #width: number;
  readonly #write: WriteValue;
  #rows = 0;

  constructor(field: Field, width: number) {
    this.field = field;
    this.#width = width;
    this.#write = valueWriter(field);
  }

  get bytes(): number {
    return this.#values.length;
  }

  get rows(): number {
    return this.#rows;
  }

  append(value: Cell): void {
    const position = this.#values.extend(this.#width);
    this.#write(this.#values.view, position, value);
    this.#rows++;
  }

  appendNull(): void {
    this.#values.appendZeros(this.#width);
    this.#validity.clear(this.#rows++);
  }

  /** Memory of all rows so far and of that many more, which the caller fills from `rows` on and then counts with `filled`. */
  room(rows: number): ArrayBuffer {
    this.#values.reserve(rows * this.#width);
    return this.#values.bytes.buffer;
  }

  filled(rows: number): void {
    this.#values.extend((rows - this.#rows) * this.#width);
    this.#rows = rows;
  }

  /** Of a row that is filled, with zeros. */
  setNull(row: number): void {
    this.#validity.clear(row);
  }

  take(): ArrayData {
    const buffers = [this.#values.taken()];
    const validity = this.#validity.take(this.#rows);
    this.#rows = 0;
    return { field: this.field, ...validity, buffers, children: [], dictionary: null };
  }
}

function valueWriter(field: Field): WriteValue {
  const { type } = field;
  switch (type.kind) {
    case 'int':
      if (type.bits === 8) return (view, position, value) => view.setInt8(position, Number(value));
      if (type.bits === 16) return (view, position, value) => view.setInt16(position, Number(value), true);
      if (type.bits === 32) return (view, position, value) => view.setInt32(position, Number(value), true);
      return writeInt64;
    case 'float':
      if (type.bits === 32) return (view, position, value) => view.setFloat32(position, Number(value), true);
      return (view, position, value) => view.setFloat64(position, Number(value), true);
    case 'date':
      return (view, position, value) => view.setInt32(position, Number(value), true);
    case 'decimal':
      return (view, position, value) => {
        view.setBigUint64(position, BigInt.asUintN(64, BigInt(value)), true);
        view.setBigInt64(position + 8, BigInt.asIntN(64, BigInt(value) >> 64n), true);
      };
    case 'fixed-binary':
      return (view, position, value) => {
        const bytes = Buffer.from(String(value).replaceAll('-', ''), 'hex');
        new Uint8Array(view.buffer, position, bytes.length).set(bytes);
      };
    default:
      return writeInt64;
  }
}

/** Without BigInt if the number is small enough: most are, and BigInt costs. */
function writeInt64(view: DataView, position: number, value: Cell): void {
  if (typeof value === 'number') {
    view.setInt32(position + 4, Math.floor(value / 2 ** 32), true);
    view.setUint32(position, value % 2 ** 32, true);
  } else view.setBigInt64(position, BigInt(value), true);
}
