import {
  type Batch,
  batchType,
  type Column,
  type DataType,
  type Field,
  Type,
  UnionMode,
} from '@uwdata/flechette';
import type { BatchBody } from './messages.ts';

/** Values as they are stored: integers of 64 bits and timestamps as BigInt, decimals as whole numbers of their last digit. */
const exactValues = { useBigInt: true, useBigIntTimestamp: true, useDecimalInt: true } as const;

export type ColumnBatch = Batch<unknown>;
/** The dictionaries that a stream has sent so far. */
export type Dictionaries = ReadonlyMap<number, Column<unknown>>;

interface ArrayView {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBuffer, byteOffset: number, length: number): ArrayBufferView;
}

/** Makes arrays over the buffers of a batch, in the order in which Arrow lays them out. Nothing is copied. */
export class ColumnBatches {
  readonly #body: BatchBody;
  readonly #dictionaries: Dictionaries;
  #node = 0;
  #region = 0;
  #variadic = 0;

  constructor(body: BatchBody, dictionaries: Dictionaries) {
    this.#body = body;
    this.#dictionaries = dictionaries;
  }

  /** The next column; at most so many rows of it. */
  next(type: DataType, rowsMax = Number.POSITIVE_INFINITY): ColumnBatch {
    const stored = this.#body.nodes[this.#node] as number;
    const nullCount = this.#body.nodes[this.#node + 1] as number;
    this.#node += 2;
    const parts = { length: Math.min(stored, rowsMax), nullCount, isCut: rowsMax < stored };
    switch (type.typeId) {
      case Type.Null:
        return make(type, { ...parts, nullCount: parts.length, isCut: false });
      case Type.Utf8:
      case Type.LargeUtf8:
      case Type.Binary:
      case Type.LargeBinary:
        return make(type, {
          ...parts,
          validity: this.#bytes(),
          offsets: this.#array(type.offsets),
          values: this.#bytes(),
        });
      case Type.Utf8View:
      case Type.BinaryView: {
        const validity = this.#bytes();
        const values = this.#bytes();
        const count = this.#body.variadicCounts[this.#variadic++] ?? 0;
        return make(type, {
          ...parts,
          validity,
          values,
          data: Array.from({ length: count }, () => this.#bytes()),
        });
      }
      case Type.List:
      case Type.LargeList:
      case Type.Map:
        return make(type, {
          ...parts,
          validity: this.#bytes(),
          offsets: this.#array(type.offsets),
          children: this.#children(type.children),
        });
      case Type.ListView:
      case Type.LargeListView:
        return make(type, {
          ...parts,
          validity: this.#bytes(),
          offsets: this.#array(type.offsets),
          sizes: this.#array(type.offsets),
          children: this.#children(type.children),
        });
      case Type.FixedSizeList:
      case Type.Struct:
        return make(type, { ...parts, validity: this.#bytes(), children: this.#children(type.children) });
      case Type.RunEndEncoded:
        return make(type, { ...parts, children: this.#children(type.children) });
      case Type.Union:
        if (!this.#body.hasPlainUnions) this.#bytes();
        return make(type, {
          ...parts,
          typeIds: this.#array(Int8Array),
          offsets: type.mode === UnionMode.Dense ? this.#array(type.offsets) : null,
          children: this.#children(type.children),
        });
      case Type.Dictionary: {
        const batch = make(type, {
          ...parts,
          validity: this.#bytes(),
          values: this.#array(type.indices.values),
        });
        // A batch without rows may come before its dictionary.
        const dictionary = this.#dictionaries.get(type.id);
        if (dictionary !== undefined) setDictionary(batch, dictionary);
        return batch;
      }
      default:
        return make(type, {
          ...parts,
          validity: this.#bytes(),
          values: 'values' in type && type.values !== undefined ? this.#array(type.values) : this.#bytes(),
        });
    }
  }

  #children(fields: readonly Field[]): ColumnBatch[] {
    return fields.map(({ type }) => this.next(type));
  }

  #bytes(): Uint8Array {
    const { bytes, regions } = this.#body;
    const start = regions[this.#region] as number;
    const length = regions[this.#region + 1] as number;
    this.#region += 2;
    if (start < 0 || length < 0 || start + length > bytes.length)
      throw new RangeError('a buffer outside its body');
    return bytes.subarray(start, start + length);
  }

  #array(View: ArrayView): ArrayBufferView {
    let bytes = this.#bytes();
    // Arrow asks for 8; streams of other writers are sent as they were put.
    if (bytes.byteOffset % View.BYTES_PER_ELEMENT !== 0) bytes = bytes.slice();
    return new View(
      bytes.buffer as ArrayBuffer,
      bytes.byteOffset,
      Math.floor(bytes.length / View.BYTES_PER_ELEMENT),
    );
  }
}

/** Flechette's own way decodes all values of the dictionary at once; most readers want a few of them, or none. */
function setDictionary(batch: ColumnBatch, dictionary: Column<unknown>): void {
  Object.defineProperties(batch, {
    dictionary: { value: dictionary, enumerable: true },
    cache: { get: () => dictionary.cache() },
  });
}

interface Parts {
  readonly length: number;
  readonly nullCount: number;
  /** Whether the array has more rows than are wanted. */
  readonly isCut: boolean;
  readonly validity?: Uint8Array;
  readonly values?: ArrayBufferView;
  readonly offsets?: ArrayBufferView | null;
  readonly sizes?: ArrayBufferView;
  readonly typeIds?: ArrayBufferView;
  readonly data?: readonly Uint8Array[];
  readonly children?: readonly ColumnBatch[];
}

function make(type: DataType, { isCut, ...parts }: Parts): ColumnBatch {
  const isWhole = type.typeId === Type.Decimal && type.scale < 0;
  // The power of ten of a negative scale is no BigInt. The values are whole numbers anyhow; only the type says what they count.
  const madeAs = isWhole ? { ...type, scale: 0 } : type;
  const Constructor = batchType(type, exactValues) as new (parts: object) => ColumnBatch;
  const { length, validity } = parts;
  const nullCount =
    isCut && parts.nullCount > 0 && validity !== undefined ? countNulls(validity, length) : parts.nullCount;
  const batch = new Constructor({ ...parts, nullCount, type: madeAs });
  if (isWhole) batch.type = type;
  return batch;
}

function countNulls(validity: Uint8Array, length: number): number {
  let nulls = 0;
  for (let row = 0; row < length; row++)
    if ((((validity[row >> 3] as number) >> (row & 7)) & 1) === 0) nulls++;
  return nulls;
}
