import { isUtf8 } from 'node:buffer';
import { MalformedArrow } from '../malformed-arrow.ts';
import { decodeText, utf8Text } from '../text.ts';

/**
 * Flatbuffers let many places share one string, so a small header could ask for endless text.
 * 32 MiB is twice the largest header accepted.
 */
const textBytesMax = 32 * 1024 * 1024;

const high32 = 2 ** 32;

/** Elements of a flatbuffer vector, all inside the buffer. */
export interface FlatVector {
  readonly start: number;
  readonly length: number;
}

/**
 * Read-only access to an untrusted flatbuffer. Every offset, vtable and vector is checked before it is followed;
 * alignment too, because other readers of the same bytes refuse what is not aligned.
 */
export class FlatBuffer {
  readonly view: DataView;
  readonly bytes: Uint8Array;
  #textBytes = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  root(): FlatTable {
    this.check(0, 4, 4, 'root offset');
    return new FlatTable(this, this.view.getUint32(0, true));
  }

  /** Fails unless `size` bytes at `position` are inside and aligned. */
  check(position: number, size: number, alignment: number, what: string): void {
    if (position < 0 || position + size > this.bytes.length)
      throw new MalformedArrow(
        `metadata: ${what} at byte ${position} reaches outside the ${this.bytes.length} bytes`,
      );
    if (position % alignment !== 0)
      throw new MalformedArrow(`metadata: ${what} at byte ${position} is not aligned to ${alignment}`);
  }

  /** A signed 64-bit number that must fit a JavaScript number. The place has been checked. */
  safeInteger(position: number): number {
    const value = this.view.getInt32(position + 4, true) * high32 + this.view.getUint32(position, true);
    if (!Number.isSafeInteger(value))
      throw new MalformedArrow(`metadata: the number at byte ${position} is too large`);
    return value;
  }

  countText(byteCount: number): void {
    this.#textBytes += byteCount;
    if (this.#textBytes > textBytesMax)
      throw new MalformedArrow(`metadata: more than ${textBytesMax} bytes of text`);
  }
}

/** One table. Slots are counted from 0 in the order of the schema definition. */
export class FlatTable {
  readonly buffer: FlatBuffer;
  readonly position: number;
  readonly #vtable: number;
  readonly #vtableBytes: number;

  constructor(buffer: FlatBuffer, position: number) {
    const view = buffer.view;
    buffer.check(position, 4, 4, 'table');
    const vtable = position - view.getInt32(position, true);
    buffer.check(vtable, 4, 2, 'vtable');
    this.buffer = buffer;
    this.position = position;
    this.#vtable = vtable;
    this.#vtableBytes = view.getUint16(vtable, true);
    const tableBytes = view.getUint16(vtable + 2, true);
    if (this.#vtableBytes < 4 || tableBytes < 4 || this.#vtableBytes % 2 !== 0)
      throw new MalformedArrow(`metadata: vtable at byte ${vtable} has an impossible size`);
    buffer.check(vtable, this.#vtableBytes, 2, 'vtable');
    buffer.check(position, tableBytes, 4, 'table');
  }

  has(slot: number): boolean {
    return this.#slot(slot, 1) !== 0;
  }

  bool(slot: number): boolean {
    const position = this.#slot(slot, 1);
    return position !== 0 && this.buffer.view.getUint8(position) !== 0;
  }

  uint8(slot: number): number {
    const position = this.#slot(slot, 1);
    return position === 0 ? 0 : this.buffer.view.getUint8(position);
  }

  int16(slot: number, absent: number): number {
    const position = this.#slot(slot, 2);
    return position === 0 ? absent : this.buffer.view.getInt16(position, true);
  }

  int32(slot: number, absent: number): number {
    const position = this.#slot(slot, 4);
    return position === 0 ? absent : this.buffer.view.getInt32(position, true);
  }

  /** A signed 64-bit number that must fit a JavaScript number. */
  int64(slot: number): number {
    const position = this.#slot(slot, 8);
    return position === 0 ? 0 : this.buffer.safeInteger(position);
  }

  bigInt64(slot: number): bigint {
    const position = this.#slot(slot, 8);
    return position === 0 ? 0n : this.buffer.view.getBigInt64(position, true);
  }

  table(slot: number): FlatTable | null {
    const position = this.#slot(slot, 4);
    return position === 0 ? null : new FlatTable(this.buffer, this.#follow(position));
  }

  /** `elementBytes` is the size of a scalar, struct (aligned to 8) or offset (4). */
  vector(slot: number, elementBytes: number): FlatVector | null {
    const position = this.#slot(slot, 4);
    if (position === 0) return null;
    const target = this.#follow(position);
    this.buffer.check(target, 4, 4, 'vector');
    const length = this.buffer.view.getUint32(target, true);
    // An empty vector has no first element whose alignment could matter; writers do not pad for it.
    if (length > 0) this.buffer.check(target + 4, length * elementBytes, Math.min(8, elementBytes), 'vector');
    return { start: target + 4, length };
  }

  tableIn(vector: FlatVector, index: number): FlatTable {
    return new FlatTable(this.buffer, this.#follow(vector.start + index * 4));
  }

  /** Text that must be UTF-8. */
  text(slot: number): string | null {
    const bytes = this.#textBytes(slot);
    if (bytes === null) return null;
    if (!isUtf8(bytes))
      throw new MalformedArrow(
        `metadata: the text at byte ${bytes.byteOffset - this.buffer.bytes.byteOffset} is not UTF-8`,
      );
    return utf8Text(bytes);
  }

  /** Text that may hold any bytes; `encodeText` gives them back. */
  looseText(slot: number): string | null {
    const bytes = this.#textBytes(slot);
    return bytes === null ? null : decodeText(bytes);
  }

  #textBytes(slot: number): Uint8Array | null {
    const vector = this.vector(slot, 1);
    if (vector === null) return null;
    const end = vector.start + vector.length;
    // Other readers count on the zero behind a text and refuse a header without it.
    if (this.buffer.bytes[end] !== 0)
      throw new MalformedArrow(`metadata: the text before byte ${end} does not end`);
    this.buffer.countText(vector.length);
    return this.buffer.bytes.subarray(vector.start, end);
  }

  /** Where the slot's value begins; 0 if it is absent. */
  #slot(slot: number, size: number): number {
    const entry = 4 + slot * 2;
    if (entry + 2 > this.#vtableBytes) return 0;
    const offset = this.buffer.view.getUint16(this.#vtable + entry, true);
    if (offset === 0) return 0;
    if (offset < 4)
      throw new MalformedArrow(
        `metadata: slot ${slot} of the table at byte ${this.position} is outside the table`,
      );
    const position = this.position + offset;
    // Not the table's own size: writers in Go share a vtable between tables whose sizes differ.
    this.buffer.check(position, size, size, `slot ${slot} of the table at byte ${this.position},`);
    return position;
  }

  #follow(position: number): number {
    const offset = this.buffer.view.getUint32(position, true);
    if (offset === 0) throw new MalformedArrow(`metadata: the offset at byte ${position} points to itself`);
    return position + offset;
  }
}
