import type { Change, EngineName, RunningQuery } from './answers.ts';
import { FrameholdError } from './errors.ts';
import { exactJson, type Json } from './exact-json.ts';
import { Rows } from './rows.ts';
import { parseAnswer, pathPart, pause, type Transport } from './transport.ts';

export type RowFormat = 'json' | 'csv' | 'ndjson' | 'arrow' | 'parquet';

export interface SqlOptions {
  /** For `$1`, `$2` … or for `$name`. A BigInt keeps its digits; give exact decimals as texts. */
  readonly parameters?: readonly Json[] | { readonly [name: string]: Json };
  /** Default: `duckdb`. `status()` lists those that the server has for the caller. */
  readonly engine?: EngineName;
  /** At most so many rows; `cut` of the rows says whether there were more. */
  readonly limit?: number;
  /** The id of the statement, to watch or cancel it. Default: the server chooses one. */
  readonly id?: string;
  /** false: it is not kept in the history, because no person wrote it. */
  readonly history?: boolean;
  readonly signal?: AbortSignal;
}

/** Store the rows as a frame instead of returning them. */
export interface Into {
  /** Default: the server chooses one. */
  readonly name?: string;
  /** Default: `create`. */
  readonly mode?: 'create' | 'replace' | 'append';
  readonly ttl?: string | number;
}

export interface ExecuteOptions extends SqlOptions {
  readonly into?: string | Into;
  /** Change only this version of the frame: its ETag, or `*`. */
  readonly ifMatch?: string;
  /** `*`: only if there is no frame of the name. */
  readonly ifNoneMatch?: '*';
  /** Makes repeating a statement that changes something safe. */
  readonly idempotencyKey?: string;
}

export interface SqlExportOptions extends SqlOptions {
  readonly format: RowFormat;
}

const arrowType = 'application/vnd.apache.arrow.stream';

/** Runs statements over frames. */
export class Statements {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Any statement: its rows, or what it changed. */
  async execute(sql: string, options: ExecuteOptions = {}): Promise<Rows | Change> {
    const { limit, signal } = options;
    // One more than wanted says whether there are more.
    const answer = await this.#send(
      sql,
      'arrow',
      limit === undefined ? options : { ...options, limit: limit + 1 },
    );
    if (answer.headers.get('content-type')?.startsWith(arrowType))
      return await Rows.open(answer, { rowsMax: limit, signal, failureOf: (id) => this.#failureOf(id) });
    const change = parseAnswer<Omit<Change, 'kind' | 'queryId'>>(await answer.text());
    return { kind: 'change', ...change, queryId: answer.headers.get('framehold-query-id') ?? undefined };
  }

  /** A statement that returns rows. */
  async rows(sql: string, options: SqlOptions = {}): Promise<Rows> {
    const outcome = await this.execute(sql, options);
    if (outcome.kind === 'rows') return outcome;
    throw new FrameholdError({
      code: 'no_rows',
      status: 0,
      title: 'No rows',
      detail: 'The statement has run; it changed something and returned no rows.',
      hint: 'Use execute() for statements that change something.',
      queryId: outcome.queryId,
    });
  }

  /** The answer in a format of the server, to be saved or read elsewhere. */
  async export(sql: string, { format, ...options }: SqlExportOptions): Promise<Response> {
    return await this.#send(sql, format, options);
  }

  async #send(sql: string, format: RowFormat, options: ExecuteOptions): Promise<Response> {
    const { parameters, engine, limit, id, history, into, ifMatch, ifNoneMatch, idempotencyKey, signal } =
      options;
    const json = exactJson({ sql, parameters, engine, limit, id, history, into: into as Json | undefined });
    return await this.#transport.send('v1/sql', {
      method: 'POST',
      parameters: { fmt: format },
      headers: {
        ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
        ...(ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch }),
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      },
      json,
      signal,
    });
  }

  /**
   * The server keeps for ten minutes why a statement failed after its first rows. Of several nodes, one that did not run it takes
   * it for running for a moment longer.
   */
  async #failureOf(queryId: string): Promise<FrameholdError | null> {
    for (const waitMs of [0, 250, 500, 1_000]) {
      await pause(waitMs, undefined);
      const { error } = await this.#transport.json<RunningQuery>(`v1/queries/${pathPart(queryId)}`);
      if (error !== undefined) return new FrameholdError({ ...error, queryId });
    }
    return null;
  }
}
