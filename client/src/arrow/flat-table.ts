/** One table of a flatbuffer, read in place. Slots are counted from 0, in the order of Arrow's schema files. */
export class FlatTable {
  readonly #view: DataView;
  readonly #position: number;
  readonly #vtable: number;
  readonly #vtableBytes: number;

  private constructor(view: DataView, position: number) {
    this.#view = view;
    this.#position = position;
    this.#vtable = position - view.getInt32(position, true);
    this.#vtableBytes = view.getUint16(this.#vtable, true);
  }

  static root(bytes: Uint8Array): FlatTable {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return new FlatTable(view, view.getUint32(0, true));
  }

  int8(slot: number): number {
    const at = this.#at(slot);
    return at === 0 ? 0 : this.#view.getInt8(at);
  }

  int16(slot: number): number {
    const at = this.#at(slot);
    return at === 0 ? 0 : this.#view.getInt16(at, true);
  }

  int64(slot: number): number {
    const at = this.#at(slot);
    return at === 0 ? 0 : this.#int64At(at);
  }

  table(slot: number): FlatTable | null {
    const at = this.#at(slot);
    return at === 0 ? null : new FlatTable(this.#view, at + this.#view.getUint32(at, true));
  }

  /** The numbers of a vector of 64-bit integers, or of structs that consist of them. */
  int64s(slot: number, perItem = 1): number[] {
    const at = this.#at(slot);
    if (at === 0) return [];
    const vector = at + this.#view.getUint32(at, true);
    const numbers = new Array<number>(this.#view.getUint32(vector, true) * perItem);
    for (let index = 0; index < numbers.length; index++)
      numbers[index] = this.#int64At(vector + 4 + index * 8);
    return numbers;
  }

  #int64At(at: number): number {
    const value = this.#view.getInt32(at + 4, true) * 2 ** 32 + this.#view.getUint32(at, true);
    if (!Number.isSafeInteger(value)) throw new RangeError('a length above 2^53');
    return value;
  }

  /** 0 if the table does not have it. */
  #at(slot: number): number {
    const entry = 4 + slot * 2;
    if (entry >= this.#vtableBytes) return 0;
    const offset = this.#view.getUint16(this.#vtable + entry, true);
    return offset === 0 ? 0 : this.#position + offset;
  }
}
