import type { Completion } from '@codemirror/autocomplete';
import type { ColumnType, SqlFunction } from '@framehold/client';

export interface FrameName {
  readonly name: string;
  readonly detail: string;
}

/** Where names come from: the server. */
export interface NameServer {
  frames(prefix: string, signal: AbortSignal): Promise<readonly FrameName[]>;
  columns(frame: string): Promise<readonly ColumnType[]>;
  functions(): Promise<readonly SqlFunction[]>;
}

/** Frames whose columns are kept; a person writes about a few. */
const framesMax = 100;
/** Columns of a frame that are offered. More cannot be looked through. */
const columnsMax = 2_000;
/** A frame may get other columns; this old, they are read again. */
const columnsAgeMs = 30_000;

interface Kept {
  readonly columns: Promise<readonly ColumnType[]>;
  readonly at: number;
}

/** Names for completion, kept for a while. What cannot be read is not offered: typing goes on. */
export class SqlCatalog {
  readonly #server: NameServer;
  readonly #columns = new Map<string, Kept>();
  #functions: Promise<readonly Completion[]> | null = null;

  constructor(server: NameServer) {
    this.#server = server;
  }

  async frames(prefix: string, signal: AbortSignal): Promise<readonly FrameName[]> {
    return await this.#server.frames(prefix, signal).catch(() => []);
  }

  async columnsOf(frame: string): Promise<readonly ColumnType[]> {
    const kept = this.#columns.get(frame);
    this.#columns.delete(frame);
    const fresh = kept !== undefined && Date.now() - kept.at < columnsAgeMs;
    const entry = fresh ? kept : { columns: this.#readColumns(frame), at: Date.now() };
    this.#columns.set(frame, entry);
    // The one that was not used for longest.
    const [oldest] = this.#columns.keys();
    if (this.#columns.size > framesMax && oldest !== undefined) this.#columns.delete(oldest);
    return await entry.columns;
  }

  functions(): Promise<readonly Completion[]> {
    this.#functions ??= this.#server
      .functions()
      .then((functions) => functions.map(functionCompletion))
      .catch(() => {
        // Perhaps the next time.
        this.#functions = null;
        return [];
      });
    return this.#functions;
  }

  async #readColumns(frame: string): Promise<readonly ColumnType[]> {
    const columns = await this.#server.columns(frame).catch(() => []);
    return columns.slice(0, columnsMax);
  }
}

function functionCompletion({ name, parameters, description, kind }: SqlFunction): Completion {
  return {
    label: name,
    type: 'function',
    detail: `(${parameters.join(', ')})`,
    ...(description === null || description === '' ? {} : { info: description }),
    // Behind columns and frames; aggregates are written most.
    boost: kind === 'aggregate' ? -5 : -10,
  };
}
