import type { StagedFile } from '../../ports/object-store.ts';

/** Bytes not on the disk above which a writer waits: large enough for one efficient writev, small enough for many puts at once. */
const unwrittenBytesMax = 8 * 1024 * 1024;

/** Gathers buffers while a write is in flight, so that receiving and writing overlap, up to a limit. */
export class PendingWrites {
  readonly #file: StagedFile;
  readonly #onProgress: (bytesWritten: number) => void;
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  /** Of the write in flight: they are in memory for as long as it takes. */
  #writingBytes = 0;
  #writing: Promise<void> | null = null;
  #error: unknown = null;

  constructor(file: StagedFile, onProgress: (bytesWritten: number) => void) {
    this.#file = file;
    this.#onProgress = onProgress;
  }

  async write(buffers: readonly Uint8Array[]): Promise<void> {
    for (const buffer of buffers) {
      this.#pending.push(buffer);
      this.#pendingBytes += buffer.byteLength;
    }
    if (this.#writing === null) this.#begin();
    while (this.#pendingBytes + this.#writingBytes >= unwrittenBytesMax && this.#writing !== null)
      await this.#writing;
    if (this.#error !== null) throw this.#error;
  }

  async flush(): Promise<void> {
    while (this.#writing !== null) await this.#writing;
    if (this.#error !== null) throw this.#error;
  }

  #begin(): void {
    if (this.#pending.length === 0 || this.#error !== null) return;
    const buffers = this.#pending;
    this.#pending = [];
    this.#writingBytes = this.#pendingBytes;
    this.#pendingBytes = 0;
    this.#writing = this.#file
      .write(buffers)
      .then(
        () => this.#onProgress(this.#file.bytesWritten),
        (error: unknown) => {
          this.#error = error;
          this.#pending = [];
          this.#pendingBytes = 0;
        },
      )
      .then(() => {
        this.#writing = null;
        this.#writingBytes = 0;
        this.#begin();
      });
  }
}
