import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { FileLayout, FileObject } from '../../ports/catalog/files.ts';

/** Bytes of a file from `start` to before `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Bytes of one object that are bytes of a file. */
export interface FilePiece {
  readonly object: FileObject;
  readonly start: number;
  readonly length: number;
}

const fieldsPerPiece = 3;
/** A layout in memory is no larger than this, however small it is in the catalog. */
const pieceBytesMax = 64 * 1024 * 1024;

/** Collects pieces in order; neighbours in the same object become one. */
export class PieceWriter {
  readonly #fields: number[] = [];
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /** `object` is its number. */
  add(object: number, start: number, length: number): void {
    if (length === 0) return;
    this.#bytes += length;
    const fields = this.#fields;
    const last = fields.length - fieldsPerPiece;
    const end = (fields[last + 1] ?? 0) + (fields[last + 2] ?? 0);
    if (last >= 0 && fields[last] === object && end === start)
      fields[last + 2] = (fields[last + 2] as number) + length;
    else fields.push(object, start, length);
  }

  finish(): Uint8Array {
    return new Uint8Array(deflateRawSync(new Uint8Array(Float64Array.from(this.#fields).buffer)));
  }
}

/** A layout whose pieces can be found. */
export class PlacedPieces {
  readonly layout: FileLayout;
  readonly #fields: Float64Array;
  /** Where in the file each piece ends. */
  readonly #ends: Float64Array;

  constructor(layout: FileLayout) {
    this.layout = layout;
    const bytes = new Uint8Array(inflateRawSync(layout.pieces, { maxOutputLength: pieceBytesMax }));
    this.#fields = new Float64Array(bytes.buffer, 0, bytes.length / Float64Array.BYTES_PER_ELEMENT);
    this.#ends = new Float64Array(this.#fields.length / fieldsPerPiece);
    let end = 0;
    for (let piece = 0; piece < this.#ends.length; piece++) {
      end += this.#fields[piece * fieldsPerPiece + 2] as number;
      this.#ends[piece] = end;
    }
    if (end !== layout.bytes) throw new Error('the pieces of a file are not as long as the file');
  }

  /** What it takes in memory, about. */
  get memoryBytes(): number {
    return this.#fields.byteLength + this.#ends.byteLength + 300 * this.layout.objects.length;
  }

  /** The pieces that hold these bytes, cut to them. */
  *within({ start, end }: ByteRange): Generator<FilePiece, void, void> {
    for (let piece = this.#first(start); piece < this.#ends.length; piece++) {
      const [number = 0, offset = 0, length = 0] = this.#fields.subarray(piece * fieldsPerPiece);
      const position = (this.#ends[piece] as number) - length;
      if (position >= end) return;
      const from = Math.max(start, position);
      const to = Math.min(end, position + length);
      const object = this.layout.objects[number] as FileObject;
      yield { object, start: offset + from - position, length: to - from };
    }
  }

  /** The first piece that ends after this byte. */
  #first(byte: number): number {
    let low = 0;
    let high = this.#ends.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#ends[middle] as number) <= byte) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
