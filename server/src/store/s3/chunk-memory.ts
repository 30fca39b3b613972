import { BufferPool } from '../../base/buffer-pool.ts';
import { Slots } from '../slots.ts';

const mebibyte = 1024 * 1024;

/** What is sent and fetched in one request. Large enough that a request's own time does not matter; four of them fill a fast line. */
export const chunkBytes = 8 * mebibyte;
/** Of all chunks under way in a thread. */
const memoryBytesMax = 64 * mebibyte;
/** Chunks that are kept for the next one: zeroing fresh pages takes as long as a fast network. */
const idleChunksMax = 4;

export interface Chunk {
  readonly bytes: Uint8Array;
  /** Calling it again does nothing. */
  release(): void;
}

/** Memory for the bytes of requests under way; whoever finds none left waits. */
export class ChunkMemory {
  readonly #slots = new Slots(memoryBytesMax);
  readonly #pool = new BufferPool(idleChunksMax * chunkBytes);

  async take(bytes: number, signal: AbortSignal): Promise<Chunk> {
    const leave = await this.#slots.take(bytes, signal);
    const isWhole = bytes > chunkBytes / 2 && bytes <= chunkBytes;
    const memory = isWhole ? this.#pool.take(chunkBytes) : Buffer.allocUnsafeSlow(bytes);
    let held = true;
    return {
      bytes: memory.subarray(0, bytes),
      release: () => {
        if (!held) return;
        held = false;
        if (isWhole) this.#pool.give(memory);
        leave();
      },
    };
  }
}
