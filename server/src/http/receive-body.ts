import { type Readable, Transform } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { FrameholdError } from '../frames/errors.ts';
import { createDecoder } from './content-coding.ts';

export interface BodyLimits {
  readonly bodyBytesMax: number;
  readonly bodyIdleMs: number;
  readonly bodyRateMin: number;
  /** What to do about a larger body. */
  readonly tooLargeHint?: string;
}

/** Where the bytes of a body go. */
export interface BodySink {
  write(chunks: readonly Uint8Array[]): Promise<void>;
  /** The bytes as they came, where the body has a coding. */
  sent(chunks: readonly Uint8Array[]): Promise<void>;
}

/** Refuses by what the headers say, before anything is begun. */
export function checkBodyHeaders(request: FastifyRequest, limits: BodyLimits): void {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > limits.bodyBytesMax) throw tooLarge(limits);
  createDecoder(request.headers['content-encoding'])?.destroy();
}

/** Feeds the request's body, decoded, to the sink; counts what comes out of the decoder, which is what has to be stored. */
export async function receiveBody(
  request: FastifyRequest,
  reply: FastifyReply,
  sink: BodySink,
  limits: BodyLimits,
  keepSent: boolean,
): Promise<void> {
  if (request.headers.expect !== undefined) reply.raw.writeContinue();
  const decoder = createDecoder(request.headers['content-encoding']);
  // A refusal must still reach the caller: leaving the loop early may not destroy the socket.
  const chunks: AsyncIterator<Uint8Array, unknown> =
    decoder === null
      ? request.raw.iterator({ destroyOnReturn: false })
      : decoded(request.raw, decoder, keepSent ? (chunk) => sink.sent([chunk]) : null);
  let bytes = 0;
  const idle = new IdleTimer(limits.bodyIdleMs);
  const pace = new Pace(limits);
  try {
    for (;;) {
      pace.waits();
      const step = await idle.race(chunks.next());
      if (step.done) return;
      bytes += step.value.byteLength;
      pace.came(step.value.byteLength);
      if (bytes > limits.bodyBytesMax) throw tooLarge(limits);
      await sink.write([step.value]);
    }
  } catch (error) {
    // Not awaited: it would wait for the very chunk that does not come.
    chunks.return?.().catch(() => {});
    // A body that was read to its end is destroyed too, but complete. One that came whole may be cut off before it was read to its end.
    const left = request.raw.destroyed && (!request.raw.complete || isReset(error));
    throw left ? new FrameholdError('cancelled', 'The caller went away.', { cause: error }) : error;
  } finally {
    idle.stop();
  }
}

function isReset(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ECONNRESET';
}

/**
 * Only the wait for the caller is bounded; while the disk is slower than the caller, nobody waits for the caller. One timer for the
 * whole body: a body comes in pieces of 64 KB, and a timer and a race for each cost more than receiving it.
 */
class IdleTimer {
  readonly #timer: NodeJS.Timeout;
  readonly #idleMs: number;
  #expire: ((error: FrameholdError) => void) | null = null;

  constructor(idleMs: number) {
    this.#idleMs = idleMs;
    this.#timer = setTimeout(() => this.#expired(), idleMs);
  }

  race<Value>(next: Promise<Value>): Promise<Value> {
    this.#timer.refresh();
    return new Promise<Value>((resolve, reject) => {
      this.#expire = reject;
      const waited = () => {
        this.#expire = null;
      };
      next.then(
        (value) => {
          waited();
          resolve(value);
        },
        (error: unknown) => {
          waited();
          reject(error);
        },
      );
    });
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #expired(): void {
    if (this.#expire === null) this.#timer.refresh();
    else this.#expire(pausedTooLong(this.#idleMs));
  }
}

/**
 * A byte now and then keeps the idle timer quiet for ever, and the put with it. So the time spent waiting for the caller is added up, and
 * each time it has come to the idle time, enough must have come in it.
 */
class Pace {
  readonly #windowMs: number;
  readonly #bytesPerSecond: number;
  #since = 0;
  #waitedMs = 0;
  #bytes = 0;

  constructor({ bodyIdleMs, bodyRateMin }: BodyLimits) {
    this.#windowMs = bodyIdleMs;
    this.#bytesPerSecond = bodyRateMin;
  }

  waits(): void {
    this.#since = performance.now();
  }

  came(bytes: number): void {
    this.#waitedMs += performance.now() - this.#since;
    this.#bytes += bytes;
    if (this.#waitedMs < this.#windowMs) return;
    if (this.#bytes < (this.#bytesPerSecond * this.#waitedMs) / 1_000) throw tooSlow(this.#bytesPerSecond);
    this.#waitedMs = 0;
    this.#bytes = 0;
  }
}

async function* decoded(
  raw: Readable,
  decoder: Transform,
  keep: ((chunk: Uint8Array) => Promise<void>) | null,
): AsyncGenerator<Uint8Array, void, void> {
  let sourceError: unknown = null;
  const fail = (error: unknown) => {
    sourceError = error;
    decoder.destroy();
  };
  raw.on('error', fail);
  // The caller went away before anyone listened: nothing would ever come.
  if (raw.destroyed && !raw.readableEnded) {
    decoder.destroy();
    throw new DOMException('The caller went away.', 'AbortError');
  }
  if (keep === null) raw.pipe(decoder);
  else raw.pipe(keeping(keep).on('error', fail)).pipe(decoder);
  try {
    yield* decoder;
  } catch (cause) {
    throw (
      sourceError ??
      new FrameholdError(
        'bad_body',
        `The body is not what its Content-Encoding says: ${(cause as Error).message}.`,
        { cause },
      )
    );
  } finally {
    raw.unpipe();
    decoder.destroy();
  }
}

/** Hands each chunk on only after it was kept: the disk holds the sender back. */
function keeping(keep: (chunk: Uint8Array) => Promise<void>): Transform {
  return new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      keep(chunk).then(() => done(null, chunk), done);
    },
  });
}

function tooLarge({ bodyBytesMax, tooLargeHint }: BodyLimits): FrameholdError {
  return new FrameholdError('body_too_large', `The body is larger than ${bodyBytesMax} bytes.`, {
    hint: tooLargeHint ?? 'Put the frame in several appends, or raise http.body_bytes_max.',
  });
}

function tooSlow(bytesPerSecond: number): FrameholdError {
  return new FrameholdError(
    'request_timeout',
    `The body came with less than ${bytesPerSecond} bytes a second.`,
    {
      hint: 'Send it faster, or lower http.body_rate_min.',
    },
  );
}

function pausedTooLong(idleMs: number): FrameholdError {
  return new FrameholdError('request_timeout', `No byte of the body came for ${idleMs} ms.`, {
    hint: 'Send the body without such pauses.',
  });
}
