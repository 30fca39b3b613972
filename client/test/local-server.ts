import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server on this machine that answers as a test wants it to; what a real one cannot be made to do on demand. */
export class LocalServer implements AsyncDisposable {
  readonly #server;
  readonly requests: IncomingMessage[] = [];

  private constructor(answer: RequestListener) {
    this.#server = createServer((request, response) => {
      this.requests.push(request);
      answer(request, response);
    });
  }

  static async start(answer: RequestListener): Promise<LocalServer> {
    const server = new LocalServer(answer);
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}

export function problem(status: number, code: string, more: object = {}): string {
  return JSON.stringify({
    type: `urn:framehold:error:${code}`,
    title: 'A title',
    status,
    detail: 'What is wrong.',
    code,
    requestId: 'r1',
    error: 'What is wrong.',
    ...more,
  });
}
