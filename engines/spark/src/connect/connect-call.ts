import { type Channel, type Metadata, type StatusObject, status } from '@grpc/grpc-js';

/** Spark's own limit of a message. A batch is as large only if single rows are; the engine asks for far smaller ones. */
export const messageBytesMax = 128 * 1024 * 1024;

type GrpcCall = ReturnType<Channel['createCall']>;

/** A call that ended with another status than OK. */
export class GrpcFailure extends Error {
  readonly code: number;
  /** The server's own words. */
  readonly details: string;
  readonly metadata: Metadata;

  constructor({ code, details, metadata }: StatusObject) {
    super(`${status[code] ?? code}: ${details}`);
    this.name = 'GrpcFailure';
    this.code = code;
    this.details = details;
    this.metadata = metadata;
  }
}

type Waiting = PromiseWithResolvers<Buffer | null>;

/**
 * A call of one request whose answers are read one at a time. grpc-js's own stream would hold sixteen messages for a reader that pauses; this
 * holds one, and one more while that is read. The rest waits in the windows of HTTP/2 and then at the server.
 */
export class ConnectCall {
  readonly #call: GrpcCall;
  #ready: Buffer | null = null;
  #end: StatusObject | null = null;
  #waiting: Waiting | null = null;

  constructor(call: GrpcCall, metadata: Metadata, request: Buffer) {
    this.#call = call;
    call.start(metadata, {
      onReceiveMetadata: () => {},
      onReceiveMessage: (message: Buffer) => this.#onMessage(message),
      onReceiveStatus: (end) => this.#onEnd(end),
    });
    call.sendMessageWithContext({}, request);
    call.halfClose();
    call.startRead();
  }

  /** The next message; null after the last one of a call that ended well. GrpcFailure otherwise. One at a time. */
  next(): Promise<Buffer | null> {
    if (this.#waiting !== null) throw new Error('the next message is awaited already');
    const message = this.#ready;
    if (message !== null) {
      this.#ready = null;
      if (this.#end === null) this.#call.startRead();
      return Promise.resolve(message);
    }
    if (this.#end !== null) return ended(this.#end);
    this.#waiting = Promise.withResolvers();
    return this.#waiting.promise;
  }

  /** Tells the server that nobody reads any more. What it does then is its own affair: Spark goes on with the statement. */
  cancel(): void {
    if (this.#end === null) this.#call.cancelWithStatus(status.CANCELLED, 'cancelled by Framehold');
    this.#ready = null;
  }

  /** Cancels it; what has already come is not lost. */
  detach(): Buffer | null {
    const message = this.#ready;
    this.cancel();
    return message;
  }

  #onMessage(message: Buffer): void {
    const waiting = this.#waiting;
    if (waiting === null) {
      this.#ready = message;
      return;
    }
    this.#waiting = null;
    this.#call.startRead();
    waiting.resolve(message);
  }

  #onEnd(end: StatusObject): void {
    if (this.#end !== null) return;
    this.#end = end;
    const waiting = this.#waiting;
    this.#waiting = null;
    if (waiting !== null) ended(end).then(waiting.resolve, waiting.reject);
  }
}

function ended(end: StatusObject): Promise<null> {
  return end.code === status.OK ? Promise.resolve(null) : Promise.reject(new GrpcFailure(end));
}
