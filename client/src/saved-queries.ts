import type { SavedQuery } from './answers.ts';
import type { CallOptions } from './call-options.ts';
import { pathPart, type Transport } from './transport.ts';

/** Queries that the tenant has saved: `fh.saved`. */
export class SavedQueries {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async list({ signal }: CallOptions = {}): Promise<readonly SavedQuery[]> {
    const path = 'v1/saved-queries';
    const { queries } = await this.#transport.json<{ readonly queries: readonly SavedQuery[] }>(path, {
      signal,
    });
    return queries;
  }

  /** Replaces one of the same name. */
  async save(name: string, sql: string, { signal }: CallOptions = {}): Promise<SavedQuery> {
    const path = `v1/saved-queries/${pathPart(name)}`;
    return await this.#transport.json(path, { method: 'PUT', json: JSON.stringify({ sql }), signal });
  }

  async remove(name: string, { signal }: CallOptions = {}): Promise<void> {
    await this.#transport.done(`v1/saved-queries/${pathPart(name)}`, { method: 'DELETE', signal });
  }
}
