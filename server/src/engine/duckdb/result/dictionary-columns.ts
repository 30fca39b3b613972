import { Buffer } from 'node:buffer';
import type { ArrayData } from '../../../arrow/arrays/array-data.ts';
import { isValid } from '../../../arrow/arrays/layout.ts';
import type { DictionaryEncoding, Field, IntType } from '../../../arrow/field.ts';
import type { DictionaryValues } from './column-encoder.ts';
import { PlainColumn } from './fixed-columns.ts';
import type { StringHeap } from './string-heap.ts';
import { TextColumn, wideOffsets } from './text-columns.ts';

/** The values of an ENUM are known beforehand: its dictionary is given once. */
export class EnumColumn extends PlainColumn {
  readonly #values: readonly string[];
  #given = false;

  constructor(field: Field, index: IntType, values: readonly string[]) {
    super(field, index.bits / 8);
    this.#values = values;
  }

  override *dictionaries(): Generator<DictionaryValues, void, void> {
    if (this.#given) return;
    this.#given = true;
    const texts = this.#values.map((value) => Buffer.from(value, 'utf8'));
    yield {
      id: (this.field.dictionary as DictionaryEncoding).id,
      delta: false,
      values: textArray(this.field, texts),
    };
  }
}

/** Texts or binaries under numbers, in the order in which they first appear. Later batches add to the dictionary. */
export class TextDictionaryColumn extends TextColumn {
  readonly #encoding: DictionaryEncoding;
  /** By their bytes, one character each. */
  readonly #codes = new Map<string, number>();
  #fresh: Uint8Array[] = [];
  #given = false;

  constructor(field: Field, encoding: DictionaryEncoding, heap: StringHeap) {
    super(field, heap);
    this.#encoding = encoding;
  }

  protected override buffers(validity: Uint8Array | null): readonly Uint8Array[] {
    const { bits, signed } = this.#encoding.index;
    const width = bits / 8;
    const codesMax = 2 ** (Math.min(bits, 32) - (signed ? 1 : 0));
    const indices = new DataView(new ArrayBuffer(this.length * width));
    const bytes = this.bytes.written;
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    for (let row = 0; row < this.length; row++) {
      if (!isValid(validity, row)) continue;
      const start = this.offsets[row] as number;
      const end = this.offsets[row + 1] as number;
      const key = text.toString('latin1', start, end);
      let code = this.#codes.get(key);
      if (code === undefined) {
        code = this.#codes.size;
        if (code >= codesMax)
          this.refuseValue(
            `is one more than the ${codesMax} different ones that ${bits}-bit numbers can name`,
          );
        this.#codes.set(key, code);
        this.#fresh.push(bytes.slice(start, end));
      }
      if (width === 1) indices.setUint8(row, code);
      else if (width === 2) indices.setUint16(row * 2, code, true);
      else indices.setUint32(row * width, code, true);
    }
    return [new Uint8Array(indices.buffer)];
  }

  override *dictionaries(): Generator<DictionaryValues, void, void> {
    if (this.#given && this.#fresh.length === 0) return;
    yield {
      id: this.#encoding.id,
      delta: this.#given,
      values: textArray(this.field, this.#fresh),
    };
    this.#given = true;
    this.#fresh = [];
  }
}

/** Values of a dictionary of texts or binaries. */
function textArray(field: Field, texts: readonly Uint8Array[]): ArrayData {
  const offsets = new Int32Array(texts.length + 1);
  for (const [index, text] of texts.entries()) offsets[index + 1] = (offsets[index] as number) + text.length;
  const large = (field.type.kind === 'utf8' || field.type.kind === 'binary') && field.type.large;
  return {
    field: { ...field, nullable: true, dictionary: null },
    length: texts.length,
    nullCount: 0,
    validity: null,
    buffers: [
      large ? wideOffsets(offsets, offsets.length) : new Uint8Array(offsets.buffer),
      Buffer.concat(texts),
    ],
    children: [],
    dictionary: null,
  };
}
