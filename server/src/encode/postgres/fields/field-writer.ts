import type { ArrayData } from '../../../arrow/arrays/array-data.ts';
import { isValid } from '../../../arrow/arrays/layout.ts';
import type { CellWriter } from '../../cells/cell-writer.ts';
import type { TextBuffer } from '../../cells/text-buffer.ts';

/** Writes the values of one column of one batch in one of PostgreSQL's two formats, without the length before them. */
export abstract class FieldWriter {
  readonly validity: Uint8Array | null;

  constructor({ validity }: Pick<ArrayData, 'validity'>) {
    this.validity = validity;
  }

  /** What `write` takes without asking, as in `CellWriter`. 0 if it reserves each byte. */
  abstract readonly bytesMax: number;

  /** The value of a row that is not null. */
  abstract write(out: TextBuffer, row: number): void;

  isNull(row: number): boolean {
    return !isValid(this.validity, row);
  }
}

export class NullField extends FieldWriter {
  readonly bytesMax = 0;

  write(): void {}

  override isNull(): boolean {
    return true;
  }
}

/** Texts that PostgreSQL writes as other formats do. */
export class SameTextField extends FieldWriter {
  readonly bytesMax: number;
  readonly #cells: CellWriter;

  constructor(data: ArrayData, cells: CellWriter) {
    super(data);
    this.#cells = cells;
    this.bytesMax = cells.bytesMax;
  }

  write(out: TextBuffer, row: number): void {
    this.#cells.write(out, row);
  }
}
