import { type Readable, Transform } from 'node:stream';
import { constants, createGunzip, createZstdDecompress } from 'node:zlib';
import { FrameholdError } from '../../model/errors.ts';

/** Receives each chunk as it came, before it is decoded. If it throws, the body ends. */
export type ReceiveEncoded = (chunk: Uint8Array) => Promise<void>;

/** The decoded bytes of a body that has a content coding. */
export class DecodedBody {
  readonly #raw: Readable;
  readonly #decoder: Transform;
  readonly #sent: Transform;
  readonly #chunks: AsyncIterator<Uint8Array, void>;
  #sourceError: unknown = null;

  constructor(raw: Readable, decoder: Transform, take: ReceiveEncoded) {
    this.#raw = raw;
    this.#decoder = decoder;
    this.#sent = taking(take);
    this.#chunks = this.#decoded();
  }

  next(): Promise<IteratorResult<Uint8Array, void>> {
    return this.#chunks.next();
  }

  /**
   * Stops reading the request at once: ending the iterator would wait for the next chunk, and what the caller sends
   * meanwhile would still be read, for a sink that has ended.
   */
  stop(): void {
    this.#raw.unpipe(this.#sent);
    this.#sent.destroy();
    this.#decoder.destroy();
  }

  async *#decoded(): AsyncGenerator<Uint8Array, void, void> {
    const fail = (error: unknown) => {
      this.#sourceError = error;
      this.#decoder.destroy();
    };
    this.#raw.on('error', fail);
    // The caller disconnected before there was a listener: no event would ever come.
    if (this.#raw.destroyed && !this.#raw.readableEnded) {
      this.#decoder.destroy();
      throw new DOMException('The caller disconnected.', 'AbortError');
    }
    this.#raw.pipe(this.#sent.on('error', fail)).pipe(this.#decoder);
    try {
      yield* this.#decoder;
    } catch (cause) {
      throw (
        this.#sourceError ??
        new FrameholdError(
          'bad_body',
          `The body is not what its Content-Encoding says: ${(cause as Error).message}.`,
          {
            cause,
            hint: 'Check that the file is complete. If it is not compressed, omit Content-Encoding.',
          },
        )
      );
    }
  }
}

/** Passes each chunk on only after it was received, so that a slow disk slows the sender down. */
function taking(take: ReceiveEncoded): Transform {
  return new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      take(chunk).then(() => done(null, chunk), done);
    },
  });
}

/** A decoder holds a window of what it unpacked: 8 MiB, as RFC 9659 has it for HTTP. */
const windowLogMax = 23;

/** The decoder for an upload's Content-Encoding, or null if there is none. */
export function createDecoder(contentEncoding: string | undefined): Transform | null {
  const coding = (contentEncoding ?? 'identity').trim().toLowerCase();
  if (coding === 'identity' || coding === '') return null;
  if (coding === 'gzip' || coding === 'x-gzip') return createGunzip();
  if (coding === 'zstd')
    return createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: windowLogMax } });
  throw new FrameholdError(
    'unsupported_media_type',
    `Content-Encoding ${coding.slice(0, 40)} is not supported.`,
    { hint: 'Use gzip, zstd or none.' },
  );
}
