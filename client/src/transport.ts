import { badArgument, errorOfAnswer, type FrameholdError, networkError, unreadableAnswer } from './errors.ts';

export interface ClientOptions {
  /** The server's address, with its path if it has one. Default: that of the page. */
  readonly url?: string | URL;
  /** Sent as `Authorization: Bearer`, never in a URL. A function is asked before each request. */
  readonly token?: string | (() => string | undefined);
  /** Default: the platform's. In a page, uploads that report their progress are sent by an XMLHttpRequest. */
  readonly fetch?: typeof globalThis.fetch;
}

/** Values of parameters in a URL; those that are undefined are left out. */
export type Parameters = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Call {
  readonly method?: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';
  readonly parameters?: Parameters;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly json?: string;
  readonly signal?: AbortSignal | undefined;
}

/** With the first try: a caller that still gets 429 or 503 after these should know it. */
const triesMax = 3;
/** A longer wait than this is the caller's to decide. */
const waitMsMax = 10_000;

/** Sends requests to one server and turns error answers into `FrameholdError`. */
export class Transport {
  readonly base: URL;
  readonly fetch: typeof globalThis.fetch;
  readonly #token: ClientOptions['token'];

  constructor(options: ClientOptions) {
    this.base = options.url === undefined ? pageBase() : withSlash(new URL(options.url));
    // Called as a method of another object, a browser's fetch is an "Illegal invocation".
    this.fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
    this.#token = options.token;
  }

  url(path: string, parameters: Parameters = {}): URL {
    const url = new URL(path, this.base);
    for (const [name, value] of Object.entries(parameters))
      if (value !== undefined) url.searchParams.set(name, String(value));
    return url;
  }

  headers(more: Readonly<Record<string, string>> = {}): Record<string, string> {
    const token = typeof this.#token === 'function' ? this.#token() : this.#token;
    return { ...(token === undefined || token === '' ? {} : { authorization: `Bearer ${token}` }), ...more };
  }

  /** The answer, if it is a good one. Only a GET is repeated: it changes nothing. */
  async send(path: string, call: Call = {}): Promise<Response> {
    const url = this.url(path, call.parameters);
    for (let tries = 1; ; tries++) {
      const answer = await this.#fetch(url, call);
      if (answer.ok) return answer;
      const error = await errorOf(answer);
      const waitMs = error.retryAfterMs;
      const isBusy = answer.status === 429 || answer.status === 503;
      const isSafe = (call.method ?? 'GET') === 'GET';
      if (!isSafe || !isBusy || waitMs === undefined || waitMs > waitMsMax || tries === triesMax) throw error;
      await pause(waitMs, call.signal);
    }
  }

  async json<Answer>(path: string, call: Call = {}): Promise<Answer> {
    const answer = await this.send(path, call);
    const text = await bodyText(answer, call.signal);
    return parseAnswer(text);
  }

  async done(path: string, call: Call): Promise<void> {
    const answer = await this.send(path, call);
    await answer.body?.cancel();
  }

  async #fetch(url: URL, { method = 'GET', headers, json, signal }: Call): Promise<Response> {
    const type = json === undefined ? {} : { 'content-type': 'application/json' };
    try {
      return await this.fetch(url, {
        method,
        headers: this.headers({ ...type, ...headers }),
        // The token is the only credential; a cookie or a remembered password is not sent.
        credentials: 'omit',
        ...(json === undefined ? {} : { body: json }),
        ...(signal === undefined ? {} : { signal }),
      });
    } catch (thrown) {
      signal?.throwIfAborted();
      throw networkError(url, thrown);
    }
  }
}

export async function errorOf(answer: Response): Promise<FrameholdError> {
  const text = await answer.text().catch(() => '');
  return errorOfAnswer({ status: answer.status, text, header: (name) => answer.headers.get(name) });
}

export function parseAnswer<Answer>(text: string): Answer {
  try {
    return JSON.parse(text) as Answer;
  } catch (thrown) {
    throw unreadableAnswer(
      'The answer is not JSON.',
      'Check the address; a proxy may have answered instead of the server.',
      thrown,
    );
  }
}

async function bodyText(answer: Response, signal: AbortSignal | undefined): Promise<string> {
  try {
    return await answer.text();
  } catch (thrown) {
    signal?.throwIfAborted();
    throw networkError(new URL(answer.url), thrown);
  }
}

/** Resolves after so long, or rejects as soon as the signal is aborted. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}

/** A page of the server is at the base itself; that of a link is at `…/v1/frames/{handle}/rows`. */
function pageBase(): URL {
  const page = (globalThis as { readonly location?: { readonly href: string } }).location?.href;
  if (page === undefined) throw new TypeError('url is missing: outside a page there is no default.');
  const url = new URL('./', page);
  const api = url.pathname.indexOf('/v1/');
  if (api !== -1) url.pathname = url.pathname.slice(0, api + 1);
  return withSlash(url);
}

function withSlash(url: URL): URL {
  const base = new URL(url);
  base.search = '';
  base.hash = '';
  if (!base.pathname.endsWith('/')) base.pathname += '/';
  return base;
}

/** A handle, name or id as one part of a path; `@` and `:` may stay as they are. */
export function pathPart(text: string): string {
  // A URL with one of these leads somewhere else, even if it is percent-encoded.
  if (text === '' || text === '.' || text === '..')
    throw badArgument(
      `${JSON.stringify(text)} cannot be a name.`,
      'Give a name with another character in it.',
    );
  return encodeURIComponent(text).replaceAll('%40', '@').replaceAll('%3A', ':');
}
