import type { ArrayData } from '../../../arrow/arrays/array-data.ts';
import { isValid } from '../../../arrow/arrays/layout.ts';
import type { IntType } from '../../../arrow/field.ts';
import { viewOf } from '../../cells/cell-writer.ts';
import { float16Value } from '../../cells/floats.ts';
import type { TextBuffer } from '../../cells/text-buffer.ts';
import { putInt16, putInt32 } from './big-endian.ts';
import { FieldWriter } from './field-writer.ts';

const letterF = 102;
const letterT = 116;

export class BoolBinary extends FieldWriter {
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
export class Word32Binary extends FieldWriter {
  readonly bytesMax = 4;
  readonly #source: Uint8Array;

  constructor(data: ArrayData) {
    super(data);
    this.#source = data.buffers[0] as Uint8Array;
  }

  write(out: TextBuffer, row: number): void {
    const source = this.#source;
    const { bytes, at } = out;
    const from = row * 4;
    bytes[at] = source[from + 3] as number;
    bytes[at + 1] = source[from + 2] as number;
    bytes[at + 2] = source[from + 1] as number;
    bytes[at + 3] = source[from] as number;
    out.at = at + 4;
  }
}

/** Values of eight bytes, in the other order. */
export class Word64Binary extends FieldWriter {
  readonly bytesMax = 8;
  readonly #source: Uint8Array;

  constructor(data: ArrayData) {
    super(data);
    this.#source = data.buffers[0] as Uint8Array;
  }

  write(out: TextBuffer, row: number): void {
    const source = this.#source;
    const { bytes, at } = out;
    const from = row * 8;
    bytes[at] = source[from + 7] as number;
    bytes[at + 1] = source[from + 6] as number;
    bytes[at + 2] = source[from + 5] as number;
    bytes[at + 3] = source[from + 4] as number;
    bytes[at + 4] = source[from + 3] as number;
    bytes[at + 5] = source[from + 2] as number;
    bytes[at + 6] = source[from + 1] as number;
    bytes[at + 7] = source[from] as number;
    out.at = at + 8;
  }
}

/** Integers that are sent in a type which is wider, or which has 16 bits. */
export class IntBinary extends FieldWriter {
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
export class HalfBinary extends FieldWriter {
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
