import type { HistoryPage } from './answers.ts';
import type { CallOptions, PageOptions } from './call-options.ts';
import type { Transport } from './transport.ts';

export interface HistoryOptions extends PageOptions {
  /** Only statements with this text in them. */
  readonly search?: string;
}

/** The statements that the caller has run: `fh.history`. */
export class QueryHistory {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Newest first. */
  async list({ search, limit, cursor, signal }: HistoryOptions = {}): Promise<HistoryPage> {
    return await this.#transport.json('v1/history', { parameters: { search, limit, cursor }, signal });
  }

  /** Removes all of the caller's. */
  async clear({ signal }: CallOptions = {}): Promise<void> {
    await this.#transport.done('v1/history', { method: 'DELETE', signal });
  }
}
