import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { ProxyReceiver } from '../../frames/proxy/upstream-proxy.ts';
import type { FrameholdError } from '../../model/errors.ts';
import type { UpstreamFlow } from '../../ports/upstream.ts';
import { onCut } from '../request/cut-request.ts';
import { beginAnswer } from './answer-time.ts';

/** Up to this, making one text of head and body is quicker than giving both to the system in pieces. */
const oneWriteBytesMax = 8 * 1024;

/**
 * Passes the database's answer through: status, content type and bytes as they are. A caller who reads nothing of it for `idleMs` loses the
 * connection, and the database's is free for others. Resolves when the answer is complete, was cut off, or the caller has left; rejects only
 * before the head has gone out.
 */
export function proxyAnswer(
  forward: (receiver: ProxyReceiver) => () => void,
  reply: FastifyReply,
  idleMs: number,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const answer = new ProxiedAnswer(reply, idleMs, resolve, reject);
    const cancel = forward(answer);
    // Then there will be no event.
    if (answer.hasLeft) answer.leave();
    reply.raw.on('close', () => {
      if (answer.isOver) return;
      answer.leave();
      cancel();
    });
    onCut(reply.raw, (reason) => {
      if (answer.isOver) return;
      answer.failed(reason);
      cancel();
    });
  });
}

class ProxiedAnswer implements ProxyReceiver {
  isOver = false;
  readonly #reply: FastifyReply;
  readonly #raw: ServerResponse;
  readonly #idleMs: number;
  readonly #resolve: () => void;
  readonly #reject: (error: Error) => void;
  #flow: UpstreamFlow | null = null;
  /** The first piece, until the end of this tick: a small answer comes at once, and goes out with its head in one write. */
  #held: Uint8Array | null = null;
  #hasWritten = false;
  #untaken: NodeJS.Timeout | undefined;
  #hearsDrain = false;

  constructor(reply: FastifyReply, idleMs: number, resolve: () => void, reject: (error: Error) => void) {
    this.#reply = reply;
    this.#raw = reply.raw;
    this.#idleMs = idleMs;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  get hasLeft(): boolean {
    return this.#raw.destroyed;
  }

  head(status: number, contentType: string | undefined, flow: UpstreamFlow): void {
    this.#flow = flow;
    this.#reply.hijack();
    beginAnswer(this.#reply);
    const headers = this.#reply.getHeaders() as OutgoingHttpHeaders;
    if (contentType !== undefined) headers['content-type'] = contentType;
    this.#raw.writeHead(status, headers);
  }

  data(chunk: Uint8Array): void {
    // After a pause an empty piece comes first. As a chunk it would be the end.
    if (chunk.length === 0) return;
    if (this.#hasWritten || this.#held !== null || chunk.length > oneWriteBytesMax) {
      this.#writeHeld();
      this.#write(chunk);
    } else {
      this.#held = chunk;
      process.nextTick(() => this.#writeHeld());
    }
  }

  end(): void {
    this.leave();
    const held = this.#held;
    this.#held = null;
    if (held === null) this.#raw.end();
    else endWith(this.#raw, held);
  }

  failed(error: FrameholdError): void {
    if (this.#flow === null) {
      this.isOver = true;
      this.#reject(error);
      return;
    }
    this.#writeHeld();
    this.leave();
    // Without the last chunk the caller's client sees that the body was cut.
    this.#raw.destroy(error);
  }

  /** Nothing more comes, or nobody is there to take it. */
  leave(): void {
    this.isOver = true;
    this.#taken();
    this.#resolve();
  }

  #writeHeld(): void {
    const held = this.#held;
    this.#held = null;
    if (held !== null && !this.isOver) this.#write(held);
  }

  #write(chunk: Uint8Array): void {
    this.#hasWritten = true;
    if (!this.#raw.write(chunk)) this.#wait();
  }

  #wait(): void {
    this.#flow?.pause();
    this.#untaken ??= setTimeout(() => this.#raw.destroy(), this.#idleMs);
    if (this.#hearsDrain) return;
    this.#hearsDrain = true;
    this.#raw.on('drain', () => {
      this.#taken();
      this.#flow?.resume();
    });
  }

  #taken(): void {
    clearTimeout(this.#untaken);
    this.#untaken = undefined;
  }
}

/** The same bytes as `raw.end(chunk)`, which gives the system five pieces if the body is sent in chunks. */
function endWith(raw: ServerResponse, chunk: Uint8Array): void {
  if (!raw.chunkedEncoding) {
    raw.end(chunk);
    return;
  }
  const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1');
  // The head has been made, and says that chunks follow.
  raw.chunkedEncoding = false;
  raw.end(`${chunk.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`, 'latin1');
}
