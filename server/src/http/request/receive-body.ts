import type { FastifyReply, FastifyRequest } from 'fastify';
import { FrameholdError } from '../../model/errors.ts';
import { countPassing } from '../../sockets/passing-bytes.ts';
import { onCut } from './cut-request.ts';
import { createDecoder, DecodedBody } from './decoded-body.ts';

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
  /** The bytes as they came, if the body has a coding and they are wanted. */
  sent?(chunks: readonly Uint8Array[]): Promise<void>;
}

/** Refuses early, by the headers alone. */
export function checkBodyHeaders(request: FastifyRequest, limits: BodyLimits): void {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > limits.bodyBytesMax) throw tooLarge(limits);
  createDecoder(request.headers['content-encoding'])?.destroy();
}

/** A body that is being read; `stop` may be called at any time, and again. */
interface BodyChunks {
  next(): Promise<IteratorResult<Uint8Array, unknown>>;
  stop(): void;
}

/**
 * Feeds the request's body, decoded, to the sink. Both the received and the decoded bytes are limited: either may have to be
 * stored. The sink gets nothing after this has ended.
 */
export async function receiveBody(
  request: FastifyRequest,
  reply: FastifyReply,
  sink: BodySink,
  limits: BodyLimits,
  keepSent: boolean,
): Promise<void> {
  if (request.headers.expect !== undefined && request.raw.httpVersion === '1.1') reply.raw.writeContinue();
  const chunks = chunksOf(request, limits, keepSent ? sink : null);
  const count = counter(limits);
  const idle = new IdleTimer(limits.bodyIdleMs);
  const pace = new Pace(limits);
  onCut(reply.raw, (reason) => idle.end(reason));
  try {
    for (;;) {
      pace.waits();
      const step = await idle.race(chunks.next());
      if (step.done) return;
      pace.came(step.value.byteLength);
      count(step.value);
      countPassing(step.value.byteLength);
      await sink.write([step.value]);
    }
  } catch (error) {
    // A body that was read to its end is destroyed too, but complete. One that came whole may be cut off before it was read to its end.
    const left = request.raw.destroyed && (!request.raw.complete || isReset(error));
    throw left ? new FrameholdError('cancelled', 'The caller disconnected.', { cause: error }) : error;
  } finally {
    chunks.stop();
    idle.stop();
  }
}

function chunksOf({ headers, raw }: FastifyRequest, limits: BodyLimits, keep: BodySink | null): BodyChunks {
  const decoder = createDecoder(headers['content-encoding']);
  if (decoder === null) return plainChunks(raw);
  const count = counter(limits);
  return new DecodedBody(raw, decoder, async (chunk) => {
    count(chunk);
    await keep?.sent?.([chunk]);
  });
}

function plainChunks(raw: FastifyRequest['raw']): BodyChunks {
  // A refusal must still reach the caller: leaving the loop early may not destroy the socket.
  const iterator: AsyncIterator<Uint8Array, unknown> = raw.iterator({ destroyOnReturn: false });
  return {
    next: () => iterator.next(),
    // Not awaited: it would wait for the very chunk that does not come.
    stop: () => void iterator.return?.().catch(() => {}),
  };
}

/** Throws body_too_large for the chunk that makes it too many. */
function counter(limits: BodyLimits): (chunk: Uint8Array) => void {
  let bytes = 0;
  return ({ byteLength }) => {
    bytes += byteLength;
    if (bytes > limits.bodyBytesMax) throw tooLarge(limits);
  };
}

function isReset(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ECONNRESET';
}

/**
 * Only the wait for the caller is limited, not the wait for the disk. One timer for the
 * whole body: a body comes in pieces of 64 KB, and a timer and a race for each cost more than receiving it.
 */
class IdleTimer {
  readonly #timer: NodeJS.Timeout;
  readonly #idleMs: number;
  #expire: ((error: FrameholdError) => void) | null = null;
  #ended: FrameholdError | null = null;

  constructor(idleMs: number) {
    this.#idleMs = idleMs;
    this.#timer = setTimeout(() => this.#expired(), idleMs);
  }

  race<Value>(next: Promise<Value>): Promise<Value> {
    if (this.#ended !== null) return Promise.reject(this.#ended);
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

  /** Waits for nothing any more. */
  end(reason: FrameholdError): void {
    this.#ended = reason;
    this.#expire?.(reason);
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
 * A byte now and then would keep the idle timer quiet, and the put open, for ever. So the time spent waiting for the caller is added up, and
 * each time it reaches the idle time, enough bytes must have come in it.
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
    hint: 'Send the body without long pauses.',
  });
}
