import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { FrameholdError } from '../model/errors.ts';
import { tsdbUrlTooLong } from '../model/upstream-refusals.ts';
import type { ExportRequest, Upstream, UpstreamReceiver } from '../ports/upstream.ts';
import { AnswerCollector, type AnswerSink, type CollectedAnswer } from './answer-collector.ts';
import { Exchange, failed } from './exchange.ts';
import { columnsQuery, type QuestdbColumn, rowsQuery, type WrappedQuery } from './export-query.ts';
import { oneSelect } from './one-select.ts';
import { credentialRefused, queryRefused } from './query-refused.ts';

export interface TsdbClientOptions {
  /** Base URL without credentials; a path in it comes before /exec. */
  readonly url: string;
  /** The whole header of our own credential; null if the database wants none. */
  readonly authorization: string | null;
  /** How long the database may take to begin to answer, and pause in the middle. */
  readonly timeoutMs: number;
  readonly connectionsMax: number;
  /** The longest path and query string that the database takes in a request without headers. */
  readonly urlBytesMax: number;
}

/** Requests that may wait for a connection, per connection: more than that cannot be served within the time-out anyway. */
const waitingPerConnection = 16;
/** QuestDB closes an idle connection after 5 s; ours must go first, or a request meets a closing socket. */
const keepAliveMs = 4_000;
/** Between two tries for an export if too many run: doubled up to the second, until the time-out. */
const exportWaitMs = 50;
const exportWaitMsMax = 1_000;
/**
 * QuestDB 9.3.4 closes the connection without an answer if twice the URL and once the headers are more than its buffer takes, which is
 * 64,448 bytes unless configured otherwise: each byte of the headers takes half a byte from the URL.
 */
const headerShare = 0.5;
const parquetMediaType = 'application/vnd.apache.parquet';

/** The database over undici. Follows no redirect, asks for plain bytes, sends nothing of the caller but the query string. */
export class TsdbClient implements Upstream {
  readonly #pool: Pool;
  readonly #basePath: string;
  readonly #headers: Record<string, string>;
  readonly #options: TsdbClientOptions;
  /** What is left of it with our headers. */
  readonly #urlBytesMax: number;
  #underway = 0;

  constructor(options: TsdbClientOptions) {
    const url = new URL(options.url);
    this.#options = options;
    this.#basePath = url.pathname.replace(/\/+$/, '');
    this.#headers = {
      'accept-encoding': 'identity',
      ...(options.authorization === null ? {} : { authorization: options.authorization }),
    };
    this.#urlBytesMax = options.urlBytesMax - Math.ceil(headerBytes(url.host, this.#headers) * headerShare);
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

  exec(rawQuery: string, receiver: UpstreamReceiver): () => void {
    return this.#get(`${this.#basePath}/exec?${rawQuery}`, receiver);
  }

  async exportParquet(
    { query, rows, begin }: ExportRequest,
    write: (chunk: Uint8Array) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    // Before it is read: this runs on the main thread, and a statement may be a megabyte.
    if (query.length > this.#urlBytesMax) throw tsdbUrlTooLong(query.length, this.#urlBytesMax);
    const select = oneSelect(query);
    const columns = await this.#columns(select, begin, signal);
    const wrapped = rowsQuery(select, columns, rows);
    const isWanted = (status: number, contentType: string) =>
      status === 200 && contentType.startsWith(parquetMediaType);
    const deadline = performance.now() + this.#options.timeoutMs;
    for (let waitMs = exportWaitMs; ; waitMs = Math.min(2 * waitMs, exportWaitMsMax)) {
      const answer = await this.#ask('/exp', 'parquet', wrapped, { begin, isWanted, write }, signal);
      if (isWanted(answer.status, answer.contentType)) return;
      // As many exports run as the database takes, and it keeps no queue.
      if (answer.status !== 429 || performance.now() + waitMs > deadline)
        throw this.#refused(answer, wrapped, select);
      await sleep(waitMs, undefined, { signal });
    }
  }

  async #columns(select: string, begin: () => void, signal: AbortSignal): Promise<readonly QuestdbColumn[]> {
    const wrapped = columnsQuery(select);
    const sink = { begin, isWanted: () => false, write: async () => {} };
    const answer = await this.#ask('/exec', 'json', wrapped, sink, signal);
    if (answer.status !== 200) throw this.#refused(answer, wrapped, select);
    return columnsOf(answer.text);
  }

  #refused(answer: CollectedAnswer, wrapped: WrappedQuery, select: string): FrameholdError {
    if (answer.status === 401 || answer.status === 403)
      return credentialRefused(answer.status, this.#options.authorization !== null);
    return queryRefused(answer, wrapped, select);
  }

  async #ask(
    path: string,
    format: string,
    { text }: WrappedQuery,
    sink: AnswerSink,
    signal: AbortSignal,
  ): Promise<CollectedAnswer> {
    signal.throwIfAborted();
    const target = `${this.#basePath}${path}?query=${encodeURIComponent(text)}&fmt=${format}`;
    let cancel = () => {};
    const collector = new AnswerCollector(sink, () => cancel());
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    const onAbort = () => {
      cancel();
      reject(signal.reason);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      // QuestDB counts a connection among its few exports for as long as it is open.
      const closes = path === '/exp';
      cancel = this.#get(target, collector, closes);
      // An ended exchange reports nothing more to its receiver.
      return await Promise.race([collector.collected, aborted]);
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Gives the function that ends the request. */
  #get(target: string, receiver: UpstreamReceiver, closes = false): () => void {
    const { connectionsMax, timeoutMs } = this.#options;
    const urlBytes = Buffer.byteLength(target);
    if (urlBytes > this.#urlBytesMax) {
      receiver.failed(tsdbUrlTooLong(urlBytes, this.#urlBytesMax));
      return () => {};
    }
    if (this.#underway >= connectionsMax * (1 + waitingPerConnection)) {
      receiver.failed(
        new FrameholdError('overloaded', 'Too many queries wait for the external database.', {
          hint: 'Try again in a moment.',
        }),
      );
      return () => {};
    }
    this.#underway += 1;
    const exchange = new Exchange(receiver, timeoutMs, () => {
      this.#underway -= 1;
    });
    this.#pool.dispatch({ method: 'GET', path: target, headers: this.#headers, reset: closes }, exchange);
    return () => exchange.cancel();
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }
}

/** What undici writes before the empty line. */
function headerBytes(host: string, headers: Readonly<Record<string, string>>): number {
  const lines = Object.entries({ host, connection: 'keep-alive', ...headers });
  return lines.reduce((bytes, [name, value]) => bytes + Buffer.byteLength(`${name}: ${value}\r\n`), 0);
}

function columnsOf(text: string): QuestdbColumn[] {
  const columns = parsed(text)?.columns;
  if (!Array.isArray(columns)) throw failed('The external database did not say which columns the query has.');
  return columns.map((column: unknown) => {
    const { name, type } = (column ?? {}) as Record<string, unknown>;
    if (typeof name === 'string' && typeof type === 'string') return { name, type };
    throw failed('The external database described a column without a name or a type.');
  });
}

function parsed(text: string): { readonly columns?: unknown } | null {
  try {
    return JSON.parse(text) as { readonly columns?: unknown } | null;
  } catch (cause) {
    throw failed('The external database did not answer with JSON.', cause as Error);
  }
}
