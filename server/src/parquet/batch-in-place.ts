import type { RecordBatch } from 'parquet-wasm/esm';
import type { ArrayData, BatchData } from '../arrow/arrays/array-data.ts';
import { bitmapBytes } from '../arrow/arrays/layout.ts';
import type { ArrowType, Field, TimeUnit } from '../arrow/field.ts';
import { typeLayout } from '../model/types/type-table.ts';
import { parquetModule } from './parquet-module.ts';

/** A batch as views of the library's memory. They are good until `release`, and until the library is called. */
export interface BatchInPlace extends BatchData {
  release(): void;
}

/**
 * Arrow's C data interface, as the library's memory has it: pointers of 32 bits. Structures are read as far as they are needed.
 * https://arrow.apache.org/docs/format/CDataInterface.html#structure-definitions
 */
const arrayPlaces = {
  length: 0,
  nullCount: 8,
  offset: 16,
  buffers: 40,
  children: 44,
  dictionary: 48,
} as const;
const arrayCounts = { buffers: 24, children: 32 } as const;
const schemaPlaces = { format: 0, children: 32 } as const;
const pointerBytes = 4;

/** What is not read in place: it takes the way through an IPC stream. */
class NotInPlace extends Error {}

/**
 * The columns of a batch where they are, without the copies of an IPC stream. null if some column is not one for this (dictionaries, views, slices of
 * others, names with NUL), or has another type than announced.
 */
export function batchInPlace(batch: RecordBatch, fields: readonly Field[]): BatchInPlace | null {
  const length = batch.numRows;
  if (length === 0 || fields.some(hasNulInName)) return null;
  const shared = batch.toFFI();
  try {
    const memory = new LibraryMemory(parquetModule().wasmMemory().buffer);
    const array = shared.arrayAddr();
    const schema = shared.schemaAddr();
    const columns = childrenOf(memory, array, schema, fields);
    return { length, columns, release: () => shared.free() };
  } catch (thrown) {
    shared.free();
    if (thrown instanceof NotInPlace) return null;
    throw thrown;
  }
}

/** Names end with it in the C data interface: the library refuses to pass such a one on. */
function hasNulInName({ name, children }: Field): boolean {
  return name.includes('\0') || children.some(hasNulInName);
}

class LibraryMemory {
  readonly #bytes: ArrayBuffer;
  readonly #view: DataView;

  constructor(bytes: ArrayBuffer) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes);
  }

  pointer(address: number): number {
    return this.#view.getUint32(address, true);
  }

  number(address: number): number {
    return Number(this.#view.getBigInt64(address, true));
  }

  offset(address: number, large: boolean): number {
    return large ? this.number(address) : this.#view.getInt32(address, true);
  }

  /** Of a buffer without bytes the address may be anything. */
  bytes(address: number, length: number): Uint8Array {
    if (length === 0) return new Uint8Array(0);
    if (address === 0) throw new NotInPlace();
    return new Uint8Array(this.#bytes, address, length);
  }

  isText(address: number, text: string): boolean {
    for (let index = 0; index < text.length; index++)
      if (this.#view.getUint8(address + index) !== text.charCodeAt(index)) return false;
    return this.#view.getUint8(address + text.length) === 0;
  }
}

function childrenOf(
  memory: LibraryMemory,
  array: number,
  schema: number,
  fields: readonly Field[],
): ArrayData[] {
  if (memory.number(array + arrayCounts.children) !== fields.length) throw new NotInPlace();
  const arrays = memory.pointer(array + arrayPlaces.children);
  const schemas = memory.pointer(schema + schemaPlaces.children);
  return fields.map((field, index) =>
    arrayOf(
      memory,
      memory.pointer(arrays + index * pointerBytes),
      memory.pointer(schemas + index * pointerBytes),
      field,
    ),
  );
}

function arrayOf(memory: LibraryMemory, array: number, schema: number, field: Field): ArrayData {
  const format = formatOf(field);
  if (
    format === null ||
    !memory.isText(memory.pointer(schema + schemaPlaces.format), format) ||
    memory.number(array + arrayPlaces.offset) !== 0 ||
    memory.pointer(array + arrayPlaces.dictionary) !== 0
  )
    throw new NotInPlace();
  const length = memory.number(array + arrayPlaces.length);
  const nullCount = memory.number(array + arrayPlaces.nullCount);
  const children = childrenOf(memory, array, schema, field.children);
  if (field.type.kind === 'null')
    return { field, length, nullCount: length, validity: null, buffers: [], children, dictionary: null };
  const count = memory.number(array + arrayCounts.buffers);
  const pointers = memory.pointer(array + arrayPlaces.buffers);
  const buffer = (index: number) => {
    if (index >= count) throw new NotInPlace();
    return memory.pointer(pointers + index * pointerBytes);
  };
  return {
    field,
    length,
    nullCount,
    validity: nullCount === 0 ? null : memory.bytes(buffer(0), bitmapBytes(length)),
    buffers: buffersOf(memory, field.type, length, buffer),
    children,
    dictionary: null,
  };
}

/** Without validity. The interface does not say how long a buffer is: its type does. */
function buffersOf(
  memory: LibraryMemory,
  type: ArrowType,
  length: number,
  buffer: (index: number) => number,
): Uint8Array[] {
  const layout = typeLayout(type);
  switch (layout.kind) {
    case 'fixed':
      return [memory.bytes(buffer(1), length * layout.bytes)];
    case 'bits':
      return [memory.bytes(buffer(1), bitmapBytes(length))];
    case 'bytes': {
      const offsets = offsetsAt(memory, buffer(1), length, layout.large);
      return [offsets.bytes, memory.bytes(buffer(2), offsets.last)];
    }
    case 'list':
      return [offsetsAt(memory, buffer(1), length, layout.large).bytes];
    case 'struct':
    case 'fixed-list':
      return [];
    default:
      throw new NotInPlace();
  }
}

function offsetsAt(
  memory: LibraryMemory,
  address: number,
  length: number,
  large: boolean,
): { readonly bytes: Uint8Array; readonly last: number } {
  const width = large ? 8 : 4;
  const bytes = memory.bytes(address, (length + 1) * width);
  // A slice of other values would bring bytes along that are not in the file's rows.
  if (memory.offset(address, large) !== 0) throw new NotInPlace();
  return { bytes, last: memory.offset(address + length * width, large) };
}

const unitLetters: Readonly<Record<TimeUnit, string>> = { s: 's', ms: 'm', us: 'u', ns: 'n' };

/** How the interface writes a type; null for those that are not read in place. */
function formatOf({ type, dictionary }: Field): string | null {
  if (dictionary !== null) return null;
  switch (type.kind) {
    case 'null':
      return 'n';
    case 'bool':
      return 'b';
    case 'int': {
      const letter = { 8: 'c', 16: 's', 32: 'i', 64: 'l' }[type.bits];
      return type.signed ? letter : letter.toUpperCase();
    }
    case 'float':
      return { 16: 'e', 32: 'f', 64: 'g' }[type.bits];
    case 'decimal': {
      const digits = `d:${type.precision},${type.scale}`;
      return type.bits === 128 ? digits : `${digits},${type.bits}`;
    }
    case 'utf8':
      return type.large ? 'U' : 'u';
    case 'binary':
      return type.large ? 'Z' : 'z';
    case 'fixed-binary':
      return `w:${type.width}`;
    case 'date':
      return type.unit === 'day' ? 'tdD' : 'tdm';
    case 'time':
      return `tt${unitLetters[type.unit]}`;
    case 'timestamp':
      return isPlainText(type.zone ?? '') ? `ts${unitLetters[type.unit]}:${type.zone ?? ''}` : null;
    case 'duration':
      return `tD${unitLetters[type.unit]}`;
    case 'struct':
      return '+s';
    case 'list':
      return type.large ? '+L' : '+l';
    case 'map':
      return '+m';
    case 'fixed-list':
      return `+w:${type.size}`;
    default:
      return null;
  }
}

/** One byte a character. */
function isPlainText(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 127) return false;
  return true;
}
