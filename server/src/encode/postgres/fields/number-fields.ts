import type { ArrayData } from '../../../arrow/arrays/array-data.ts';
import { isValid } from '../../../arrow/arrays/layout.ts';
import type { IntType } from '../../../arrow/field.ts';
import { viewOf } from '../../cells/cell-writer.ts';
import { float16Value } from '../../cells/floats.ts';
import type { TextBuffer } from '../../cells/text-buffer.ts';
import { putInt16, putInt32 } from './big-endian.ts';
import { FieldWriter } from './field-writer.ts';
import { FixedField } from './fixed-field.ts';
import { lengthBytes, outView } from './placed-columns.ts';

const letterF = 102;
const letterT = 116;

export class BoolBinary extends FixedField {
  readonly bytesMax = 1;
  readonly #bits: Uint8Array;

  constructor(data: ArrayData) {
    super(data);
    this.#bits = data.buffers[0] as Uint8Array;
  }

  write(out: TextBuffer, row: number): void {
    out.bytes[out.at++] = isValid(this.#bits, row) ? 1 : 0;
  }
}

export class BoolText extends FieldWriter {
  readonly bytesMax = 1;
  readonly #bits: Uint8Array;

  constructor(data: ArrayData) {
    super(data);
    this.#bits = data.buffers[0] as Uint8Array;
  }

  write(out: TextBuffer, row: number): void {
    out.bytes[out.at++] = isValid(this.#bits, row) ? letterT : letterF;
  }
}

/** Values of four bytes, in the other order. */
export class Word32Binary extends FixedField {
  readonly bytesMax = 4;
  readonly #source: DataView;

  constructor(data: ArrayData) {
    super(data);
    this.#source = viewOf(data.buffers[0] as Uint8Array);
  }

  write(out: TextBuffer, row: number): void {
    putInt32(out, this.#source.getInt32(row * 4, true));
  }

  override place(out: TextBuffer, places: Int32Array, from: number, count: number): void {
    const source = this.#source;
    const { validity } = this;
    const target = outView(out);
    for (let index = 0; index < count; index++) {
      const row = from + index;
      const at = places[index] as number;
      if (!isValid(validity, row)) {
        target.setInt32(at, -1);
        places[index] = at + lengthBytes;
        continue;
      }
      target.setInt32(at, 4);
      target.setInt32(at + 4, source.getInt32(row * 4, true));
      places[index] = at + 8;
    }
  }
}

/** Values of eight bytes, in the other order. */
export class Word64Binary extends FixedField {
  readonly bytesMax = 8;
  readonly #source: DataView;

  constructor(data: ArrayData) {
    super(data);
    this.#source = viewOf(data.buffers[0] as Uint8Array);
  }

  write(out: TextBuffer, row: number): void {
    putInt32(out, this.#source.getInt32(row * 8 + 4, true));
    putInt32(out, this.#source.getInt32(row * 8, true));
  }

  override place(out: TextBuffer, places: Int32Array, from: number, count: number): void {
    const source = this.#source;
    const { validity } = this;
    const target = outView(out);
    for (let index = 0; index < count; index++) {
      const row = from + index;
      const at = places[index] as number;
      if (!isValid(validity, row)) {
        target.setInt32(at, -1);
        places[index] = at + lengthBytes;
        continue;
      }
      target.setInt32(at, 8);
      target.setInt32(at + 4, source.getInt32(row * 8 + 4, true));
      target.setInt32(at + 8, source.getInt32(row * 8, true));
      places[index] = at + 12;
    }
  }
}

/** Integers that are sent in a type which is wider, or which has 16 bits. */
export class IntBinary extends FixedField {
  readonly bytesMax: number;
  readonly #values: DataView;
  readonly #type: IntType;

  constructor(type: IntType, data: ArrayData) {
    super(data);
    this.#values = viewOf(data.buffers[0] as Uint8Array);
    this.#type = type;
    this.bytesMax = type.signed ? Math.max(2, type.bits / 8) : Math.max(2, type.bits / 4);
  }

  write(out: TextBuffer, row: number): void {
    const values = this.#values;
    const { bits, signed } = this.#type;
    if (bits === 8) putInt16(out, signed ? values.getInt8(row) : values.getUint8(row));
    else if (bits === 16 && signed) putInt16(out, values.getInt16(row * 2, true));
    else if (bits === 16) putInt32(out, values.getUint16(row * 2, true));
    else {
      if (!signed) putInt32(out, 0);
      putInt32(out, values.getInt32(row * 4, true));
    }
  }
}

/** A half is exact as a float4. */
export class HalfBinary extends FixedField {
  readonly bytesMax = 4;
  readonly #values: DataView;
  readonly #float = new DataView(new ArrayBuffer(4));

  constructor(data: ArrayData) {
    super(data);
    this.#values = viewOf(data.buffers[0] as Uint8Array);
  }

  write(out: TextBuffer, row: number): void {
    this.#float.setFloat32(0, float16Value(this.#values.getUint16(row * 2, true)));
    putInt32(out, this.#float.getInt32(0));
  }
}
