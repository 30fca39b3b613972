import type { Layout } from '../../model/types/layout.ts';
import type { ArrayData, BatchData } from '../arrays/array-data.ts';
import { countBits } from '../arrays/bitmap.ts';
import { emptyArray } from '../arrays/empty-array.ts';
import { bitmapBytes, layoutOf, ownBuffers } from '../arrays/layout.ts';
import type { Field } from '../field.ts';
import type { BatchHeader } from '../ipc/message.ts';
import { at, MalformedArrow } from '../malformed-arrow.ts';
import { BodyBuffers, unpackedBytesMaxDefault } from './body-buffers.ts';

export interface BatchOptions {
  /** Indices of the columns wanted, in the order wanted; the others are not unpacked. */
  readonly columns?: readonly number[];
  readonly unpackedBytesMax?: number;
}

/** Values by dictionary id. */
export type DictionaryValues = ReadonlyMap<bigint, ArrayData>;

/** Arrow recommends this bound for arrays, and some implementations cannot hold more; it also keeps row arithmetic exact. */
const rowsMax = 2 ** 31 - 1;

/**
 * Columns of a batch as views into its body. Every buffer lies inside the body and is long enough for its column, and null counts are
 * true; what the values say (offsets, indices, text) is not looked at: `check.ts` does that once, when a stream comes in.
 */
export function readBatch(
  fields: readonly Field[],
  batch: BatchHeader,
  body: Uint8Array,
  dictionaries: DictionaryValues,
  options: BatchOptions = {},
): BatchData {
  const reader = new ArrayReader(
    batch,
    body,
    dictionaries,
    options.unpackedBytesMax ?? unpackedBytesMaxDefault,
  );
  if (batch.length > rowsMax)
    throw new MalformedArrow(`a batch of ${batch.length} rows; at most ${rowsMax} are accepted`);
  const wanted = options.columns === undefined ? null : new Set(options.columns);
  const columns: (ArrayData | null)[] = fields.map((field, index) => {
    if (wanted !== null && !wanted.has(index)) {
      reader.skip(field);
      return null;
    }
    try {
      const array = reader.array(field);
      if (array.length !== batch.length)
        throw new MalformedArrow(`${array.length} rows in a batch of ${batch.length}`);
      return array;
    } catch (thrown) {
      throw at(placeOf(field), thrown);
    }
  });
  reader.end();
  const chosen = options.columns === undefined ? columns : options.columns.map((index) => columns[index]);
  return {
    length: batch.length,
    columns: chosen.filter((column) => column !== null && column !== undefined),
  };
}

export function placeOf(field: Field): string {
  const name = field.name.length > 100 ? `${field.name.slice(0, 100)}…` : field.name;
  return `field ${JSON.stringify(name)}`;
}

class ArrayReader {
  readonly #batch: BatchHeader;
  readonly #buffers: BodyBuffers;
  readonly #dictionaries: DictionaryValues;
  #node = 0;
  #variadic = 0;

  constructor(
    batch: BatchHeader,
    body: Uint8Array,
    dictionaries: DictionaryValues,
    unpackedBytesMax: number,
  ) {
    this.#batch = batch;
    this.#buffers = new BodyBuffers(batch, body, unpackedBytesMax);
    this.#dictionaries = dictionaries;
  }

  end(): void {
    if (this.#node !== this.#batch.nodeLengths.length)
      throw new MalformedArrow(
        `the batch has ${this.#batch.nodeLengths.length} nodes, the schema needs ${this.#node}`,
      );
    if (this.#variadic !== this.#batch.variadicCounts.length)
      throw new MalformedArrow(
        `the batch has ${this.#batch.variadicCounts.length} counts of view buffers, the schema needs ${this.#variadic}`,
      );
    this.#buffers.end();
  }

  /** Passes over a column without unpacking it. */
  skip(field: Field): void {
    const layout = layoutOf(field);
    this.#node++;
    if (layout.kind === 'views') this.#buffers.skip(this.#batch.variadicCounts[this.#variadic++] ?? 0);
    this.#buffers.skip((this.#hasValidity(layout) ? 1 : 0) + ownBuffers(layout));
    if (field.dictionary !== null) return;
    for (const child of field.children) this.skip(child);
  }

  array(field: Field): ArrayData {
    const node = this.#node++;
    const length = this.#batch.nodeLengths[node];
    const nullCount = this.#batch.nodeNullCounts[node];
    if (length === undefined || nullCount === undefined)
      throw new MalformedArrow(`the batch has only ${node} nodes, too few for the schema`);
    if (length > rowsMax)
      throw new MalformedArrow(`${length} values in one array; at most ${rowsMax} are accepted`);
    if (nullCount > length) throw new MalformedArrow(`${nullCount} nulls among ${length} values`);

    const layout = layoutOf(field);
    if (layout.kind === 'none')
      return {
        field,
        length,
        nullCount: length,
        validity: null,
        buffers: [],
        children: [],
        dictionary: null,
      };
    const validity = this.#validity(layout, length, nullCount);
    const buffers = this.#own(layout, length);
    if (field.dictionary !== null) {
      const dictionary =
        this.#dictionaries.get(field.dictionary.id) ?? this.#missingDictionary(field, length, nullCount);
      return { field, length, nullCount, validity, buffers, children: [], dictionary };
    }
    const children = field.children.map((child) => {
      try {
        return this.array(child);
      } catch (thrown) {
        throw at(placeOf(child), thrown);
      }
    });
    checkChildLengths(layout, length, children);
    return { field, length, nullCount, validity, buffers, children, dictionary: null };
  }

  #missingDictionary(field: Field, length: number, nullCount: number): ArrayData {
    if (nullCount !== length)
      throw new MalformedArrow(
        `dictionary ${field.dictionary?.id} did not come before the batch that uses it`,
      );
    return emptyArray({ ...field, dictionary: null });
  }

  #validity(layout: Layout, length: number, nullCount: number): Uint8Array | null {
    if (isWithoutValidity(layout)) {
      // Before version 5 a union had a bitmap of its own; one that is not all ones cannot be expressed today.
      if (this.#hasValidity(layout)) this.#buffers.take();
      if (nullCount !== 0) throw new MalformedArrow(`a ${layout.kind} cannot have nulls of its own`);
      return null;
    }
    const bitmap = this.#buffers.take();
    if (bitmap.length === 0 && nullCount === 0) return null;
    requireBytes(bitmap, bitmapBytes(length), 'validity bitmap');
    const counted = length - countBits(bitmap, length);
    if (counted !== nullCount)
      throw new MalformedArrow(`${nullCount} nulls are announced, the validity bitmap has ${counted}`);
    return nullCount === 0 ? null : bitmap;
  }

  #own(layout: Layout, length: number): Uint8Array[] {
    switch (layout.kind) {
      case 'fixed':
        return [this.#sized(length * layout.bytes, 'values')];
      case 'bits':
        return [this.#sized(bitmapBytes(length), 'values')];
      case 'bytes':
        return [this.#offsets(length, layout.large), this.#buffers.take()];
      case 'views':
        return this.#views(length);
      case 'list':
        return [this.#offsets(length, layout.large)];
      case 'list-view': {
        const bytes = length * (layout.large ? 8 : 4);
        return [this.#sized(bytes, 'offsets'), this.#sized(bytes, 'sizes')];
      }
      case 'union': {
        const typeIds = this.#sized(length, 'type ids');
        return layout.mode === 'sparse' ? [typeIds] : [typeIds, this.#sized(length * 4, 'offsets')];
      }
      default:
        return [];
    }
  }

  #offsets(length: number, large: boolean): Uint8Array {
    const width = large ? 8 : 4;
    const bytes = this.#buffers.take();
    // An empty array may come without its one offset, or with one that means nothing, as in slices of pyarrow's maps; readers of ArrayData need not know.
    if (length === 0) return new Uint8Array(8);
    return requireBytes(bytes, (length + 1) * width, 'offsets');
  }

  #views(length: number): Uint8Array[] {
    const buffers = [this.#sized(length * 16, 'views')];
    const count = this.#batch.variadicCounts[this.#variadic++];
    if (count === undefined) throw new MalformedArrow('the count of view buffers is missing');
    if (count > this.#batch.bufferOffsets.length)
      throw new MalformedArrow(`${count} view buffers are announced`);
    for (let index = 0; index < count; index++) buffers.push(this.#buffers.take());
    return buffers;
  }

  #sized(bytes: number, what: string): Uint8Array {
    return requireBytes(this.#buffers.take(), bytes, what);
  }

  #hasValidity({ kind }: Layout): boolean {
    if (kind === 'union') return this.#batch.metadataVersion < 5;
    return kind !== 'run-end' && kind !== 'none';
  }
}

function isWithoutValidity({ kind }: Layout): boolean {
  return kind === 'union' || kind === 'run-end';
}

function requireBytes(bytes: Uint8Array, needed: number, what: string): Uint8Array {
  if (bytes.length < needed)
    throw new MalformedArrow(`the ${what} buffer has ${bytes.length} bytes, ${needed} are needed`);
  return bytes;
}

/** Children whose rows go with their parent's rows are at least as long. */
function checkChildLengths(layout: Layout, length: number, children: readonly ArrayData[]): void {
  const perRow =
    layout.kind === 'struct' || (layout.kind === 'union' && layout.mode === 'sparse')
      ? 1
      : layout.kind === 'fixed-list'
        ? layout.size
        : 0;
  for (const child of children) {
    if (child.length < length * perRow)
      throw new MalformedArrow(
        `${placeOf(child.field)} has ${child.length} values, ${length * perRow} are needed`,
      );
  }
}
