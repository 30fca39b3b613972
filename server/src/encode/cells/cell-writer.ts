import type { ArrayData } from '../../arrow/arrays/array-data.ts';
import { isValid } from '../../arrow/arrays/layout.ts';
import type { CellStyle } from './cell-style.ts';
import type { TextBuffer } from './text-buffer.ts';

const jsonNull = new TextEncoder().encode('null');
const nothing = new Uint8Array(0);

/** Writes the values of one column of one batch, as an answer has them. */
export abstract class CellWriter {
  readonly validity: Uint8Array | null;
  readonly nullText: Uint8Array;

  constructor({ validity }: ArrayData, style: CellStyle) {
    this.validity = validity;
    this.nullText = nullTextOf(style);
  }

  /**
   * What `write` takes without asking, because its caller has made room. 0 if it reserves each byte. Once it has reserved anything, it may write
   * that and nothing else: its caller's room is behind it.
   */
  abstract readonly bytesMax: number;

  /** The value of a row that is not null. */
  abstract write(out: TextBuffer, row: number): void;

  /** Like `write`, for any row. The caller has made room for a null, too. */
  cell(out: TextBuffer, row: number): void {
    if (isValid(this.validity, row)) this.write(out, row);
    else out.put(this.nullText);
  }

  /** Like `cell`, if nobody has made room for it. */
  reservedCell(out: TextBuffer, row: number): void {
    out.reserve(this.bytesMax + jsonNull.length);
    this.cell(out, row);
  }
}

/** JSON has a word for it; in CSV it is nothing at all. */
function nullTextOf({ syntax }: CellStyle): Uint8Array {
  return syntax === 'json' ? jsonNull : nothing;
}

export class NullWriter extends CellWriter {
  readonly bytesMax = jsonNull.length;

  write(out: TextBuffer): void {
    out.put(this.nullText);
  }
}

/** The elements of a buffer of fixed width, which may begin anywhere. */
export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
