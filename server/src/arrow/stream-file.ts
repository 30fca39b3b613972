import { writevSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { FrameholdError } from '../model/errors.ts';
import type { ArrayData } from './arrays/array-data.ts';
import { encodeRecordBatchHeader } from './batches/batch-encoder.ts';
import { planBatch } from './batches/batch-layout.ts';
import { endOfStream, frameHeader } from './ipc/framing.ts';

/** Gathered before they are written: fewer calls for small batches. */
const flushBytes = 4 * 1024 * 1024;
/** Buffers that are smaller than this on average are cheaper to copy together than to write each for itself. */
const pieceBytesMin = 4 * 1024;

/** Writes an Arrow IPC stream to a file, never more than the bytes it may have. */
export class StreamFile implements AsyncDisposable {
  readonly #file: FileHandle;
  readonly #bytesMax: number;
  #bytes = 0;
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;

  private constructor(file: FileHandle, bytesMax: number) {
    this.#file = file;
    this.#bytesMax = bytesMax;
  }

  /** Above `bytesMax` every method is quota_exceeded. */
  static async create(
    path: string,
    schemaHeader: Uint8Array,
    bytesMax = Number.POSITIVE_INFINITY,
  ): Promise<StreamFile> {
    const stream = new StreamFile(await open(path, 'w'), bytesMax);
    try {
      await stream.header(schemaHeader);
    } catch (error) {
      await stream[Symbol.asyncDispose]();
      throw error;
    }
    return stream;
  }

  /** The bytes may not change until the stream has ended. */
  async message(header: Uint8Array, body: Uint8Array): Promise<void> {
    await this.#write(frameHeader(header), body);
  }

  /** A message whose body follows through `bytes`. */
  async header(header: Uint8Array): Promise<void> {
    await this.#write(frameHeader(header));
  }

  async bytes(bytes: Uint8Array): Promise<void> {
    await this.#write(bytes);
  }

  async batch(length: number, columns: readonly ArrayData[]): Promise<void> {
    const plan = planBatch(length, columns);
    const body = new Uint8Array(plan.layout.bodyBytes);
    plan.write(body);
    await this.message(encodeRecordBatchHeader(plan.layout), body);
  }

  /** The same without a copy, and without a wait: the memory of the columns may be used again. Blocks the thread. */
  batchAtOnce(length: number, columns: readonly ArrayData[]): void {
    const plan = planBatch(length, columns);
    this.#add(frameHeader(encodeRecordBatchHeader(plan.layout)));
    if (plan.layout.bodyBytes / plan.layout.buffers.length >= pieceBytesMin) this.#add(...plan.pieces());
    else {
      const body = new Uint8Array(plan.layout.bodyBytes);
      plan.write(body);
      this.#add(body);
    }
    this.#flushAtOnce();
  }

  async end(): Promise<void> {
    await this.#write(endOfStream);
    await this.#flush();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close();
  }

  async #write(...pieces: Uint8Array[]): Promise<void> {
    this.#add(...pieces);
    if (this.#pendingBytes >= flushBytes) await this.#flush();
  }

  #add(...pieces: readonly Uint8Array[]): void {
    for (const piece of pieces) {
      this.#bytes += piece.length;
      if (this.#bytes > this.#bytesMax) throw doesNotFit(this.#bytesMax);
      this.#pending.push(piece);
      this.#pendingBytes += piece.length;
    }
  }

  #taken(): Uint8Array[] {
    const pieces = this.#pending;
    this.#pending = [];
    this.#pendingBytes = 0;
    return pieces;
  }

  #flushAtOnce(): void {
    let pieces = this.#taken();
    while (pieces.length > 0) pieces = behind(pieces, writevSync(this.#file.fd, pieces));
  }

  async #flush(): Promise<void> {
    let pieces = this.#taken();
    while (pieces.length > 0) {
      const { bytesWritten } = await this.#file.writev(pieces);
      pieces = behind(pieces, bytesWritten);
    }
  }
}

function doesNotFit(bytesMax: number): FrameholdError {
  return new FrameholdError(
    'quota_exceeded',
    `The body decodes to more than the ${bytesMax} bytes that the tenant may still hold.`,
    { hint: 'Drop frames or versions, or let them expire. The limit is tenant.bytes_max.' },
  );
}

/** What is left of the pieces behind this many bytes. */
function behind(pieces: readonly Uint8Array[], byteCount: number): Uint8Array[] {
  let rest = byteCount;
  const left: Uint8Array[] = [];
  for (const piece of pieces) {
    if (rest >= piece.length) rest -= piece.length;
    else {
      left.push(rest === 0 ? piece : piece.subarray(rest));
      rest = 0;
    }
  }
  return left;
}
