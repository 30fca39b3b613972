import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface S3Request {
  readonly method: string;
  /** `/bucket/key`, decoded. */
  readonly path: string;
  readonly parameters: URLSearchParams;
}

/**
 * `slow-down` is S3's own way to refuse (503). `reset` ends the connection in the middle of the body. `lose-answer` lets the store do what it
 * was asked for, and ends the connection before it has said so. `complete-fails` answers 200 with an error in the body, as CompleteMultipartUpload may.
 */
export type S3Fault = 'slow-down' | 'reset' | 'lose-answer' | 'complete-fails' | { readonly delayMs: number };

/** A way to a real S3 on which chosen requests fail as S3's do. Whatever is not chosen passes as it is, with its signature. */
export class S3Passage {
  readonly #target: URL;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 256 });
  readonly #server = createServer({ requestTimeout: 0, headersTimeout: 0 }, (asked, answer) => {
    this.#pass(asked, answer).catch(() => answer.destroy());
  });
  /** Decides about each request. */
  faultFor: (asked: S3Request) => S3Fault | null = () => null;
  /** How many requests have failed by it. */
  faults = 0;
  requests = 0;

  private constructor(target: URL) {
    this.#target = target;
    this.#server.on('checkContinue', (asked, answer) => {
      answer.writeContinue();
      this.#pass(asked, answer).catch(() => answer.destroy());
    });
    this.#server.on('clientError', (_, socket) => socket.destroy());
  }

  static async before(endpoint: string): Promise<S3Passage> {
    const passage = new S3Passage(new URL(endpoint));
    passage.#server.listen(0, '127.0.0.1');
    await once(passage.#server, 'listening');
    return passage;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  heal(): void {
    this.faultFor = () => null;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#agent.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #pass(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    this.requests += 1;
    const { pathname, searchParams } = new URL(asked.url ?? '/', 'http://s3');
    const fault = this.faultFor({
      method: asked.method ?? '',
      path: decodeURIComponent(pathname),
      parameters: searchParams,
    });
    if (fault !== null) this.faults += 1;
    if (fault === 'slow-down') return refuse(asked, answer);
    if (fault === 'complete-fails') return failInside(asked, answer);
    if (fault === 'reset') {
      // Whatever part of the body is on its way has been sent for nothing.
      asked.once('data', () => asked.socket.resetAndDestroy());
      asked.once('end', () => asked.socket.resetAndDestroy());
      return;
    }
    if (fault !== null && fault !== 'lose-answer')
      await new Promise((resolve) => setTimeout(resolve, fault.delayMs));
    this.#forward(asked, answer, fault === 'lose-answer');
  }

  #forward(asked: IncomingMessage, answer: ServerResponse, isAnswerLost: boolean): void {
    const sent = request({
      hostname: this.#target.hostname,
      port: this.#target.port,
      agent: this.#agent,
      method: asked.method,
      path: asked.url,
      // The host is part of what was signed.
      headers: asked.rawHeaders.filter((_, index, all) => !isExpect(all[index - (index % 2)])),
      setHost: false,
    });
    sent.on('response', (answered) => {
      if (isAnswerLost) {
        answered.resume();
        asked.socket.resetAndDestroy();
        return;
      }
      answer.writeHead(answered.statusCode ?? 502, answered.statusMessage, answered.rawHeaders);
      answered.pipe(answer);
      answered.on('close', () => answered.complete || answer.destroy());
    });
    sent.on('error', () => answer.destroy());
    answer.on('close', () => answer.writableFinished || sent.destroy());
    asked.pipe(sent);
  }
}

/** It was answered here. */
function isExpect(name: string | undefined): boolean {
  return name?.toLowerCase() === 'expect';
}

function refuse(asked: IncomingMessage, answer: ServerResponse): void {
  asked.resume();
  asked.on('end', () => {
    answer.writeHead(503, { 'content-type': 'application/xml', 'x-amz-request-id': 'test' });
    answer.end(errorXml('SlowDown', 'Please reduce your request rate.'));
  });
}

function failInside(asked: IncomingMessage, answer: ServerResponse): void {
  asked.resume();
  asked.on('end', () => {
    answer.writeHead(200, { 'content-type': 'application/xml', 'x-amz-request-id': 'test' });
    answer.end(errorXml('InternalError', 'We encountered an internal error. Please try again.'));
  });
}

function errorXml(code: string, message: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message><RequestId>test</RequestId></Error>`;
}
