import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import {
  type AddressInfo,
  connect,
  createServer as createRelay,
  type Server as Relay,
  type Socket,
} from 'node:net';
import { Child } from './child-process.ts';
import { removeFolder, temporaryFolder } from './temporary-folder.ts';

/** Not the one on the PATH: a script that does not pass on the signal that ends it. */
const command = '/usr/lib/chromium/chromium-headless-shell';

/**
 * A site with pages that try something, and a real browser to open them. Every host name leads to this machine, so that the pages of one site
 * are foreign to another.
 */
export class BrowserSite implements AsyncDisposable {
  readonly #pages: Server;
  readonly #relay: Relay;
  #script = '';
  #told: ((answer: unknown) => void) | null = null;
  #reboundTo: number | null = null;
  readonly #relayed = new Set<Socket>();

  static async start(): Promise<BrowserSite> {
    const site = new BrowserSite();
    await Promise.all([listening(site.#pages), listening(site.#relay)]);
    return site;
  }

  private constructor() {
    this.#pages = createServer((request, response) => void this.#answer(request, response));
    this.#relay = createRelay((socket) => {
      this.#relayed.add(socket);
      socket.on('close', () => this.#relayed.delete(socket));
      // Asked for each connection, as a name is.
      const other = connect(this.#reboundTo ?? portOf(this.#pages), '127.0.0.1');
      for (const [from, to] of [
        [socket, other],
        [other, socket],
      ] as const) {
        from.pipe(to);
        from.on('error', () => to.destroy());
      }
    });
  }

  /** The origin of this site's pages under a host name. */
  origin(host: string): string {
    return `http://${host}:${portOf(this.#pages)}`;
  }

  /**
   * Opens a page of that origin; answers what its script returns. The script is the body of an async function of JavaScript. The browser
   * stays open until `isDone` resolves: not everything that a page sends can be waited for in the page.
   */
  async visit(host: string, script: string, isDone = async () => {}): Promise<unknown> {
    return await this.#open(this.origin(host), script, isDone);
  }

  /** As `visit`, but once the page is there, its host name leads to another port's server: what DNS rebinding does. */
  async visitRebound(host: string, port: number, script: string): Promise<unknown> {
    try {
      const wait = `await fetch('/rebind/${port}'); await new Promise((resolve) => setTimeout(resolve, 200));`;
      return await this.#open(`http://${host}:${portOf(this.#relay)}`, `${wait} ${script}`);
    } finally {
      this.#reboundTo = null;
    }
  }

  async #open(origin: string, script: string, isDone = async () => {}): Promise<unknown> {
    this.#script = script;
    const told = new Promise<unknown>((resolve) => {
      this.#told = resolve;
    });
    const profile = temporaryFolder('browser');
    const browser = new Child({
      command,
      args: [
        '--no-sandbox',
        '--disable-gpu',
        `--user-data-dir=${profile}`,
        '--host-resolver-rules=MAP * 127.0.0.1',
        // Given only so that it stays open until the page has sent its result.
        '--remote-debugging-port=0',
        `${origin}/page`,
      ],
      env: { HOME: profile },
    });
    let answer: { readonly value: unknown } | null = null;
    void told.then((value) => {
      answer = { value };
    });
    try {
      const { value } = await browser.until('an answer of the page', () => answer);
      await isDone();
      return value;
    } finally {
      await browser.stop();
      removeFolder(profile);
    }
  }

  /** Connections that the browser has open in advance lead to where the name was. */
  #rebind(port: number): void {
    this.#reboundTo = port;
    setTimeout(() => {
      for (const socket of this.#relayed) socket.destroy();
    }, 50);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader('access-control-allow-origin', '*');
    // So that what is asked next takes a new connection, and finds where the name leads then.
    response.setHeader('connection', 'close');
    const [, port] = /^\/rebind\/(\d+)$/.exec(request.url ?? '') ?? [];
    if (port !== undefined) response.on('finish', () => this.#rebind(Number(port)));
    if (request.url === '/page') {
      response.setHeader('content-type', 'text/html');
      response.end(pageWith(this.#script, `${this.origin('127.0.0.1')}/told`));
      return;
    }
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk;
    response.end('{}');
    if (request.url === '/told') this.#told?.(JSON.parse(text));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#pages.closeAllConnections();
    for (const server of [this.#pages, this.#relay])
      await new Promise<void>((resolve) => server.close(() => resolve()));
  }
}

/** The page sends its result as plain text, which a browser sends anywhere without asking. */
function pageWith(script: string, tellUrl: string): string {
  return `<!doctype html><title>page</title><body><script type="module">
    const attempt = async () => { ${script} };
    const found = await attempt().catch((error) => ({ failed: String(error) }));
    await fetch(${JSON.stringify(tellUrl)}, { method: 'POST', body: JSON.stringify(found) });
  </script>`;
}

/** The document of a page, as HTML, once its scripts and what they fetch are done. */
export async function pageAfterScripts(url: string): Promise<string> {
  const profile = temporaryFolder('browser');
  const browser = new Child({
    command,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      `--user-data-dir=${profile}`,
      '--virtual-time-budget=5000',
      '--dump-dom',
      url,
    ],
    env: { HOME: profile },
  });
  try {
    await browser.line(/<\/html>/);
    return browser.lines.join('\n');
  } finally {
    await browser.stop();
    removeFolder(profile);
  }
}

async function listening(server: Server | Relay): Promise<void> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve());
  });
}

function portOf(server: Server | Relay): number {
  return (server.address() as AddressInfo).port;
}
