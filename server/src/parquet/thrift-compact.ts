/**
 * Structs of Thrift's compact protocol, which Parquet's own metadata is written in. Nothing is known here about what they mean, so that
 * fields of writers newer than this code are kept: reading and writing gives back the same bytes.
 */

/** A struct, with its fields in the order of the file. */
export interface ThriftStruct {
  readonly fields: ThriftField[];
}

interface ThriftField {
  readonly id: number;
  readonly value: ThriftValue;
}

export type ThriftValue =
  | { readonly type: 'bool'; readonly value: boolean }
  /** 16, 32 or 64 bits: they differ in their tag only. */
  | { readonly type: 'int'; readonly tag: IntegerTag; readonly value: bigint }
  /** Kept unchanged: single bytes, doubles, UUIDs; and structs that were written before. */
  | { readonly type: 'raw'; readonly tag: number; readonly bytes: Uint8Array }
  | { readonly type: 'binary'; readonly bytes: Uint8Array }
  | {
      readonly type: 'list';
      readonly tag: number;
      readonly elementTag: number;
      readonly items: ThriftValue[];
    }
  | {
      readonly type: 'map';
      readonly keyTag: number;
      readonly valueTag: number;
      readonly items: ThriftValue[];
    }
  | { readonly type: 'struct'; readonly value: ThriftStruct };

type IntegerTag = 4 | 5 | 6;

export class MalformedThrift extends Error {}

const tags = {
  stop: 0,
  true: 1,
  false: 2,
  byte: 3,
  int16: 4,
  int32: 5,
  int64: 6,
  double: 7,
  binary: 8,
  list: 9,
  set: 10,
  map: 11,
  struct: 12,
  uuid: 13,
} as const;

/** Parquet's metadata nests five deep; its schema is a flat list. */
const depthMax = 32;
/** A 64-bit number has at most ten groups of seven bits. */
const varintBytesMax = 10;

/** Reads one struct. What was read may be a view of the bytes. */
export function readThrift(
  bytes: Uint8Array,
  start = 0,
): { readonly struct: ThriftStruct; readonly end: number } {
  const reader = new Reader(bytes, start);
  const struct = reader.struct(0);
  return { struct, end: reader.position };
}

export function writeThrift(struct: ThriftStruct): Uint8Array {
  const writer = new Writer();
  writer.struct(struct);
  return writer.content();
}

class Reader {
  readonly #bytes: Uint8Array;
  position: number;

  constructor(bytes: Uint8Array, start: number) {
    this.#bytes = bytes;
    this.position = start;
  }

  struct(depth: number): ThriftStruct {
    if (depth > depthMax) throw new MalformedThrift(`structs nested deeper than ${depthMax}`);
    const fields: ThriftField[] = [];
    for (let last = 0; ; ) {
      const head = this.#byte();
      const tag = head & 0x0f;
      if (tag === tags.stop) return { fields };
      const id = head >> 4 === 0 ? Number(unzigzag(this.#varint())) : last + (head >> 4);
      last = id;
      // A field's tag is its value if the value is true or false.
      const value: ThriftValue =
        tag === tags.true || tag === tags.false
          ? { type: 'bool', value: tag === tags.true }
          : this.#value(tag, depth);
      fields.push({ id, value });
    }
  }

  #value(tag: number, depth: number): ThriftValue {
    switch (tag) {
      // Inside lists and maps.
      case tags.true:
      case tags.false:
      case tags.byte:
        return { type: 'raw', tag, bytes: this.#take(1) };
      case tags.int16:
      case tags.int32:
      case tags.int64:
        return { type: 'int', tag, value: unzigzag(this.#varint()) };
      case tags.double:
        return { type: 'raw', tag, bytes: this.#take(8) };
      case tags.uuid:
        return { type: 'raw', tag, bytes: this.#take(16) };
      case tags.binary:
        return { type: 'binary', bytes: this.#take(this.#length()) };
      case tags.list:
      case tags.set:
        return this.#list(tag, depth);
      case tags.map:
        return this.#map(depth);
      case tags.struct:
        return { type: 'struct', value: this.struct(depth + 1) };
      default:
        throw new MalformedThrift(`unknown type ${tag} at byte ${this.position}`);
    }
  }

  #list(tag: number, depth: number): ThriftValue {
    const head = this.#byte();
    const elementTag = head & 0x0f;
    const length = head >> 4 === 15 ? this.#length() : head >> 4;
    return { type: 'list', tag, elementTag, items: this.#items(length, [elementTag], depth) };
  }

  #map(depth: number): ThriftValue {
    const length = this.#length();
    const kinds = length === 0 ? 0 : this.#byte();
    const keyTag = kinds >> 4;
    const valueTag = kinds & 0x0f;
    return { type: 'map', keyTag, valueTag, items: this.#items(length * 2, [keyTag, valueTag], depth) };
  }

  #items(count: number, itemTags: readonly number[], depth: number): ThriftValue[] {
    // Every item takes a byte at least, so a count cannot ask for more memory than the bytes behind it justify.
    if (count > this.#bytes.length - this.position)
      throw new MalformedThrift(`${count} items at byte ${this.position} do not fit the bytes that are left`);
    if (depth >= depthMax) throw new MalformedThrift(`lists nested deeper than ${depthMax}`);
    const items: ThriftValue[] = [];
    for (let index = 0; index < count; index++)
      items.push(this.#value(itemTags[index % itemTags.length] as number, depth + 1));
    return items;
  }

  #length(): number {
    const length = this.#varint();
    if (length > BigInt(this.#bytes.length))
      throw new MalformedThrift(`a length of ${length} at byte ${this.position}`);
    return Number(length);
  }

  #varint(): bigint {
    let value = 0n;
    for (let index = 0; index < varintBytesMax; index++) {
      const byte = this.#byte();
      value |= BigInt(byte & 0x7f) << BigInt(index * 7);
      if (byte < 0x80) return value;
    }
    throw new MalformedThrift(`a number without end at byte ${this.position}`);
  }

  #byte(): number {
    const byte = this.#bytes[this.position];
    if (byte === undefined) throw new MalformedThrift(`the bytes end at ${this.position}, inside a struct`);
    this.position += 1;
    return byte;
  }

  #take(byteCount: number): Uint8Array {
    const end = this.position + byteCount;
    if (end > this.#bytes.length)
      throw new MalformedThrift(`${byteCount} bytes at ${this.position} reach behind the end`);
    const taken = this.#bytes.subarray(this.position, end);
    this.position = end;
    return taken;
  }
}

class Writer {
  #memory = new Uint8Array(1024);
  #length = 0;

  content(): Uint8Array {
    return this.#memory.slice(0, this.#length);
  }

  struct({ fields }: ThriftStruct): void {
    let last = 0;
    for (const { id, value } of fields) {
      const tag = tagOf(value);
      const step = id - last;
      if (step > 0 && step <= 15) this.#byte((step << 4) | tag);
      else {
        this.#byte(tag);
        this.#varint(zigzag(BigInt(id)));
      }
      last = id;
      if (value.type !== 'bool') this.#value(value);
    }
    this.#byte(tags.stop);
  }

  #value(value: ThriftValue): void {
    switch (value.type) {
      case 'bool':
        throw new Error('a boolean is in the tag of its field, or a byte in a list');
      case 'int':
        this.#varint(zigzag(value.value));
        break;
      case 'raw':
        this.#put(value.bytes);
        break;
      case 'binary':
        this.#varint(BigInt(value.bytes.length));
        this.#put(value.bytes);
        break;
      case 'list': {
        const { length } = value.items;
        this.#byte((Math.min(length, 15) << 4) | value.elementTag);
        if (length >= 15) this.#varint(BigInt(length));
        for (const item of value.items) this.#value(item);
        break;
      }
      case 'map':
        this.#varint(BigInt(value.items.length / 2));
        if (value.items.length > 0) this.#byte((value.keyTag << 4) | value.valueTag);
        for (const item of value.items) this.#value(item);
        break;
      case 'struct':
        this.struct(value.value);
        break;
    }
  }

  #varint(value: bigint): void {
    let rest = value;
    for (; rest > 0x7fn; rest >>= 7n) this.#byte(Number(rest & 0x7fn) | 0x80);
    this.#byte(Number(rest));
  }

  #byte(byte: number): void {
    this.#reserve(1);
    this.#memory[this.#length++] = byte;
  }

  #put(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#memory.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  #reserve(byteCount: number): void {
    if (this.#length + byteCount <= this.#memory.length) return;
    const larger = new Uint8Array((this.#length + byteCount) * 2);
    larger.set(this.#memory.subarray(0, this.#length));
    this.#memory = larger;
  }
}

function tagOf(value: ThriftValue): number {
  switch (value.type) {
    case 'bool':
      return value.value ? tags.true : tags.false;
    case 'int':
    case 'raw':
    case 'list':
      return value.tag;
    case 'binary':
      return tags.binary;
    case 'map':
      return tags.map;
    case 'struct':
      return tags.struct;
  }
}

function zigzag(value: bigint): bigint {
  return BigInt.asUintN(64, (value << 1n) ^ (value >> 63n));
}

function unzigzag(value: bigint): bigint {
  return BigInt.asIntN(64, (value >> 1n) ^ -(value & 1n));
}

/** Access to single fields, by their number. */

export function thriftInt(struct: ThriftStruct, id: number): number | null {
  const value = struct.fields.find((field) => field.id === id)?.value;
  if (value === undefined) return null;
  if (value.type !== 'int') throw new MalformedThrift(`field ${id} is not a number`);
  const number = Number(value.value);
  if (!Number.isSafeInteger(number)) throw new MalformedThrift(`field ${id} is too large`);
  return number;
}

export function thriftStruct(struct: ThriftStruct, id: number): ThriftStruct | null {
  const value = struct.fields.find((field) => field.id === id)?.value;
  if (value === undefined) return null;
  if (value.type !== 'struct') throw new MalformedThrift(`field ${id} is not a struct`);
  return value.value;
}

export function thriftStructs(struct: ThriftStruct, id: number): ThriftStruct[] {
  const value = struct.fields.find((field) => field.id === id)?.value;
  if (value === undefined) return [];
  if (value.type !== 'list') throw new MalformedThrift(`field ${id} is not a list`);
  return value.items.map((item) => {
    if (item.type !== 'struct') throw new MalformedThrift(`field ${id} is not a list of structs`);
    return item.value;
  });
}

export function thriftBytes(struct: ThriftStruct, id: number): Uint8Array | null {
  const value = struct.fields.find((field) => field.id === id)?.value;
  if (value === undefined) return null;
  if (value.type !== 'binary') throw new MalformedThrift(`field ${id} is not a text`);
  return value.bytes;
}

/** Puts these structs, as `writeThrift` made them, in place of a list of structs that is there. */
export function setThriftStructs(struct: ThriftStruct, id: number, written: readonly Uint8Array[]): void {
  const index = struct.fields.findIndex((field) => field.id === id);
  const field = struct.fields[index];
  if (field?.value.type !== 'list') throw new MalformedThrift(`field ${id} is not a list`);
  const items: ThriftValue[] = written.map((bytes) => ({ type: 'raw', tag: tags.struct, bytes }));
  struct.fields[index] = { id, value: { ...field.value, elementTag: tags.struct, items } };
}

/** Puts these bytes in place of a text that is there. */
export function setThriftBytes(struct: ThriftStruct, id: number, bytes: Uint8Array): void {
  const index = struct.fields.findIndex((field) => field.id === id);
  if (struct.fields[index]?.value.type !== 'binary') throw new MalformedThrift(`field ${id} is not a text`);
  struct.fields[index] = { id, value: { type: 'binary', bytes } };
}

export function hasField(struct: ThriftStruct, id: number): boolean {
  return struct.fields.some((field) => field.id === id);
}

/** Gives a number that is there another value; nothing happens if it is not. */
export function setThriftInt(struct: ThriftStruct, id: number, value: number): void {
  const index = struct.fields.findIndex((field) => field.id === id);
  const field = struct.fields[index];
  if (field?.value.type !== 'int') return;
  struct.fields[index] = { id, value: { ...field.value, value: BigInt(value) } };
}
