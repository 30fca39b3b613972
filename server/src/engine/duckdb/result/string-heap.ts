import duckdb from '@duckdb/node-bindings';

/** A string of up to this many bytes is inline in its slot; a longer one has a pointer there. */
export const inlineBytesMax = 12;

/**
 * Strings nearer to each other than this are fetched in one call. A page has 4096 bytes, so that what lies between two strings closer than that
 * is on a page of one of them: it can be read, whatever it is. It is never passed on.
 */
const gapBytesMax = 2048;
/** The engine copies the strings of a chunk into some pieces of memory that double in size. Strings in more pieces than this are in no order. */
const piecesMax = 32;

/** Memory of the engine, copied. */
interface Block {
  readonly start: number;
  readonly end: number;
  readonly bytes: Uint8Array;
  readonly view: DataView;
}

/**
 * Copies the strings of a vector that are not inline in their slots. A call into the engine takes about a microsecond whatever it copies: so
 * neighbours are fetched together, in about two calls for a chunk instead of two thousand.
 */
export class StringHeap {
  /** Addresses and lengths of the strings wanted, in order. Addresses have at most 48 bits. */
  starts = new Float64Array(2048);
  lengths = new Int32Array(2048);
  count = 0;
  readonly #pointer = new Uint32Array(2);
  #blocks: Block[] = [];
  /** Block of each string, if they lie in a few pieces. */
  #pieceOf = new Int32Array(2048);
  readonly #pieceStarts = new Float64Array(piecesMax);
  readonly #pieceEnds = new Float64Array(piecesMax);
  #sorted = false;

  begin(strings: number): void {
    this.count = 0;
    this.#blocks = [];
    if (this.starts.length < strings) {
      this.starts = new Float64Array(strings * 2);
      this.lengths = new Int32Array(strings * 2);
      this.#pieceOf = new Int32Array(strings * 2);
    }
  }

  /** Fetches all of them. */
  fetch(): void {
    if (this.count === 0) return;
    this.#sorted = !this.#fetchPieces();
    if (this.#sorted) this.#fetchSorted();
  }

  /** The block that holds the string with this number. */
  blockOf(string: number): Block {
    if (!this.#sorted) return this.#blocks[this.#pieceOf[string] as number] as Block;
    const start = this.starts[string] as number;
    let low = 0;
    let high = this.#blocks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#blocks[middle] as Block).start <= start) low = middle;
      else high = middle - 1;
    }
    return this.#blocks[low] as Block;
  }

  /**
   * For strings that lie near the one before, before or behind it: the usual case, as vectors are filled and blocks of storage are read in order.
   * False, with nothing fetched, if they are in too many pieces.
   */
  #fetchPieces(): boolean {
    const { starts, lengths, count } = this;
    const pieceOf = this.#pieceOf;
    let piece = 0;
    let low = starts[0] as number;
    let high = low;
    for (let string = 0; string < count; string++) {
      const start = starts[string] as number;
      const end = start + (lengths[string] as number);
      if (start - high > gapBytesMax || low - end > gapBytesMax) {
        this.#pieceStarts[piece] = low;
        this.#pieceEnds[piece] = high;
        if (++piece === piecesMax) return false;
        low = start;
        high = end;
      } else {
        if (start < low) low = start;
        if (end > high) high = end;
      }
      pieceOf[string] = piece;
    }
    this.#pieceStarts[piece] = low;
    this.#pieceEnds[piece] = high;
    for (let index = 0; index <= piece; index++)
      this.#take(this.#pieceStarts[index] as number, this.#pieceEnds[index] as number);
    return true;
  }

  #fetchSorted(): void {
    const longest = new Map<number, number>();
    for (let string = 0; string < this.count; string++) {
      const start = this.starts[string] as number;
      longest.set(start, Math.max(longest.get(start) ?? 0, this.lengths[string] as number));
    }
    const sorted = Float64Array.from(longest.keys()).sort();
    let low = sorted[0] as number;
    let high = low;
    for (const start of sorted) {
      if (start - high > gapBytesMax) {
        this.#take(low, high);
        low = start;
      }
      high = Math.max(high, start + (longest.get(start) as number));
    }
    this.#take(low, high);
  }

  #take(start: number, end: number): void {
    this.#pointer[0] = start % 4_294_967_296;
    this.#pointer[1] = Math.floor(start / 4_294_967_296);
    const bytes = duckdb.get_data_from_pointer(this.#pointer.buffer, 0, end - start);
    this.#blocks.push({
      start,
      end,
      bytes,
      view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length),
    });
  }
}
