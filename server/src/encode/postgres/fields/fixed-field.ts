import type { TextBuffer } from '../../cells/text-buffer.ts';
import { setInt32 } from './big-endian.ts';
import { FieldWriter } from './field-writer.ts';
import { lengthBytes, measureFixed, type PlacedColumn } from './placed-columns.ts';

/** Writes values that all have `bytesMax` bytes. */
export abstract class FixedField extends FieldWriter implements PlacedColumn {
  measure(sizes: Int32Array, from: number, count: number): void {
    measureFixed(this, this.bytesMax, sizes, from, count);
  }

  place(out: TextBuffer, places: Int32Array, from: number, count: number): void {
    const width = this.bytesMax;
    for (let index = 0; index < count; index++) {
      const at = places[index] as number;
      out.at = at + lengthBytes;
      const isNull = this.isNull(from + index);
      setInt32(out.bytes, at, isNull ? -1 : width);
      if (!isNull) this.write(out, from + index);
      places[index] = out.at;
    }
  }
}
