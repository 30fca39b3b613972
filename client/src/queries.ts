import type { RunningQuery } from './answers.ts';
import type { CallOptions } from './call-options.ts';
import { pathPart, type Transport } from './transport.ts';

/** Statements that wait or run: `fh.queries`. */
export class Queries {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async list({ signal }: CallOptions = {}): Promise<readonly RunningQuery[]> {
    const answer = await this.#transport.json<{ readonly queries: readonly RunningQuery[] }>('v1/queries', {
      signal,
    });
    return answer.queries;
  }

  /** Also one that failed within the last ten minutes. */
  async get(id: string, { signal }: CallOptions = {}): Promise<RunningQuery> {
    return await this.#transport.json(`v1/queries/${pathPart(id)}`, { signal });
  }

  /** `tenant`: for an operator, if several tenants use the same id. */
  async cancel(
    id: string,
    { tenant, signal }: CallOptions & { readonly tenant?: string } = {},
  ): Promise<void> {
    const parameters = { tenant };
    await this.#transport.done(`v1/queries/${pathPart(id)}`, { method: 'DELETE', parameters, signal });
  }
}
