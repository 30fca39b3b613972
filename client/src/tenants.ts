import type { NewTenantLimits, Tenant, TenantPage } from './answers.ts';
import type { CallOptions, PageOptions } from './call-options.ts';
import { pathPart, type Transport } from './transport.ts';

/** All tenants, for an operator: `fh.tenants`. */
export class Tenants {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async list({ limit, cursor, signal }: PageOptions = {}): Promise<TenantPage> {
    return await this.#transport.json('v1/tenants', { parameters: { limit, cursor }, signal });
  }

  async get(tenant: string, { signal }: CallOptions = {}): Promise<Tenant> {
    return await this.#transport.json(`v1/tenants/${pathPart(tenant)}`, { signal });
  }

  /** Limits that are not named do not change. */
  async setLimits(tenant: string, limits: NewTenantLimits, { signal }: CallOptions = {}): Promise<Tenant> {
    const json = JSON.stringify({ limits });
    return await this.#transport.json(`v1/tenants/${pathPart(tenant)}`, { method: 'PATCH', json, signal });
  }
}
