import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';

/**
 * `fetch` over node:http, as far as the client uses it. Node's own takes 60 ms of CPU time to load, more than everything else that a command
 * does, and ends statements that take longer than five minutes. Redirects are not followed: a token must not go where nobody sent it.
 */
export const httpFetch = ((input: string | URL | Request, init: FetchInit = {}) =>
  send(new URL(String(input)), init)) as typeof globalThis.fetch;

interface FetchInit {
  readonly method?: string;
  readonly headers?: unknown;
  readonly body?: unknown;
  readonly signal?: AbortSignal | null;
}

/** Nobody waits longer for a host that does not answer; the system's own limit is about two minutes. */
const connectMs = 15_000;

/** Of an answer that is read as a whole: lists come in pages, so a longer one is not from a Framehold server. */
const textBytesMax = 256 * 1024 * 1024;

function send(url: URL, init: FetchInit): Promise<Response> {
  const { method = 'GET', headers = {}, body, signal } = init;
  // `import 'node:http'` would load fetch after all: it reads all exports, and one of them is WebSocket.
  const { request: open } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http');
  const options: RequestOptions = {
    method,
    headers: headersFor(headers as Record<string, string>, body),
    ...(signal ? { signal } : {}),
  };
  return new Promise((resolve, reject) => {
    const request = open(url, options);
    let answered = false;
    request.once('response', (message) => {
      answered = true;
      // An answer before the end of the body is a refusal; the connection cannot be used again.
      if (!request.writableEnded) message.once('end', () => request.destroy());
      resolve(new HttpAnswer(url, message) as unknown as Response);
    });
    request.once('error', reject);
    limitConnecting(request);
    writeBody(request, body, () => answered).catch((error) => {
      request.destroy(error);
      reject(error);
    });
  });
}

function headersFor(headers: Record<string, string>, body: unknown): Record<string, string> {
  return typeof body === 'string' ? { ...headers, 'content-length': `${Buffer.byteLength(body)}` } : headers;
}

function limitConnecting(request: ClientRequest): void {
  request.once('socket', (socket) => {
    if (!socket.connecting) return;
    const late = () =>
      request.destroy(Object.assign(new Error('no connection in time'), { code: 'ETIMEDOUT' }));
    const timer = setTimeout(late, connectMs);
    const stop = () => clearTimeout(timer);
    socket.once('connect', stop);
    request.once('close', stop);
  });
}

/** Text, or a stream of bytes under back-pressure. */
async function writeBody(request: ClientRequest, body: unknown, isAnswered: () => boolean): Promise<void> {
  if (body === undefined || body === null || typeof body === 'string') {
    request.end(body ?? undefined);
    return;
  }
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    if (isAnswered() || request.destroyed) return;
    if (!request.write(chunk)) await drained(request);
  }
  request.end();
}

function drained(request: ClientRequest): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      for (const event of ['drain', 'close', 'response']) request.off(event, done);
      resolve();
    };
    for (const event of ['drain', 'close', 'response']) request.once(event, done);
  });
}

/** What the client reads of a Response. */
class HttpAnswer {
  readonly url: string;
  readonly status: number;
  readonly ok: boolean;
  readonly headers: { get(name: string): string | null; has(name: string): boolean };
  readonly #message: IncomingMessage;
  #body: ReadableStream<Uint8Array> | null = null;

  constructor(url: URL, message: IncomingMessage) {
    this.url = url.href;
    this.status = message.statusCode ?? 0;
    this.ok = this.status >= 200 && this.status < 300;
    this.#message = message;
    const get = (name: string) => {
      const value = message.headers[name.toLowerCase()];
      return value === undefined ? null : Array.isArray(value) ? value.join(', ') : value;
    };
    this.headers = { get, has: (name) => get(name) !== null };
  }

  get body(): ReadableStream<Uint8Array> {
    this.#body ??= streamOf(this.#message);
    return this.#body;
  }

  async text(): Promise<string> {
    const pieces: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of this.#message) {
      pieces.push(chunk as Uint8Array);
      bytes += (chunk as Uint8Array).length;
      if (bytes > textBytesMax) throw new RangeError('The answer is longer than 256 MiB.');
    }
    return Buffer.concat(pieces).toString('utf8');
  }
}

/** Nothing is read ahead of what is asked for. */
function streamOf(message: IncomingMessage): ReadableStream<Uint8Array> {
  const chunks = message[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value, done } = await chunks.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      cancel() {
        message.destroy();
      },
    },
    { highWaterMark: 0 },
  );
}
