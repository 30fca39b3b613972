import {
  type ClientRequest,
  createServer,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { type BodyFaults, spoiled } from './s3-body-faults.ts';

/** A request as its proxy sees it. */
export interface SeenRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** Of the connection that it came over. */
  readonly clientPort: number;
}

/**
 * What becomes of a request. `refuse`: an answer 503 SlowDown, and the real server does not see it. `lose`: the real server does it, and the
 * connection is cut in place of its answer. `spoil`: the real server does not see it, and the answer is 200 with an error in its body. `deny`: the
 * answer is that the key does not exist, and the real server does not see it.
 */
export type Interference = 'pass' | 'refuse' | 'lose' | 'spoil' | 'deny';

const answers = {
  refuse: [503, 'SlowDown'],
  spoil: [200, 'InternalError'],
  deny: [404, 'NoSuchKey'],
} as const;

const errorBody = (code: string) =>
  `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`;

/** Before a real S3 server: what no server does when asked to. */
export class S3FaultProxy {
  readonly seen: SeenRequest[] = [];
  /** Decides about each request. */
  interfere: (seen: SeenRequest) => Interference = () => 'pass';
  #bodies: BodyFaults | null = null;
  #spoiled = 0;
  readonly #server = createServer((incoming, answer) => this.#handle(incoming, answer));
  readonly #target: URL;

  private constructor(target: string) {
    this.#target = new URL(target);
  }

  static async start(target: string): Promise<S3FaultProxy> {
    const proxy = new S3FaultProxy(target);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The next so many requests that match meet this, all others pass. */
  next(count: number, what: Interference, matches: (seen: SeenRequest) => boolean = () => true): void {
    let left = count;
    this.interfere = (seen) => {
      if (left === 0 || !matches(seen)) return 'pass';
      left -= 1;
      return what;
    };
  }

  /** From now on the bodies of so many answers to GET do not arrive as they were sent. What is in the bucket stays as it is. */
  spoilBodies(faults: BodyFaults): void {
    this.#bodies = faults;
  }

  /** Everything passes again. */
  heal(): void {
    this.#bodies = null;
    this.interfere = () => 'pass';
  }

  /** Bodies that did not arrive as they were sent. */
  get spoiledBodies(): number {
    return this.#spoiled;
  }

  /** Connections that are open. */
  connections(): Promise<number> {
    return new Promise((resolve, reject) =>
      this.#server.getConnections((error, count) => (error === null ? resolve(count) : reject(error))),
    );
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #handle(incoming: IncomingMessage, answer: ServerResponse): void {
    const { method = '', url = '', headers } = incoming;
    const seen = { method, path: url, headers, clientPort: incoming.socket.remotePort ?? 0 };
    this.seen.push(seen);
    const what = this.interfere(seen);
    if (what === 'pass' || what === 'lose') {
      this.#forward(incoming, seen, answer, what === 'lose');
      return;
    }
    incoming.resume();
    incoming.on('end', () => {
      const [status, code] = answers[what];
      answer.writeHead(status, { 'content-type': 'application/xml' }).end(errorBody(code));
    });
  }

  #forward(incoming: IncomingMessage, seen: SeenRequest, answer: ServerResponse, isLost: boolean): void {
    const { hostname, port } = this.#target;
    const { method, path, headers } = seen;
    const onward: ClientRequest = request({ hostname, port, method, path, headers }, (reply) => {
      if (isLost) {
        reply.resume();
        reply.on('end', () => answer.destroy());
        return;
      }
      if (this.#bodies !== null && method === 'GET' && (reply.statusCode ?? 500) < 300) {
        this.#spoil(this.#bodies, path, reply, answer).catch(() => answer.destroy());
        return;
      }
      answer.writeHead(reply.statusCode ?? 500, reply.headers);
      reply.pipe(answer);
    });
    onward.on('error', () => answer.destroy());
    // A client that leaves in the middle must not leave half a request behind.
    incoming.on('aborted', () => onward.destroy());
    incoming.pipe(onward);
  }

  async #spoil(
    faults: BodyFaults,
    path: string,
    reply: IncomingMessage,
    answer: ServerResponse,
  ): Promise<void> {
    const body = await buffer(reply);
    const changed = await spoiled(faults, path, body);
    if (changed !== null) this.#spoiled += 1;
    const { bytes, length } = changed ?? { bytes: body, length: body.length };
    const headers = { ...reply.headers, 'content-length': String(length) };
    delete (headers as IncomingMessage['headers'])['transfer-encoding'];
    answer.writeHead(reply.statusCode ?? 500, headers);
    if (bytes.length === length) answer.end(bytes);
    else answer.write(bytes, () => answer.destroy());
  }
}
