import { FrameholdError } from '../../model/errors.ts';
import type { Staging } from '../../ports/object-store.ts';
import type { Observe } from '../../ports/observation.ts';

/** What may be written between two checks of the disk: a fraction of the reserve, so that all puts together cannot use it up unnoticed. */
const lookEveryBytes = 16 * 1024 * 1024;
/** How long the result of a check is used for puts that begin. */
const freshMs = 250;
/** How often the disk is checked while a worker writes by itself. */
const watchIntervalMs = 200;
/** Only the file system counts, not the key. */
const anyKey = 'any/any.arrow';

/**
 * Gives up something that only takes room. False if there is nothing left, or if all of it would not be enough for these bytes: what
 * cannot succeed anyway must not cost others anything.
 */
export type FreeSpace = (lackingBytes: number) => Promise<boolean>;

/**
 * Keeps the last bytes of the disk for the catalog and for what frees room: puts are refused before they are gone, but not before everything
 * was given up that only takes room. What was written since the last check is subtracted, so that asking costs nothing while bytes
 * arrive.
 */
export class DiskBudget {
  readonly #staging: Staging;
  readonly #reserveBytes: () => number;
  readonly #observe: Observe;
  #freeBytes = Number.POSITIVE_INFINITY;
  #writtenSince = 0;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> | null = null;
  #low = false;
  readonly #makeRoom: FreeSpace;
  #making: Promise<boolean> | null = null;

  constructor(
    staging: Staging,
    reserveBytes: () => number,
    observe: Observe,
    makeRoom: FreeSpace = () => Promise.resolve(false),
  ) {
    this.#makeRoom = makeRoom;
    this.#staging = staging;
    this.#reserveBytes = reserveBytes;
    this.#observe = observe;
  }

  /** Checks the disk, unless that was just done; disk_full if so many bytes do not fit above the reserve. */
  async demand(bytes: number): Promise<void> {
    if (performance.now() - this.#lookedAt > freshMs || this.#lacks(bytes)) await this.look();
    await this.#freed(bytes);
  }

  /** So many bytes are about to be written. disk_full if they would use up the reserve. */
  async take(bytes: number): Promise<void> {
    this.#writtenSince += bytes;
    if (this.#writtenSince >= lookEveryBytes) this.look().catch(() => {});
    await this.#freed(0);
  }

  /** For work that writes an unknown number of bytes: it is ended when it reaches the reserve. */
  async during<Result>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const full = new AbortController();
    const timer = setInterval(() => {
      this.look()
        .then(() => this.#freed(0))
        .catch((error) => error instanceof FrameholdError && full.abort(error));
    }, watchIntervalMs);
    try {
      return await work(AbortSignal.any([signal, full.signal]));
    } catch (thrown) {
      throw full.signal.aborted && !signal.aborted ? full.signal.reason : thrown;
    } finally {
      clearInterval(timer);
    }
  }

  /** Whether so many bytes fit on the filesystem of an object with this key, without touching the reserve. */
  async fits(key: string, bytes: number): Promise<boolean> {
    for (;;) {
      const lacking = this.#reserveBytes() + bytes - (await this.#staging.freeBytes(key));
      if (lacking <= 0) return true;
      if (!(await this.#giveUp(lacking))) return false;
    }
  }

  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  async #look(): Promise<void> {
    const freeBytes = await this.#staging.freeBytes(anyKey);
    this.#freeBytes = freeBytes;
    this.#writtenSince = 0;
    this.#lookedAt = performance.now();
    this.#observe({ event: 'disk-room', freeBytes });
    const low = freeBytes < this.#reserveBytes();
    // If something is being given up already, it is enough to wait for that.
    if (low && this.#making === null) this.#freed(0).catch(() => {});
    if (low === this.#low) return;
    this.#low = low;
    this.#observe(
      low
        ? { event: 'disk-low', freeBytes, reserveBytes: this.#reserveBytes() }
        : { event: 'disk-room-again', freeBytes },
    );
  }

  /** disk_full if so many bytes do not fit, whatever is given up for them. */
  async #freed(bytes: number): Promise<void> {
    while (this.#lacks(bytes)) if (!(await this.#giveUp(this.#lacking(bytes)))) throw this.#full();
  }

  /** One at a time, with a check after each, so that nothing is given up twice for the same need. True: there may be room now. */
  async #giveUp(lackingBytes: number): Promise<boolean> {
    if (this.#making !== null) {
      await this.#making;
      return true;
    }
    this.#making = this.#makeRoom(lackingBytes)
      .then(async (made) => {
        if (made) await this.#look();
        return made;
      })
      .finally(() => {
        this.#making = null;
      });
    return this.#making;
  }

  #lacks(bytes: number): boolean {
    return this.#lacking(bytes) > 0;
  }

  #lacking(bytes: number): number {
    return this.#reserveBytes() + bytes + this.#writtenSince - this.#freeBytes;
  }

  #full(): FrameholdError {
    return new FrameholdError(
      'disk_full',
      `There is no room left on the disk above the ${this.#reserveBytes()} bytes that are kept back.`,
      {
        hint: 'Drop frames with purge or free disk space, then retry. The reserve is storage.reserve_bytes.',
      },
    );
  }
}
