import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** For the browser: every host name leads to this machine, so that one server is as many sites as a test needs. */
export const foreignNames = '--host-resolver-rules=MAP *.example 127.0.0.1';

/** A site of somebody else: one page, whatever a test makes of it, and redirections. */
export class ForeignSite implements AsyncDisposable {
  readonly #server: Server;
  /** The body of its page. */
  page = '';

  static async start(): Promise<ForeignSite> {
    const site = new ForeignSite();
    await new Promise<void>((resolve) => {
      site.#server.listen(0, '127.0.0.1', () => resolve());
    });
    return site;
  }

  private constructor() {
    this.#server = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://site.example');
      const to = searchParams.get('to');
      if (pathname === '/redirect' && to !== null) response.writeHead(302, { location: to });
      else response.setHeader('content-type', 'text/html');
      response.end(`<!doctype html><title>elsewhere</title><body>${this.page}</body>`);
    });
  }

  origin(host: string): string {
    return `http://${host}:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}
