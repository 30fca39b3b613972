import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Transform } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { FrameholdError } from '../../model/errors.ts';
import { countPassing } from '../../sockets/passing-bytes.ts';
import { beginAnswer } from './answer-time.ts';

export interface StreamedAnswer {
  /** Default: 200. */
  readonly status?: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly chunks: AsyncIterable<Uint8Array>;
  /** How long the caller may read nothing of it. */
  readonly idleMs: number;
  /** Compresses the chunks on their way out. */
  readonly encoder: Transform | null;
  /** Called with the whole body if it is at most this many bytes. */
  readonly keep: { readonly bytesMax: number; readonly whole: (body: Buffer) => void } | null;
  /**
   * Gives back what the answer holds. Called before its last byte goes out, so that a caller who has the whole answer finds its slot free. Whoever
   * calls `sendStream` calls it in any case, and gets its failure: calling it again does nothing.
   */
  readonly release: () => void | Promise<void>;
}

/**
 * Sends an answer as it is made. The first chunk is waited for before the head goes out, so that a failure until then
 * still becomes an error answer; a later one destroys the socket, because a cut body must never look complete.
 */
export async function sendStream(
  reply: FastifyReply,
  answer: StreamedAnswer,
  signal: AbortSignal,
): Promise<void> {
  const iterator = answer.chunks[Symbol.asyncIterator]();
  const first = await iterator.next();
  if (reply.request.method === 'HEAD') {
    await iterator.return?.();
    await givenBack(answer);
    // Sent by hand: Fastify would declare a body of no bytes, and clients would believe it.
    reply.hijack();
    reply.raw.writeHead(200, { ...collectHeaders(reply), ...answer.headers }).end();
    return;
  }
  reply.hijack();
  const { raw } = reply;
  const sink = new AnswerSink(raw, answer);
  try {
    raw.writeHead(answer.status ?? 200, { ...collectHeaders(reply), ...answer.headers });
    let left = Number(answer.headers['content-length'] ?? Number.POSITIVE_INFINITY);
    for (let step = first; !step.done; ) {
      const { value } = step;
      left -= value.length;
      // The caller sees by the length that it has everything. Chunks of such an answer are not used again.
      const isLast = left === 0;
      if (isLast) {
        step = await iterator.next();
        await givenBack(answer);
      }
      await sink.write(value);
      countPassing(value.length);
      if (!isLast) step = await iterator.next();
    }
    await sink.end();
  } catch (error) {
    await iterator.return?.().catch(() => {});
    answer.encoder?.destroy();
    raw.destroy();
    if (!signal.aborted) throw error;
  }
}

async function givenBack({ release }: StreamedAnswer): Promise<void> {
  try {
    await release();
  } catch {
    // The body is whole and right all the same.
  }
}

/** The headers set so far, for answers whose head is written by hand, now. */
export function collectHeaders(reply: FastifyReply): Record<string, string> {
  beginAnswer(reply);
  return Object.fromEntries(Object.entries(reply.getHeaders()).map(([name, value]) => [name, String(value)]));
}

/** Where chunks go: through the encoder if there is one, to the socket, and aside for the cache. */
class AnswerSink {
  readonly #raw: ServerResponse;
  readonly #encoder: Transform | null;
  readonly #idleMs: number;
  readonly #answer: StreamedAnswer;
  readonly #forwarding: Promise<void> | null;
  #kept: Uint8Array[] | null = [];
  #keptBytes = 0;

  constructor(raw: ServerResponse, answer: StreamedAnswer) {
    this.#raw = raw;
    this.#encoder = answer.encoder;
    this.#idleMs = answer.idleMs;
    this.#answer = answer;
    this.#forwarding = answer.encoder === null ? null : this.#forward(answer.encoder);
    this.#forwarding?.catch(() => {});
  }

  async write(chunk: Uint8Array): Promise<void> {
    if (this.#encoder === null) return this.#send(chunk);
    if (!this.#encoder.write(chunk)) await Promise.race([once(this.#encoder, 'drain'), this.#forwarding]);
  }

  async end(): Promise<void> {
    this.#encoder?.end();
    await this.#forwarding;
    await givenBack(this.#answer);
    this.#raw.end();
    if (this.#kept !== null) this.#answer.keep?.whole(Buffer.concat(this.#kept));
  }

  async #forward(encoder: Transform): Promise<void> {
    for await (const chunk of encoder) await this.#send(chunk as Uint8Array);
  }

  async #send(chunk: Uint8Array): Promise<void> {
    if (this.#raw.destroyed) throw new DOMException('The caller disconnected.', 'AbortError');
    this.#remember(chunk);
    if (!this.#raw.write(chunk)) await drained(this.#raw, this.#idleMs);
  }

  #remember(chunk: Uint8Array): void {
    const { keep } = this.#answer;
    if (keep === null || this.#kept === null) return;
    this.#keptBytes += chunk.byteLength;
    if (this.#keptBytes > keep.bytesMax) this.#kept = null;
    // A copy: the memory of a chunk may be used again once it is written.
    else this.#kept.push(Uint8Array.from(chunk));
  }
}

/** Resolves when the caller has taken what was written; rejects if it leaves, or takes nothing for so long. */
export function drained(raw: ServerResponse, idleMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      raw.off('close', onClose);
      raw.off('drain', onDrain);
    };
    const timer = setTimeout(() => {
      end();
      reject(new FrameholdError('request_timeout', `The caller read nothing for ${idleMs} ms.`));
    }, idleMs);
    const onDrain = () => {
      end();
      resolve();
    };
    const onClose = () => {
      end();
      reject(new DOMException('The caller disconnected.', 'AbortError'));
    };
    raw.once('drain', onDrain);
    raw.once('close', onClose);
  });
}
