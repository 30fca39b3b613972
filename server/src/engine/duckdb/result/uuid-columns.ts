import duckdb, { type Vector } from '@duckdb/node-bindings';
import { GrowingBytes } from '../../../arrow/arrays/growing-bytes.ts';
import type { Field } from '../../../arrow/field.ts';
import { ColumnEncoder, eachNull } from './column-encoder.ts';
import type { Selection } from './selection.ts';

const textBytes = 36;
const digits = new TextEncoder().encode('0123456789abcdef');
/** Where in the text the two digits of each byte are, and the hyphens between them. */
const places = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];
const hyphens = [8, 13, 18, 23];

/** UUIDs: as text, which is what the engine's own Arrow has, or as their sixteen bytes. */
export class UuidColumn extends ColumnEncoder {
  readonly #values = new GrowingBytes();
  readonly #asText: boolean;
  #offsets = new Int32Array(4096);
  #source: Uint8Array = new Uint8Array(0);

  constructor(field: Field, asText: boolean) {
    super(field);
    this.#asText = asText;
  }

  override weigh(selection: Selection): number {
    return selection.count * (this.#asText ? textBytes + 4 : 16);
  }

  protected override loadValues(vector: Vector, count: number): void {
    this.#source = count === 0 ? new Uint8Array(0) : duckdb.vector_get_data(vector, count * 16);
  }

  protected override appendValues(selection: Selection): void {
    const { from, count, index } = selection;
    const nulls = new Uint8Array(this.loaded === null ? 0 : count);
    eachNull(this.loaded, selection, (place) => {
      nulls[place] = 1;
    });
    if (this.#offsets.length < this.length + count + 1) {
      const grown = new Int32Array(Math.max(this.length + count + 1, this.#offsets.length * 2));
      grown.set(this.#offsets);
      this.#offsets = grown;
    }
    for (let place = 0; place < count; place++) {
      const row = index === null ? from + place : (index[place] as number);
      const isNull = nulls[place] === 1;
      if (this.#asText) {
        if (!isNull) this.#writeText(row * 16, this.#values.extend(textBytes));
        this.#offsets[this.length + place + 1] = this.#values.length;
      } else {
        const at = this.#values.extend(16);
        if (isNull) this.#values.bytes.fill(0, at, at + 16);
        else for (let byte = 0; byte < 16; byte++) this.#values.bytes[at + byte] = this.#byte(row * 16, byte);
      }
    }
  }

  /** The engine has the sixteen bytes the other way round, with the first bit turned, so that they sort as numbers. */
  #byte(at: number, byte: number): number {
    const value = this.#source[at + 15 - byte] as number;
    return byte === 0 ? value ^ 0x80 : value;
  }

  #writeText(at: number, to: number): void {
    const target = this.#values.bytes;
    for (let byte = 0; byte < 16; byte++) {
      const value = this.#byte(at, byte);
      const place = to + (places[byte] as number);
      target[place] = digits[value >> 4] as number;
      target[place + 1] = digits[value & 15] as number;
    }
    for (const hyphen of hyphens) target[to + hyphen] = 0x2d;
  }

  protected override clearValues(): void {
    this.#values.clear();
  }

  protected override buffers(): readonly Uint8Array[] {
    if (!this.#asText) return [this.#values.written];
    return [new Uint8Array(this.#offsets.buffer, 0, (this.length + 1) * 4), this.#values.written];
  }
}
