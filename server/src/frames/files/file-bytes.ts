import { type FileHandle, open } from 'node:fs/promises';
import type { StoredObject } from '../../model/version.ts';
import type { ObjectReader } from '../objects/object-reader.ts';
import type { FilePiece } from './file-pieces.ts';

/** Of a chunk: large enough that the cost of a read does not matter, small enough for many slow readers. */
const chunkBytes = 256 * 1024;
/** Objects that one reader has open. A column has a piece in each object, and the next column again. */
const openMax = 32;

interface OpenObject {
  readonly file: FileHandle;
  readonly release: () => void;
}

/** Reads pieces of objects, in order, of which few are open at a time: a file may be larger than the room for copies of its objects. */
export class PieceReader {
  readonly #reader: Pick<ObjectReader, 'open'>;
  readonly #signal: AbortSignal;
  /** By key, in order of last use. */
  readonly #open = new Map<string, OpenObject>();
  #current: StoredObject | null = null;

  constructor(reader: Pick<ObjectReader, 'open'>, signal: AbortSignal) {
    this.#reader = reader;
    this.#signal = signal;
  }

  /** The object that was read last: the one at fault if reading fails. */
  get current(): StoredObject | null {
    return this.#current;
  }

  /** So many bytes in all, in chunks of their own: a socket may hold them until they have been sent. */
  async *bytes(pieces: Iterable<FilePiece>, length: number): AsyncGenerator<Uint8Array, void, void> {
    let left = length;
    let chunk = Buffer.allocUnsafeSlow(Math.min(chunkBytes, left));
    let filled = 0;
    for (const piece of pieces) {
      this.#current = piece.object;
      const { file } = await this.#object(piece.object);
      for (let done = 0; done < piece.length; ) {
        this.#signal.throwIfAborted();
        const wanted = Math.min(chunk.length - filled, piece.length - done);
        const { bytesRead } = await file.read(chunk, filled, wanted, piece.start + done);
        if (bytesRead === 0) throw new Error(`the object ${piece.object.key} ends early`);
        done += bytesRead;
        filled += bytesRead;
        if (filled < chunk.length) continue;
        yield chunk;
        left -= filled;
        chunk = Buffer.allocUnsafeSlow(Math.min(chunkBytes, left));
        filled = 0;
      }
    }
  }

  async close(): Promise<void> {
    for (const object of this.#open.values()) await closeObject(object);
    this.#open.clear();
  }

  async #object(object: StoredObject): Promise<OpenObject> {
    const known = this.#open.get(object.key);
    if (known !== undefined) {
      this.#open.delete(object.key);
      this.#open.set(object.key, known);
      return known;
    }
    for (const [key, oldest] of this.#open) {
      if (this.#open.size < openMax) break;
      this.#open.delete(key);
      await closeObject(oldest);
    }
    const { paths, release } = await this.#reader.open([object], this.#signal);
    try {
      const opened = { file: await open(paths[0] as string), release };
      this.#open.set(object.key, opened);
      return opened;
    } catch (error) {
      release();
      throw error;
    }
  }
}

async function closeObject({ file, release }: OpenObject): Promise<void> {
  await file.close().finally(release);
}
