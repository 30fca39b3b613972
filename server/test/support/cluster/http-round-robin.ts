import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

export interface RoundRobinOptions {
  /** Addresses of nodes that take part now, such as `http://127.0.0.1:1234`. */
  readonly targets: () => readonly string[];
  /** Sent with a request that brings no credential. */
  readonly credential?: () => string | null;
}

/** One address for many nodes: each request goes to the next one. Nothing is repeated: what a caller sees is what one node did. */
export class HttpRoundRobin {
  readonly #options: RoundRobinOptions;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 256 });
  readonly #server = createServer({ keepAliveTimeout: 60_000, requestTimeout: 0, headersTimeout: 0 });
  #next = 0;

  private constructor(options: RoundRobinOptions) {
    this.#options = options;
    this.#server.on('request', (asked, answer) => this.#pass(asked, answer));
    this.#server.on('checkContinue', (asked, answer) => this.#pass(asked, answer));
    this.#server.on('clientError', (_, socket: Duplex) => socket.destroy());
  }

  static async start(options: RoundRobinOptions): Promise<HttpRoundRobin> {
    const proxy = new HttpRoundRobin(options);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#agent.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #pass(asked: IncomingMessage, answer: ServerResponse): void {
    const targets = this.#options.targets();
    const target = targets[this.#next++ % Math.max(1, targets.length)];
    if (target === undefined) {
      answer.writeHead(503).end('no node');
      return;
    }
    const { hostname, port } = new URL(target);
    const sent = request({
      hostname,
      port,
      agent: this.#agent,
      method: asked.method,
      path: asked.url,
      headers: this.#headersOf(asked),
      setHost: false,
    });
    sent.on('continue', () => answer.writeContinue());
    sent.on('information', ({ statusCode, headers }) => {
      if (statusCode === 103) answer.writeEarlyHints(headers as Record<string, string>);
    });
    sent.on('response', (answered) => {
      answer.writeHead(answered.statusCode ?? 502, answered.statusMessage, answered.rawHeaders);
      answer.flushHeaders();
      answered.pipe(answer);
      // A node that dies in its answer must not look like one that has ended it.
      answered.on('close', () => answered.complete || answer.destroy());
    });
    sent.on('error', () => {
      if (answer.headersSent) answer.destroy();
      else answer.writeHead(502, { connection: 'close' }).end();
    });
    answer.on('close', () => {
      if (!answer.writableFinished) sent.destroy();
    });
    asked.on('error', () => sent.destroy());
    asked.pipe(sent);
  }

  #headersOf(asked: IncomingMessage): string[] {
    const headers = [...asked.rawHeaders];
    const credential = this.#options.credential?.() ?? null;
    if (credential !== null && !('authorization' in asked.headers)) headers.push('authorization', credential);
    return headers;
  }
}
