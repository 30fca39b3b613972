import { once } from 'node:events';
import {
  type ClientHttp2Session,
  connect,
  constants,
  createServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { RoundRobinOptions } from './http-round-robin.ts';

/** What a frame of a large put or read needs; HTTP/2's own 64 KiB would make every call wait for the proxy. */
const windowBytes = 8 * 1024 ** 2;
/** Many large calls share a connection. Node would end streams at 10 MB. */
const transport = { maxSessionMemory: 512, settings: { initialWindowSize: windowBytes } };

/** The same for gRPC: each call on a connection goes to the next node, as a balancer of calls does. */
export class GrpcRoundRobin {
  readonly #options: RoundRobinOptions;
  readonly #server = createServer(transport);
  readonly #sessions = new Map<string, ClientHttp2Session>();
  readonly #callers = new Set<ServerHttp2Session>();
  #next = 0;

  private constructor(options: RoundRobinOptions) {
    this.#options = options;
    this.#server.on('stream', (stream, headers) => this.#pass(stream, headers));
    this.#server.on('session', (session) => {
      this.#callers.add(session);
      session.setLocalWindowSize(4 * windowBytes);
      session.on('error', () => {});
      session.on('close', () => this.#callers.delete(session));
    });
    this.#server.on('sessionError', () => {});
  }

  static async start(options: RoundRobinOptions): Promise<GrpcRoundRobin> {
    const proxy = new GrpcRoundRobin(options);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get url(): string {
    return `grpc://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    for (const session of [...this.#callers, ...this.#sessions.values()]) session.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #pass(caller: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    caller.on('error', () => {});
    const targets = this.#options.targets();
    const target = targets[this.#next++ % Math.max(1, targets.length)];
    if (target === undefined) {
      refuse(caller, 'no node');
      return;
    }
    const credential = this.#options.credential?.() ?? null;
    const sent = this.#sessionTo(target).request(
      {
        ...headers,
        ...(credential === null || 'authorization' in headers ? {} : { authorization: credential }),
      },
      { endStream: false },
    );
    let trailers: IncomingHttpHeaders | null = null;
    sent.on('response', (answered, flags) => {
      if (caller.destroyed) return;
      // A refusal has its status in the first headers, and nothing after them.
      if ((flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0) {
        caller.respond({ ...answered }, { endStream: true });
        return;
      }
      caller.respond({ ...answered }, { waitForTrailers: true });
      sent.pipe(caller);
    });
    caller.on('wantTrailers', () => {
      // Trailers carry the status of a call. Without them it was cut off, and must not look as if it had ended.
      if (trailers === null) caller.close(constants.NGHTTP2_CANCEL);
      else caller.sendTrailers({ ...trailers });
    });
    sent.on('trailers', (answered) => {
      trailers = answered;
    });
    sent.on('error', () => this.#fail(caller));
    sent.on('aborted', () => this.#fail(caller));
    sent.on('close', () => {
      if (sent.rstCode !== constants.NGHTTP2_NO_ERROR) this.#fail(caller);
    });
    caller.on('aborted', () => sent.close(constants.NGHTTP2_CANCEL));
    caller.on('close', () => {
      if (!sent.closed && caller.rstCode !== constants.NGHTTP2_NO_ERROR) sent.close(constants.NGHTTP2_CANCEL);
    });
    caller.pipe(sent);
  }

  #fail(caller: ServerHttp2Stream): void {
    if (caller.destroyed || caller.closed) return;
    if (caller.headersSent) caller.close(constants.NGHTTP2_INTERNAL_ERROR);
    else refuse(caller, 'the node cannot be reached');
  }

  #sessionTo(target: string): ClientHttp2Session {
    const known = this.#sessions.get(target);
    if (known && !known.closed && !known.destroyed) return known;
    const session = connect(target.replace('grpc:', 'http:'), transport);
    session.on('connect', () => session.setLocalWindowSize(4 * windowBytes));
    session.on('error', () => {});
    session.on('goaway', () => this.#sessions.delete(target));
    session.on('close', () => {
      if (this.#sessions.get(target) === session) this.#sessions.delete(target);
    });
    this.#sessions.set(target, session);
    return session;
  }
}

/** UNAVAILABLE, which a caller may repeat. */
function refuse(caller: ServerHttp2Stream, message: string): void {
  caller.respond(
    {
      ':status': 200,
      'content-type': 'application/grpc',
      'grpc-status': '14',
      'grpc-message': encodeURIComponent(message),
    },
    { endStream: true },
  );
}
