import type { FramePage, LinkEntry, NewLink } from './answers.ts';
import type { CallOptions, PageOptions } from './call-options.ts';
import { pathPart, type Transport } from './transport.ts';

/** Who else may read a frame: other tenants, and everyone who has a link. */
export class FrameSharing {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The tenants that may read the frame. */
  async shares(name: string, { signal }: CallOptions = {}): Promise<readonly string[]> {
    return await this.#shares(`v1/frames/${pathPart(name)}/shares`, 'GET', signal);
  }

  /** Repeating it is safe. */
  async share(name: string, tenant: string, { signal }: CallOptions = {}): Promise<readonly string[]> {
    return await this.#shares(`v1/frames/${pathPart(name)}/shares/${pathPart(tenant)}`, 'PUT', signal);
  }

  async unshare(name: string, tenant: string, { signal }: CallOptions = {}): Promise<readonly string[]> {
    return await this.#shares(`v1/frames/${pathPart(name)}/shares/${pathPart(tenant)}`, 'DELETE', signal);
  }

  /** Frames of other tenants, as `owner:name`. */
  async shared({ limit, cursor, signal }: PageOptions = {}): Promise<FramePage> {
    return await this.#transport.json('v1/shared', { parameters: { limit, cursor }, signal });
  }

  async links(name: string, { signal }: CallOptions = {}): Promise<readonly LinkEntry[]> {
    const path = `v1/frames/${pathPart(name)}/links`;
    const { links } = await this.#transport.json<{ readonly links: readonly LinkEntry[] }>(path, { signal });
    return links;
  }

  /** A link to one version; to the newest, if the handle has none. `ttl`: default one day, at most 30. */
  async link(
    handle: string,
    { ttl, signal }: CallOptions & { readonly ttl?: string } = {},
  ): Promise<NewLink> {
    const path = `v1/frames/${pathPart(handle)}/links`;
    return await this.#transport.json(path, { method: 'POST', parameters: { ttl }, signal });
  }

  /** Revokes a link. */
  async unlink(name: string, id: string, { signal }: CallOptions = {}): Promise<void> {
    await this.#transport.done(`v1/frames/${pathPart(name)}/links/${pathPart(id)}`, {
      method: 'DELETE',
      signal,
    });
  }

  async #shares(
    path: string,
    method: 'GET' | 'PUT' | 'DELETE',
    signal: AbortSignal | undefined,
  ): Promise<readonly string[]> {
    const answer = await this.#transport.json<{ readonly shares: readonly string[] }>(path, {
      method,
      signal,
    });
    return answer.shares;
  }
}
