import { constants } from 'node:http2';
import { Metadata, type ServerInterceptingCallInterface } from '@grpc/grpc-js';
import { FrameholdError } from '../../model/errors.ts';
import type { ClientCertificate } from '../../ports/authenticator.ts';
import { clientCertificateOf } from '../../sockets/client-certificate.ts';
import { byteLength } from '../byte-cursor.ts';
import type { Chunks, CutMessage, Incoming, Outgoing } from '../call.ts';
import type { GrpcMessage } from '../grpc-message.ts';
import type { TransportCall } from '../run-call.ts';
import type { CallStatus } from '../status.ts';
import { type CallInternals, openCallInternals } from './internals.ts';
import { ChunkedMessage, RefusedMessage } from './message-decoder.ts';
import type { MessageInflater } from './message-inflater.ts';
import { CallMemory, type MessageMemory } from './message-memory.ts';

export interface GrpcCallOptions {
  readonly messageBytesMax: number;
  readonly memory: MessageMemory;
  readonly inflater: MessageInflater;
  /** A client that neither sends, takes nor ends anything for this long loses its call. */
  readonly callIdleMs: number;
}

/** Long enough for a packet that directly follows another. */
const confirmMs = 50;
/** nghttp2 puts at most this much into a DATA frame, whatever a client allows. */
const dataFrameBytesMax = 16_384;

interface Waiting<T> {
  resolve(value: T): void;
  reject(error: Error): void;
}

/**
 * A call of grpc-js, taken over below its streams: one message is read when one is asked for, and a send is done when the
 * socket has the bytes. (grpc-js's own streams hold sixteen messages each way, whatever their size.)
 */
export class GrpcCall implements TransportCall, Outgoing<GrpcMessage> {
  readonly #call: ServerInterceptingCallInterface;
  readonly #internals: CallInternals;
  readonly #idleMs: number;
  readonly #memory: CallMemory;
  readonly #abort = new AbortController();
  readonly #onStart: (call: GrpcCall) => void;
  /** In the order in which they were written. */
  readonly #sends = new Set<Waiting<void> & { readonly promise: Promise<void> }>();
  #metadata = new Metadata();
  #read: Waiting<Chunks | null> | null = null;
  #idleTimer: NodeJS.Timeout | undefined;
  #movedAt = 0;
  #bytes = 0;
  /** Of the message that the verb has; free when it asks for the next one. */
  #heldBytes = 0;
  #ended = false;
  #stalled = false;

  constructor(
    call: ServerInterceptingCallInterface,
    options: GrpcCallOptions,
    onStart: (call: GrpcCall) => void,
  ) {
    this.#call = call;
    this.#memory = new CallMemory(options.memory);
    this.#internals = openCallInternals(call, { ...options, memory: this.#memory });
    this.#idleMs = options.callIdleMs;
    this.#onStart = onStart;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get remote(): string {
    return this.#call.getPeer();
  }

  get certificate(): ClientCertificate | null {
    const socket = this.#internals.stream?.session?.socket;
    return socket === undefined ? null : clientCertificateOf(socket);
  }

  get bytes(): number {
    return this.#bytes;
  }

  get outgoing(): Outgoing<GrpcMessage> {
    return this;
  }

  readonly incoming: Incoming<Chunks> = {
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        const message = await this.#nextMessage();
        return message === null ? { done: true, value: undefined } : { done: false, value: message };
      },
    }),
  };

  header(name: string): string | undefined {
    const value = this.#metadata.get(name)[0];
    return typeof value === 'string' ? value : undefined;
  }

  answerHeader(name: string, value: string): void {
    const metadata = new Metadata();
    metadata.set(name, value);
    this.#call.sendMetadata(metadata);
  }

  /** Frames of one connection arrive in order: what the client sent before it answers a ping is here when the answer is. */
  async confirmEnd(): Promise<void> {
    const session = this.#internals.stream?.session;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#abort.signal.addEventListener('abort', () => reject(this.#abort.signal.reason), { once: true });
    if (session === undefined || session.destroyed) resolve();
    // Too many pings at once are refused, and so are those of a closing connection: then a moment must do.
    else session.ping((error) => (error === null ? setImmediate(resolve) : setTimeout(resolve, confirmMs)));
    await promise;
    this.#abort.signal.throwIfAborted();
  }

  /** Begins: grpc-js gives the metadata at once. */
  start(): void {
    this.#call.start({
      onReceiveMetadata: (metadata) => {
        this.#metadata = metadata;
        this.#idleTimer = setTimeout(() => this.#checkIdle(), this.#idleMs).unref();
        this.#onStart(this);
      },
      onReceiveMessage: (message) => this.#onMessage(message),
      onReceiveHalfClose: () => this.#onHalfClose(),
      // grpc-js reports this after every call, also one that ended well.
      onCancel: () => this.stop(new FrameholdError('cancelled', 'The caller disconnected.')),
    });
  }

  send(message: GrpcMessage): Promise<void> {
    if (this.#abort.signal.aborted) return Promise.reject(this.#abort.signal.reason);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting = { promise, resolve, reject };
    this.#sends.add(waiting);
    this.#movedAt = performance.now();
    // grpc-js forgets the callback when the call has been cancelled: `stop` settles it then.
    this.#call.sendMessage(message, () => {
      this.#bytes += message.length;
      this.#sends.delete(waiting);
      this.#movedAt = performance.now();
      resolve();
    });
    return promise;
  }

  /**
   * What is larger than one DATA frame is cut by HTTP/2. Of anything smaller the second part is written when the first is on its way: what
   * waits in the stream goes out together, in one DATA frame, as soon as the write before it is done.
   */
  sendCut(message: GrpcMessage, at: number): CutMessage {
    const isCut = message.length > dataFrameBytesMax || at === message.length;
    if (isCut || !this.#internals.sendsDirectly) {
      const sent = this.send(message);
      return { begun: sent, sent };
    }
    const [before] = this.#sends;
    this.send(message.subarray(0, at)).catch(() => {});
    if (before === undefined) return { begun: Promise.resolve(), sent: this.send(message.subarray(at)) };
    const sent = Promise.withResolvers<void>();
    const begun = before.promise.then(() => {
      this.send(message.subarray(at)).then(sent.resolve, sent.reject);
    });
    begun.catch(sent.reject);
    return { begun, sent: sent.promise };
  }

  sendPieces(head: GrpcMessage, body: Uint8Array): Promise<void> {
    if (!this.#internals.sendsDirectly) return this.send(Buffer.concat([head, body]));
    this.send(head).catch(() => {});
    return this.send(Buffer.from(body.buffer, body.byteOffset, body.byteLength));
  }

  /** Ends the call towards the client, and with it every wait. */
  end(status: CallStatus): void {
    this.#ended = true;
    this.#memory.end();
    clearTimeout(this.#idleTimer);
    const metadata = new Metadata();
    for (const [key, value] of Object.entries(status.metadata)) metadata.set(key, value);
    this.#call.sendStatus({ code: status.code, details: status.message, metadata });
    // A client that takes nothing would not take this either, and what waits for it would be held for ever.
    if (this.#stalled) this.#internals.stream?.close(constants.NGHTTP2_CANCEL);
  }

  /** Ends the verb: its signal aborts and its waits reject. */
  stop(reason: FrameholdError): void {
    if (this.#ended || this.#abort.signal.aborted) return;
    clearTimeout(this.#idleTimer);
    this.#abort.abort(reason);
    this.#read?.reject(reason);
    this.#read = null;
    for (const waiting of this.#sends) waiting.reject(reason);
    this.#sends.clear();
  }

  #nextMessage(): Promise<Chunks | null> {
    if (this.#abort.signal.aborted) return Promise.reject(this.#abort.signal.reason);
    const { promise, resolve, reject } = Promise.withResolvers<Chunks | null>();
    this.#memory.give(this.#heldBytes);
    this.#heldBytes = 0;
    this.#read = { resolve, reject };
    this.#movedAt = performance.now();
    this.#call.startRead();
    return promise;
  }

  #onMessage(message: unknown): void {
    if (message instanceof RefusedMessage) {
      this.#settleRead((read) => read.reject(message.error));
      return;
    }
    const chunks: Chunks = message instanceof ChunkedMessage ? message.chunks : [message as Buffer];
    const bytes = byteLength(chunks);
    this.#bytes += bytes;
    // grpc-js's own decoder does not count.
    if (this.#internals.decoder !== null) this.#heldBytes = bytes;
    this.#settleRead((read) => read.resolve(chunks));
  }

  #onHalfClose(): void {
    // HTTP/2 also ends a stream that the client has reset: that is not the end of what it had to say.
    const stream = this.#internals.stream;
    if (stream !== null && (stream.closed || stream.aborted || stream.destroyed))
      this.stop(new FrameholdError('cancelled', 'The caller disconnected.'));
    else if (this.#internals.decoder?.midMessage === true) {
      const error = new FrameholdError('bad_body', 'The stream ended in the middle of a message.');
      this.#settleRead((read) => read.reject(error));
    } else this.#settleRead((read) => read.resolve(null));
  }

  #settleRead(settle: (read: Waiting<Chunks | null>) => void): void {
    const read = this.#read;
    this.#read = null;
    this.#movedAt = performance.now();
    if (read !== null) settle(read);
  }

  /** While the verb waits for the client, the client must move. Looked at once in every idle time, so the bound is met within its double. */
  #checkIdle(): void {
    const waiting = this.#read !== null || this.#sends.size > 0;
    if (waiting && performance.now() - this.#movedAt >= this.#idleMs) {
      const seconds = this.#idleMs / 1000;
      this.#stalled = this.#sends.size > 0;
      this.stop(new FrameholdError('request_timeout', `Nothing came or went for ${seconds} seconds.`));
    } else this.#idleTimer?.refresh();
  }
}
