import type { Layout } from '../../model/types/layout.ts';
import type { ArrayData, BatchData } from '../arrays/array-data.ts';
import { countBits } from '../arrays/bitmap.ts';
import { int8s, int32s, offsets, positions } from '../arrays/elements.ts';
import { emptyArray } from '../arrays/empty-array.ts';
import { bitmapBytes, isValid, layoutOf, ownBuffers } from '../arrays/layout.ts';
import { sliceArray } from '../arrays/ranges.ts';
import type { Field } from '../field.ts';
import type { BatchHeader } from '../ipc/message.ts';
import type { DictionaryValues } from './batch.ts';

/** Bytes of a batch's body, copied out of wherever it is. */
export type BodyRange = (offset: number, byteCount: number) => Promise<Uint8Array>;

export interface PartialBatch {
  readonly batch: BatchData;
  /** The first row wanted: rows before it came along because bits come in bytes. */
  readonly from: number;
  readonly to: number;
}

const inlineBytesMax = 12;

/**
 * Some rows of some columns of a batch, reading only the bytes they need: a thousand rows out of a batch of gigabytes cost what a thousand rows
 * cost. The batch must not be compressed and must have passed the check when it came in.
 */
export async function readBatchRows(
  fields: readonly Field[],
  header: BatchHeader,
  body: BodyRange,
  dictionaries: DictionaryValues,
  columns: readonly number[] | null,
  from: number,
  to: number,
): Promise<PartialBatch> {
  const reader = new PartialReader(header, body, dictionaries);
  const start = wholeBytes(from);
  const order = columns ?? fields.map((_, index) => index);
  const wanted = new Set(order);
  const read = new Map<number, ArrayData>();
  for (const [index, field] of fields.entries()) {
    if (wanted.has(index)) read.set(index, await reader.array(field, start, to));
    else reader.skip(field);
  }
  const chosen = order.map((index) => read.get(index) as ArrayData);
  return { batch: { length: to - start, columns: chosen }, from: from - start, to: to - start };
}

/** Bytes [start, end) of a body. */
export interface BodySpan {
  readonly start: number;
  readonly end: number;
}

/** Where the buffers of some columns are: one span for each column, from its first buffer to its last. */
export function columnSpans(
  fields: readonly Field[],
  header: BatchHeader,
  columns: readonly number[],
): readonly BodySpan[] {
  const reader = new PartialReader(header, noBody, new Map());
  const wanted = new Set(columns);
  const spans: BodySpan[] = [];
  for (const [index, field] of fields.entries()) {
    const buffers = reader.skipped(field);
    if (wanted.has(index)) spans.push(spanOf(header, buffers));
  }
  return spans;
}

function noBody(): never {
  throw new Error('only the places of buffers are wanted');
}

function spanOf({ bufferOffsets, bufferLengths }: BatchHeader, buffers: BodySpan): BodySpan {
  const span = new Span();
  for (let buffer = buffers.start; buffer < buffers.end; buffer++) {
    const offset = bufferOffsets[buffer];
    const length = bufferLengths[buffer];
    if (offset !== undefined && length !== undefined && length > 0) span.add(offset, offset + length);
  }
  return span;
}

/** Whether reading rows of the field for themselves costs no more than its share: run ends must be read from their beginning. */
export function isSeekable(field: Field): boolean {
  return field.type.kind !== 'run-end' && field.children.every(isSeekable);
}

/** The last row at or before this one whose bits begin a byte. */
function wholeBytes(row: number): number {
  return row - (row % 8);
}

class PartialReader {
  readonly #header: BatchHeader;
  readonly #body: BodyRange;
  readonly #dictionaries: DictionaryValues;
  #node = 0;
  #buffer = 0;
  #variadic = 0;

  constructor(header: BatchHeader, body: BodyRange, dictionaries: DictionaryValues) {
    this.#header = header;
    this.#body = body;
    this.#dictionaries = dictionaries;
  }

  /** Passes over a column. Answers which buffers it has. */
  skipped(field: Field): BodySpan {
    const start = this.#buffer;
    this.skip(field);
    return { start, end: this.#buffer };
  }

  skip(field: Field): void {
    this.#node++;
    this.#buffer += this.#bufferCount(field);
    if (field.dictionary === null) for (const child of field.children) this.skip(child);
  }

  /** Rows [start, end) of the next array; start begins a byte of bits. */
  async array(field: Field, start: number, end: number): Promise<ArrayData> {
    const node = this.#node++;
    const length = end - start;
    const layout = layoutOf(field);
    if (layout.kind === 'none') return arrayOf(field, length, { validity: null, nullCount: length }, []);
    const nulls = await this.#validity(layout, node, start, end);
    switch (layout.kind) {
      case 'fixed': {
        const values = await this.#take(start * layout.bytes, end * layout.bytes);
        if (field.dictionary === null) return arrayOf(field, length, nulls, [values]);
        const dictionary =
          this.#dictionaries.get(field.dictionary.id) ?? emptyArray({ ...field, dictionary: null });
        return { ...arrayOf(field, length, nulls, [values]), dictionary };
      }
      case 'bits':
        return arrayOf(field, length, nulls, [await this.#take(start / 8, bitmapBytes(end))]);
      case 'bytes': {
        const ends = await this.#offsets(layout.large, start, end);
        const first = ends[0] as number;
        const data = await this.#take(first, ends[length] as number);
        return arrayOf(field, length, nulls, [offsetBytes(ends, first, layout.large), data]);
      }
      case 'views':
        return arrayOf(field, length, nulls, await this.#views(nulls.validity, start, end));
      case 'list': {
        const { large } = layout;
        const ends = await this.#offsets(large, start, end);
        const first = wholeBytes(ends[0] as number);
        const child = await this.array(field.children[0] as Field, first, ends[length] as number);
        return arrayOf(field, length, nulls, [offsetBytes(ends, first, large)], [child]);
      }
      case 'fixed-list': {
        const child = await this.array(field.children[0] as Field, start * layout.size, end * layout.size);
        return arrayOf(field, length, nulls, [], [child]);
      }
      case 'list-view':
        return this.#listViews(field, layout.large, nulls, start, end);
      case 'struct':
        return arrayOf(field, length, nulls, [], await this.#children(field, start, end));
      case 'union': {
        const typeIds = await this.#take(start, end);
        if (layout.mode === 'dense') return this.#denseUnion(field, layout.typeIds, typeIds, start, end);
        return arrayOf(field, length, nulls, [typeIds], await this.#children(field, start, end));
      }
      case 'run-end': {
        const children: ArrayData[] = [];
        for (const child of field.children)
          children.push(await this.array(child, 0, this.#header.nodeLengths[this.#node] as number));
        const whole = arrayOf(field, this.#header.nodeLengths[node] as number, nulls, [], children);
        return sliceArray(whole, start, length);
      }
    }
  }

  async #children(field: Field, start: number, end: number): Promise<ArrayData[]> {
    const children: ArrayData[] = [];
    for (const child of field.children) children.push(await this.array(child, start, end));
    return children;
  }

  async #listViews(
    field: Field,
    large: boolean,
    nulls: Nulls,
    start: number,
    end: number,
  ): Promise<ArrayData> {
    const width = large ? 8 : 4;
    const length = end - start;
    const starts = positions(await this.#take(start * width, end * width), large, 0, length);
    const sizes = positions(await this.#take(start * width, end * width), large, 0, length).slice();
    const span = new Span();
    for (let row = 0; row < length; row++) {
      if (!isValid(nulls.validity, row)) sizes[row] = 0;
      const size = sizes[row] as number;
      if (size > 0) span.add(starts[row] as number, (starts[row] as number) + size);
    }
    const first = wholeBytes(span.start);
    const rebased = starts.map((value, row) => (sizes[row] === 0 ? 0 : value - first));
    const child = await this.array(field.children[0] as Field, first, span.end);
    const buffers = [offsetBytes(rebased, 0, large), offsetBytes(sizes, 0, large)];
    return arrayOf(field, length, nulls, buffers, [child]);
  }

  async #denseUnion(
    field: Field,
    ids: readonly number[],
    typeIds: Uint8Array,
    start: number,
    end: number,
  ): Promise<ArrayData> {
    const length = end - start;
    const slots = int32s(await this.#take(start * 4, end * 4), 0, length).slice();
    const rowIds = int8s(typeIds, 0, length);
    const children: ArrayData[] = [];
    for (const [position, child] of field.children.entries()) {
      const span = new Span();
      for (let row = 0; row < length; row++) {
        const slot = slots[row] as number;
        if (rowIds[row] === ids[position]) span.add(slot, slot + 1);
      }
      const first = wholeBytes(span.start);
      for (let row = 0; row < length; row++)
        if (rowIds[row] === ids[position]) slots[row] = (slots[row] as number) - first;
      children.push(await this.array(child, first, span.end));
    }
    const nulls = { validity: null, nullCount: 0 };
    return arrayOf(field, length, nulls, [typeIds, new Uint8Array(slots.buffer)], children);
  }

  async #views(validity: Uint8Array | null, start: number, end: number): Promise<Uint8Array[]> {
    const views = new Uint8Array(await this.#take(start * 16, end * 16));
    const words = int32s(views, 0, (end - start) * 4);
    const count = this.#header.variadicCounts[this.#variadic++] as number;
    const spans = Array.from({ length: count }, () => new Span());
    const isLong = (row: number) => (words[row * 4] as number) > inlineBytesMax && isValid(validity, row);
    for (let row = 0; row < end - start; row++) {
      const offset = words[row * 4 + 3] as number;
      if (isLong(row)) spans[words[row * 4 + 2] as number]?.add(offset, offset + (words[row * 4] as number));
    }
    const buffers: Uint8Array[] = [views];
    for (const span of spans) buffers.push(await this.#take(span.start, span.end));
    for (let row = 0; row < end - start; row++) {
      if (isLong(row))
        words[row * 4 + 3] =
          (words[row * 4 + 3] as number) - (spans[words[row * 4 + 2] as number]?.start ?? 0);
      // A view under a null may point anywhere, and nothing may follow it.
      else if (!isValid(validity, row)) words.fill(0, row * 4, row * 4 + 4);
    }
    return buffers;
  }

  async #validity(layout: Layout, node: number, start: number, end: number): Promise<Nulls> {
    const none = { validity: null, nullCount: 0 };
    if (!this.#hasValidity(layout)) return none;
    if (this.#header.nodeNullCounts[node] === 0 || layout.kind === 'union') {
      this.#buffer++;
      return none;
    }
    const validity = await this.#take(start / 8, bitmapBytes(end));
    const nullCount = end - start - countBits(validity, end - start);
    return nullCount === 0 ? none : { validity, nullCount };
  }

  /** The offsets of rows [start, end), one more than rows. */
  async #offsets(large: boolean, start: number, end: number): Promise<Int32Array | Float64Array> {
    const width = large ? 8 : 4;
    if (start !== end)
      return offsets(await this.#take(start * width, (end + 1) * width), large, 0, end - start);
    this.#buffer++;
    return new Int32Array(1);
  }

  /** Bytes [start, end) of the next buffer. */
  async #take(start: number, end: number): Promise<Uint8Array> {
    const offset = this.#header.bufferOffsets[this.#buffer++];
    if (offset === undefined) throw new Error('the batch has too few buffers');
    return start === end ? new Uint8Array(0) : await this.#body(offset + start, end - start);
  }

  #hasValidity({ kind }: Layout): boolean {
    if (kind === 'union') return this.#header.metadataVersion < 5;
    return kind !== 'run-end' && kind !== 'none';
  }

  #bufferCount(field: Field): number {
    const layout = layoutOf(field);
    const data = layout.kind === 'views' ? (this.#header.variadicCounts[this.#variadic++] as number) : 0;
    return (this.#hasValidity(layout) ? 1 : 0) + ownBuffers(layout) + data;
  }
}

interface Nulls {
  readonly validity: Uint8Array | null;
  readonly nullCount: number;
}

/** The smallest range around others; 0 to 0 if there are none. */
class Span {
  start = 0;
  end = 0;

  add(start: number, end: number): void {
    this.start = this.end === 0 ? start : Math.min(this.start, start);
    this.end = Math.max(this.end, end);
  }
}

function arrayOf(
  field: Field,
  length: number,
  { validity, nullCount }: Nulls,
  buffers: readonly Uint8Array[],
  children: readonly ArrayData[] = [],
): ArrayData {
  return { field, length, nullCount, validity, buffers, children, dictionary: null };
}

function offsetBytes(values: Int32Array | Float64Array, base: number, large: boolean): Uint8Array {
  const bytes = new Uint8Array(values.length * (large ? 8 : 4));
  if (large) {
    const target = new BigInt64Array(bytes.buffer);
    for (let index = 0; index < values.length; index++)
      target[index] = BigInt((values[index] as number) - base);
  } else {
    const target = new Int32Array(bytes.buffer);
    for (let index = 0; index < values.length; index++) target[index] = (values[index] as number) - base;
  }
  return bytes;
}
