import type { ArrayData } from '../arrays/array-data.ts';
import { readBatch } from '../batches/batch.ts';
import { unpackedBytesMaxDefault } from '../batches/body-buffers.ts';
import type { Schema } from '../field.ts';
import { headerBytesOf, prefixBytes } from '../ipc/framing.ts';
import { type Compression, type Message, parseMessage } from '../ipc/message.ts';
import { at, MalformedArrow } from '../malformed-arrow.ts';
import { DictionaryLengths } from './dictionary-lengths.ts';
import { checkNulls } from './null-check.ts';
import { checkArray } from './value-check.ts';

/** Bytes by position, read while the caller waits: for workers. */
export interface SyncByteSource {
  /** Fills the beginning of the target from the position on; returns how many bytes. */
  readSync(target: Uint8Array, position: number): number;
}

export interface StreamCheckOptions {
  /** Of one message. The check holds one body at a time. */
  readonly bodyBytesMax?: number;
  /** Of one batch, if it is compressed. */
  readonly unpackedBytesMax?: number;
  /** Where bodies are read to; default: memory of its own. */
  readonly bodyMemory?: BodyMemory;
  /** Sees every byte of the stream once, in order, e.g. to take its hash while it is in the processor's cache. */
  readonly observe?: (bytes: Uint8Array) => void;
}

export interface StreamReport {
  /** Exactly as sent, padding included. */
  readonly schemaHeader: Uint8Array;
  readonly schema: Schema;
  readonly rows: number;
  readonly batches: number;
  /** Some batch carries metadata of its own. */
  readonly hasBatchMetadata: boolean;
  /** Those in use, each once. */
  readonly compressions: readonly Compression[];
}

/** What one batch may have in one piece: the server holds it in memory when it reads. */
const bodyBytesMaxDefault = 1024 * 1024 * 1024;
/** Small enough to stay in the processor's cache between reading and observing. */
const pieceBytes = 512 * 1024;

interface Pending {
  readonly position: number;
  readonly headerBytes: number;
  readonly header: Uint8Array;
  readonly message: Message;
}

/** Memory for one body after another: a check needs it only while it is called, so that all checks of a thread can share it. */
export class BodyMemory {
  #bytes = new Uint8Array(0);

  take(byteCount: number): Uint8Array {
    if (byteCount > keptBytesMax) return new Uint8Array(byteCount);
    // Some room more, so that bodies which grow slowly do not each allocate.
    if (this.#bytes.length < byteCount)
      this.#bytes = new Uint8Array(Math.min(keptBytesMax, Math.ceil(byteCount * 1.25)));
    return this.#bytes.subarray(0, byteCount);
  }
}

/** Larger bodies are rare, and their memory is not kept. */
const keptBytesMax = 64 * 1024 * 1024;

/**
 * Checks a whole IPC stream while it is still being written. Call `advance` when more bytes are there, as often as one likes, and
 * `finish` when all are; either throws MalformedArrow, which says what is wrong and where, and then the check is over.
 */
export class StreamCheck {
  readonly #source: SyncByteSource;
  readonly #bodyBytesMax: number;
  readonly #unpackedBytesMax: number;
  readonly #observe: ((bytes: Uint8Array) => void) | null;
  readonly #compressions = new Set<Compression>();
  #position = 0;
  #number = 0;
  #ended = false;
  #pending: Pending | null = null;
  readonly #bodies: BodyMemory;
  #schema: { readonly header: Uint8Array; readonly schema: Schema } | null = null;
  #dictionaries: DictionaryLengths | null = null;
  #rows = 0;
  #batches = 0;
  #hasBatchMetadata = false;

  constructor(source: SyncByteSource, options: StreamCheckOptions = {}) {
    this.#source = source;
    this.#bodyBytesMax = options.bodyBytesMax ?? bodyBytesMaxDefault;
    this.#unpackedBytesMax = options.unpackedBytesMax ?? unpackedBytesMaxDefault;
    this.#bodies = options.bodyMemory ?? new BodyMemory();
    this.#observe = options.observe ?? null;
  }

  /** As soon as its message has been checked. */
  get schema(): { readonly header: Uint8Array; readonly schema: Schema } | null {
    return this.#schema;
  }

  /**
   * Checks every message that is whole within the first `bytesAvailable` bytes. It stops behind a message if `isOver` says that its turn
   * is over, and answers false then: a few compressed bytes may be a second of work.
   */
  advance(bytesAvailable: number, isOver: () => boolean = () => false): boolean {
    while (!this.#ended) {
      this.#pending ??= this.#open(bytesAvailable);
      if (this.#pending === null) break;
      const { position, headerBytes, message } = this.#pending;
      const bodyPosition = position + prefixBytes + headerBytes;
      if (bodyPosition + message.bodyBytes > bytesAvailable) return true;
      try {
        this.#take(this.#pending, this.#read(this.#bodies.take(message.bodyBytes), bodyPosition, true));
      } catch (thrown) {
        throw at(this.#place(position), thrown);
      }
      this.#pending = null;
      this.#position = bodyPosition + message.bodyBytes;
      this.#number++;
      if (isOver()) return false;
    }
    if (this.#ended && bytesAvailable > this.#position)
      throw new MalformedArrow(
        `there are bytes after the end-of-stream marker, from byte ${this.#position} on`,
      );
    return true;
  }

  /** The stream has exactly this many bytes. */
  finish(bytesTotal: number): StreamReport {
    this.advance(bytesTotal);
    if (!this.#ended) {
      if (this.#position === bytesTotal)
        throw new MalformedArrow(
          bytesTotal === 0
            ? 'the stream is empty'
            : `the stream ends at byte ${bytesTotal} without its end-of-stream marker`,
        );
      throw new MalformedArrow(
        `the stream is cut at byte ${bytesTotal}, inside ${this.#place(this.#position)}`,
      );
    }
    if (this.#schema === null) throw new MalformedArrow('the stream ends without a schema');
    return {
      schemaHeader: this.#schema.header,
      schema: this.#schema.schema,
      rows: this.#rows,
      batches: this.#batches,
      hasBatchMetadata: this.#hasBatchMetadata,
      compressions: [...this.#compressions],
    };
  }

  /** The next message's header, or null if it is not there yet. */
  #open(bytesAvailable: number): Pending | null {
    const position = this.#position;
    if (position + prefixBytes > bytesAvailable) return null;
    try {
      const prefix = this.#read(new Uint8Array(prefixBytes), position, false);
      const headerBytes = headerBytesOf(new DataView(prefix.buffer), 0);
      if (headerBytes === 0) {
        this.#observe?.(prefix);
        this.#position += prefixBytes;
        this.#ended = true;
        return null;
      }
      if (position + prefixBytes + headerBytes > bytesAvailable) return null;
      this.#observe?.(prefix);
      const header = this.#read(new Uint8Array(headerBytes), position + prefixBytes, true);
      const message = parseMessage(header);
      if (message.bodyBytes > this.#bodyBytesMax)
        throw new MalformedArrow(
          `a body of ${message.bodyBytes} bytes; at most ${this.#bodyBytesMax} are accepted. Send smaller batches`,
        );
      return { position, headerBytes, header, message };
    } catch (thrown) {
      throw at(this.#place(position), thrown);
    }
  }

  #take({ header, message }: Pending, body: Uint8Array): void {
    if (message.kind === 'schema') {
      if (this.#schema !== null) throw new MalformedArrow('a second schema');
      this.#schema = { header, schema: message.schema };
      this.#dictionaries = new DictionaryLengths(message.schema);
      return;
    }
    if (this.#schema === null || this.#dictionaries === null)
      throw new MalformedArrow('the stream does not begin with a schema');
    this.#compressions.add(message.batch.compression);
    this.#hasBatchMetadata ||= message.metadata.length > 0;
    const options = { unpackedBytesMax: this.#unpackedBytesMax };
    if (message.kind === 'dictionary') {
      this.#dictionaries.add(message, (field, known) => {
        const values = readBatch([field], message.batch, body, known, options).columns[0] as ArrayData;
        checkArray(values);
        checkNulls(values);
        return values;
      });
      return;
    }
    const known = this.#dictionaries.forBatch();
    const batch = readBatch(this.#schema.schema.fields, message.batch, body, known, options);
    for (const column of batch.columns) {
      checkArray(column);
      checkNulls(column);
    }
    this.#rows += batch.length;
    this.#batches++;
  }

  #read(target: Uint8Array, position: number, observed: boolean): Uint8Array {
    let filled = 0;
    while (filled < target.length) {
      const piece = target.subarray(filled, filled + pieceBytes);
      const count = this.#source.readSync(piece, position + filled);
      if (count === 0) throw new MalformedArrow(`the stream is cut at byte ${position + filled}`);
      if (observed) this.#observe?.(piece.subarray(0, count));
      filled += count;
    }
    return target;
  }

  #place(position: number): string {
    return `message ${this.#number} at byte ${position}`;
  }
}
