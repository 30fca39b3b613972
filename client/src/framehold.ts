import type { Change, EngineName, SqlFunction, Status, Tenant } from './answers.ts';
import type { CallOptions } from './call-options.ts';
import { columnsParameter } from './columns-parameter.ts';
import { type EventsOptions, type FrameholdEvent, readEvents } from './events/events.ts';
import { Frames, framePath } from './frames.ts';
import { Queries } from './queries.ts';
import { QueryHistory } from './query-history.ts';
import { Rows } from './rows.ts';
import { SavedQueries } from './saved-queries.ts';
import {
  type ExecuteOptions,
  type RowFormat,
  type SqlExportOptions,
  type SqlOptions,
  Statements,
} from './sql.ts';
import { Tenants } from './tenants.ts';
import { type ClientOptions, type Parameters, Transport } from './transport.ts';

export interface RowsOptions extends CallOptions {
  /** The first row wanted, from 0. */
  readonly offset?: number;
  /** At most so many rows. */
  readonly limit?: number;
  readonly columns?: readonly string[];
  /** A link to this version; no token is needed. */
  readonly link?: string;
}

export interface ExportOptions extends RowsOptions {
  readonly format: RowFormat;
}

/** A Framehold server. */
export class Framehold {
  readonly frames: Frames;
  readonly queries: Queries;
  readonly saved: SavedQueries;
  readonly history: QueryHistory;
  readonly tenants: Tenants;
  readonly #transport: Transport;
  readonly #statements: Statements;

  constructor(options: ClientOptions = {}) {
    const transport = new Transport(options);
    this.#transport = transport;
    this.#statements = new Statements(transport);
    this.frames = new Frames(transport);
    this.queries = new Queries(transport);
    this.saved = new SavedQueries(transport);
    this.history = new QueryHistory(transport);
    this.tenants = new Tenants(transport);
  }

  /** The address that paths are relative to; ends with a slash. */
  get url(): string {
    return this.#transport.base.href;
  }

  /** Rows of a frame, as they arrive: of `name`, `name@3`, or since a version, `name@3..` and `name@3..5`. */
  async rows(handle: string, options: RowsOptions = {}): Promise<Rows> {
    const answer = await this.export(handle, { ...options, format: 'arrow' });
    return await Rows.open(answer, { signal: options.signal });
  }

  /** The rows in a format of the server, to be saved or read elsewhere. */
  async export(handle: string, options: ExportOptions): Promise<Response> {
    const parameters = rowsParameters(options);
    return await this.#transport.send(`${framePath(handle)}/rows`, { parameters, signal: options.signal });
  }

  /** The address of rows, for a download. It has no token in it: give a `link` on a server that wants one. */
  rowsUrl(handle: string, options: Omit<ExportOptions, 'signal'>): string {
    return this.#transport.url(`${framePath(handle)}/rows`, rowsParameters(options)).href;
  }

  /** Runs a statement that returns rows. */
  async sql(text: string, options: SqlOptions = {}): Promise<Rows> {
    return await this.#statements.rows(text, options);
  }

  /** Runs any statement: `kind` of the outcome is `rows` or `change`. */
  async execute(text: string, options: ExecuteOptions = {}): Promise<Rows | Change> {
    return await this.#statements.execute(text, options);
  }

  /** The rows of a statement in a format of the server. */
  async exportSql(text: string, options: SqlExportOptions): Promise<Response> {
    return await this.#statements.export(text, options);
  }

  /** What happens to the tenant's frames and statements. Reconnects by itself and leaves nothing out. */
  events(options: EventsOptions = {}): AsyncGenerator<FrameholdEvent, void, void> {
    return readEvents(this.#transport, options);
  }

  async status({ signal }: CallOptions = {}): Promise<Status> {
    return await this.#transport.json('v1/status', { signal });
  }

  /** Usage and limits of the caller's own tenant. */
  async tenant({ signal }: CallOptions = {}): Promise<Tenant> {
    return await this.#transport.json('v1/tenant', { signal });
  }

  /** The functions that statements can use. */
  async functions(options: VocabularyOptions = {}): Promise<readonly SqlFunction[]> {
    return (await this.#vocabulary(options)).functions;
  }

  /** The words of SQL that are not names. */
  async keywords(options: VocabularyOptions = {}): Promise<readonly string[]> {
    return (await this.#vocabulary(options)).keywords;
  }

  async #vocabulary({ engine, signal }: VocabularyOptions): Promise<Vocabulary> {
    return await this.#transport.json('v1/functions', { parameters: { engine }, signal });
  }
}

export interface VocabularyOptions extends CallOptions {
  /** Default: `duckdb`. */
  readonly engine?: EngineName;
}

interface Vocabulary {
  readonly functions: readonly SqlFunction[];
  readonly keywords: readonly string[];
}

function rowsParameters({ format, offset, limit, columns, link }: Omit<ExportOptions, 'signal'>): Parameters {
  return { fmt: format, offset, limit, columns: columnsParameter(columns), link };
}
