import { Buffer } from 'node:buffer';
import type { ArrayData } from '../../../arrow/arrays/array-data.ts';
import { GrowingBytes } from '../../../arrow/arrays/growing-bytes.ts';
import { bitmapBytes, valueBytes } from '../../../arrow/arrays/layout.ts';
import type { Field } from '../../../arrow/field.ts';
import type { Cell } from './cell-parser.ts';

/** Small, because an upload may have 100,000 columns. */
const initialBytes = 1024;

/** Rows and bytes at which a batch is written: readers take batches whole. */
const batchRowsMax = 65_536;
const batchBytesMax = 4 * 1024 * 1024;

/** Validity bits as rows come in. */
class Validity {
  #bits = new Uint8Array(128);
  #length = 0;
  #nullCount = 0;

  get length(): number {
    return this.#length;
  }

  push(valid: boolean): void {
    const row = this.#length++;
    if (row >> 3 === this.#bits.length) {
      const larger = new Uint8Array(this.#bits.length * 2);
      larger.set(this.#bits);
      this.#bits = larger;
    }
    if (valid) this.#bits[row >> 3] = (this.#bits[row >> 3] as number) | (1 << (row & 7));
    else this.#nullCount++;
  }

  take(): { length: number; nullCount: number; validity: Uint8Array | null } {
    const length = this.#length;
    const nullCount = this.#nullCount;
    const validity = nullCount === 0 ? null : this.#bits.slice(0, bitmapBytes(length));
    this.#bits.fill(0);
    this.#length = 0;
    this.#nullCount = 0;
    return { length, nullCount, validity };
  }
}

/** Collects the rows of one column. */
export interface ColumnBuilder {
  readonly field: Field;
  /** About what the rows so far take. */
  readonly bytes: number;
  appendNull(): void;
  /** The rows so far; the builder begins anew. */
  take(): ArrayData;
}

export interface CellBuilder extends ColumnBuilder {
  append(value: Cell): void;
}

/** Whether the rows so far make a batch. */
export function batchIsFull(rows: number, builders: readonly ColumnBuilder[]): boolean {
  return rows >= batchRowsMax || builders.reduce((sum, builder) => sum + builder.bytes, 0) >= batchBytesMax;
}

/** A builder for a field without children. */
export function cellBuilder(field: Field): CellBuilder {
  const { type } = field;
  if (type.kind === 'utf8') return new TextBuilder(field);
  if (type.kind === 'bool') return new BooleanBuilder(field);
  const width = valueBytes(type);
  const write = valueWriter(field);
  if (width === null) throw new Error(`no builder for ${type.kind}`);
  return new FixedWidthBuilder(field, width, write);
}

export class TextBuilder implements CellBuilder {
  readonly field: Field;
  readonly #validity = new Validity();
  readonly #offsets = new GrowingBytes(initialBytes);
  readonly #text = new GrowingBytes(initialBytes);

  constructor(field: Field) {
    this.field = field;
    this.#offsets.appendInt32(0);
  }

  get bytes(): number {
    return this.#offsets.length + this.#text.length;
  }

  append(value: Cell): void {
    this.#text.appendText(String(value));
    this.#offsets.appendInt32(this.#text.length);
    this.#validity.push(true);
  }

  /** A text that is UTF-8 already. */
  appendUtf8(bytes: Uint8Array, start: number, end: number): void {
    this.#text.append(bytes, start, end);
    this.#offsets.appendInt32(this.#text.length);
    this.#validity.push(true);
  }

  appendNull(): void {
    this.#offsets.appendInt32(this.#text.length);
    this.#validity.push(false);
  }

  take(): ArrayData {
    const buffers = [this.#offsets.take(), this.#text.take()];
    this.#offsets.appendInt32(0);
    return { field: this.field, ...this.#validity.take(), buffers, children: [], dictionary: null };
  }
}

class BooleanBuilder implements CellBuilder {
  readonly field: Field;
  readonly #validity = new Validity();
  readonly #values = new Validity();

  constructor(field: Field) {
    this.field = field;
  }

  get bytes(): number {
    return this.#values.length >> 2;
  }

  append(value: Cell): void {
    this.#values.push(value === true || value === 1);
    this.#validity.push(true);
  }

  appendNull(): void {
    this.#values.push(false);
    this.#validity.push(false);
  }

  take(): ArrayData {
    const { length, validity: bits } = this.#values.take();
    const values = bits ?? new Uint8Array(bitmapBytes(length)).fill(255);
    return { field: this.field, ...this.#validity.take(), buffers: [values], children: [], dictionary: null };
  }
}

type WriteValue = (view: DataView, position: number, value: Cell) => void;

class FixedWidthBuilder implements CellBuilder {
  readonly field: Field;
  readonly #validity = new Validity();
  readonly #values = new GrowingBytes(initialBytes);
  readonly #width: number;
  readonly #write: WriteValue;

  constructor(field: Field, width: number, write: WriteValue) {
    this.field = field;
    this.#width = width;
    this.#write = write;
  }

  get bytes(): number {
    return this.#values.length;
  }

  append(value: Cell): void {
    const position = this.#values.extend(this.#width);
    this.#write(this.#values.view, position, value);
    this.#validity.push(true);
  }

  appendNull(): void {
    this.#values.appendZeros(this.#width);
    this.#validity.push(false);
  }

  take(): ArrayData {
    const buffers = [this.#values.take()];
    return { field: this.field, ...this.#validity.take(), buffers, children: [], dictionary: null };
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

/** Rows that are lists of one kind of values. */
export class ListBuilder implements ColumnBuilder {
  readonly field: Field;
  readonly items: ColumnBuilder;
  readonly #validity = new Validity();
  readonly #offsets = new GrowingBytes(initialBytes);
  #itemCount = 0;

  constructor(field: Field, items: ColumnBuilder) {
    this.field = field;
    this.items = items;
    this.#offsets.appendInt32(0);
  }

  get bytes(): number {
    return this.#offsets.length + this.items.bytes;
  }

  /** The values have been appended to `items`. */
  append(itemCount: number): void {
    this.#itemCount += itemCount;
    this.#offsets.appendInt32(this.#itemCount);
    this.#validity.push(true);
  }

  appendNull(): void {
    this.#offsets.appendInt32(this.#itemCount);
    this.#validity.push(false);
  }

  take(): ArrayData {
    const offsets = this.#offsets.take();
    this.#offsets.appendInt32(0);
    this.#itemCount = 0;
    const children = [this.items.take()];
    return { field: this.field, ...this.#validity.take(), buffers: [offsets], children, dictionary: null };
  }
}

/** Rows that are structs. */
export class StructBuilder implements ColumnBuilder {
  readonly field: Field;
  readonly members: readonly ColumnBuilder[];
  readonly #validity = new Validity();

  constructor(field: Field, members: readonly ColumnBuilder[]) {
    this.field = field;
    this.members = members;
  }

  get bytes(): number {
    return this.members.reduce((sum, member) => sum + member.bytes, 0);
  }

  /** Every member has got its value. */
  append(): void {
    this.#validity.push(true);
  }

  appendNull(): void {
    for (const member of this.members) member.appendNull();
    this.#validity.push(false);
  }

  take(): ArrayData {
    const children = this.members.map((member) => member.take());
    return { field: this.field, ...this.#validity.take(), buffers: [], children, dictionary: null };
  }
}
