import type { Dispatcher } from 'undici';
import { Pool } from 'undici';
import { FrameholdError } from '../frames/errors.ts';
import type { Upstream, UpstreamReceiver } from '../frames/ports/upstream.ts';

export interface TsdbClientOptions {
  /** Base URL; a path in it comes before /exec. */
  readonly url: string;
  /** How long the database may take to begin to answer, and pause in the middle. */
  readonly timeoutMs: number;
  readonly connectionsMax: number;
}

/** Requests that may wait for a connection, per connection: more than that cannot be served within the time-out anyway. */
const waitingPerConnection = 16;
/** QuestDB closes an idle connection after 5 s; ours must go first, or a request meets a closing socket. */
const keepAliveMs = 4_000;

/** The database over undici. Follows no redirect, asks for plain bytes, sends nothing of the caller but the query string. */
export class TsdbClient implements Upstream {
  readonly #pool: Pool;
  readonly #basePath: string;
  readonly #headers: Record<string, string>;
  readonly #options: TsdbClientOptions;
  #underway = 0;

  constructor(options: TsdbClientOptions) {
    const url = new URL(options.url);
    this.#options = options;
    this.#basePath = url.pathname.replace(/\/+$/, '');
    this.#headers = { 'accept-encoding': 'identity', ...basicCredentials(url) };
    this.#pool = new Pool(url.origin, {
      connections: options.connectionsMax,
      pipelining: 1,
      keepAliveTimeout: keepAliveMs,
      keepAliveMaxTimeout: keepAliveMs,
      connect: { timeout: Math.min(options.timeoutMs, 10_000) },
      // Our own timer covers the wait for the head, including the wait for a connection.
      headersTimeout: 0,
      bodyTimeout: options.timeoutMs,
    });
  }

  exec(rawQuery: string, receiver: UpstreamReceiver, signal: AbortSignal): void {
    const { connectionsMax, timeoutMs } = this.#options;
    if (this.#underway >= connectionsMax * (1 + waitingPerConnection)) {
      receiver.failed(
        new FrameholdError('overloaded', 'Too many queries wait for the external database.', {
          hint: 'Try again in a moment.',
        }),
      );
      return;
    }
    this.#underway += 1;
    const exchange = new Exchange(receiver, timeoutMs, signal, () => {
      this.#underway -= 1;
    });
    this.#pool.dispatch(
      { method: 'GET', path: `${this.#basePath}/exec?${rawQuery}`, headers: this.#headers },
      exchange,
    );
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }
}

/** One forwarded request: undici's events on one side, the receiver on the other. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #receiver: UpstreamReceiver;
  readonly #signal: AbortSignal;
  readonly #onEnd: () => void;
  readonly #onAbort: () => void;
  readonly #timer: NodeJS.Timeout;
  readonly #timeoutMs: number;
  #controller: Dispatcher.DispatchController | null = null;
  #ended = false;

  constructor(receiver: UpstreamReceiver, timeoutMs: number, signal: AbortSignal, onEnd: () => void) {
    this.#receiver = receiver;
    this.#signal = signal;
    this.#onEnd = onEnd;
    this.#timeoutMs = timeoutMs;
    this.#onAbort = () => this.#finish(() => this.#controller?.abort(new Error('the caller went away')));
    this.#timer = setTimeout(() => this.#fail(timedOut(timeoutMs)), timeoutMs);
    signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#ended) controller.abort(new Error('ended before it was sent'));
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (this.#ended || status < 200) return;
    clearTimeout(this.#timer);
    if (status >= 300 && status < 400) {
      this.#fail(
        failed(`The external database answered with a redirect (${status}), which is not followed.`),
      );
      return;
    }
    const contentType = headers['content-type'];
    this.#receiver.head(status, Array.isArray(contentType) ? contentType[0] : contentType, controller);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#ended) this.#receiver.data(chunk);
  }

  onResponseEnd(): void {
    this.#finish(() => this.#receiver.end());
  }

  onResponseError(_controller: Dispatcher.DispatchController, cause: Error): void {
    const slow = (cause as NodeJS.ErrnoException).code === 'UND_ERR_BODY_TIMEOUT';
    this.#fail(
      slow
        ? timedOut(this.#timeoutMs)
        : failed('The external database refused, reset or cut off the request.', cause),
    );
  }

  #fail(error: FrameholdError): void {
    this.#finish(() => {
      this.#receiver.failed(error);
      this.#controller?.abort(error);
    });
  }

  #finish(act: () => void): void {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#signal.removeEventListener('abort', this.#onAbort);
    this.#onEnd();
    act();
  }
}

function failed(detail: string, cause?: Error): FrameholdError {
  return new FrameholdError('tsdb_failed', detail, {
    hint: 'Look whether the database runs and answers on its own address.',
    ...(cause ? { cause } : {}),
  });
}

function timedOut(timeoutMs: number): FrameholdError {
  return new FrameholdError('tsdb_timeout', `The external database was silent for ${timeoutMs} ms.`, {
    hint: 'Make the query smaller, or raise tsdb.timeout_ms.',
  });
}

function basicCredentials(url: URL): Record<string, string> {
  if (url.username === '' && url.password === '') return {};
  const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}
