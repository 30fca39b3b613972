import { endOfGroups, type JoinedTail, joinedEnd, setArrowSchema, startsIn } from './join-parquet.ts';
import { ParquetFault } from './parquet-fault.ts';
import { fileFields, footerIn, magic } from './parquet-layout.ts';
import { thriftInt } from './thrift-compact.ts';

/** Footers and page indexes are held until the end: those of about a million column chunks. */
const tailBytesMax = 128 * 1024 * 1024;

/** One Parquet file that grows by the row groups of others, each of them whole in memory. */
export class GrowingFile {
  readonly #tails: JoinedTail[] = [];
  /** Of the rows, if they are written as other types. Else the file has it already, in the very bytes that stored files have. */
  readonly #declared: Uint8Array | null;
  #tailBytes = 0;
  #rows = 0;
  #position = 0;

  constructor(declared: Uint8Array | null) {
    this.#declared = declared;
  }

  /** What comes next in the file: the row groups of this one. */
  *add(file: Uint8Array): Generator<Uint8Array, void, void> {
    const place = footerIn(file);
    const dataEnd = endOfGroups(place);
    if (dataEnd === null) throw new Error('a Parquet file of our own cannot be moved into another one');
    this.#tailBytes += file.length - dataEnd;
    if (this.#tailBytes > tailBytesMax)
      throw new ParquetFault(`its footer would have more than ${tailBytesMax} bytes`, false, null);
    if (this.#position === 0) yield this.#given(magic);
    const move = this.#position - magic.length;
    const starts = startsIn(place).map((start) => start + move);
    // A copy: what is beside it shall not be held with it.
    const indexes = file.slice(dataEnd, place.footerOffset);
    if (this.#declared !== null && this.#tails.length === 0) setArrowSchema(place.footer, this.#declared);
    this.#tails.push({ footer: place.footer, indexes, dataEnd, starts });
    this.#rows += thriftInt(place.footer, fileFields.rows) ?? 0;
    yield this.#given(file.subarray(magic.length, dataEnd));
  }

  /** What follows the last row group. */
  end(): AsyncIterable<Uint8Array> {
    return joinedEnd(this.#tails, this.#position, this.#rows);
  }

  #given(bytes: Uint8Array): Uint8Array {
    this.#position += bytes.length;
    return bytes;
  }
}
