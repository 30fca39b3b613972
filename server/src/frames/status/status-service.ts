import type { Caller } from '../../model/caller.ts';
import type { EngineName } from '../../model/engine-name.ts';
import type { Catalog } from '../../ports/catalog/catalog.ts';
import type { RunningQueries } from '../../ports/running-queries.ts';
import { decide } from '../access/access.ts';
import type { AccessGuard } from '../access/access-guard.ts';
import type { LimitsInForce } from '../limits/limits-in-force.ts';
import type { ServerStatus, Status, TenantStatus } from './status.ts';

export interface StatusDependencies {
  readonly catalog: Pick<Catalog, 'usage' | 'pinned' | 'transcodingBacklog'>;
  readonly queries: Pick<RunningQueries, 'list'>;
  readonly engines: {
    readonly names: readonly EngineName[];
    has(name: EngineName, tenant: string): boolean;
  };
  readonly limits: Pick<LimitsInForce, 'of'>;
  readonly access: AccessGuard;
  readonly version: string;
  readonly startedAt: number;
  readonly hasUpstream: boolean;
  /** Whether everybody may do everything. It may change: the first token closes a server. */
  readonly isOpen: () => boolean;
  /** What closes an open server. */
  readonly closeCommand: string;
}

/** Those with most pinned bytes: whoever needs room begins there. */
const pinnedFramesMax = 20;
/** Oldest first, of all tenants: so many are counted in some milliseconds, and a server that is so far behind is behind for all of them. */
const backlogPartsMax = 10_000;

export class StatusService implements Status {
  readonly #dependencies: StatusDependencies;

  constructor(dependencies: StatusDependencies) {
    this.#dependencies = dependencies;
  }

  async read(caller: Caller): Promise<ServerStatus> {
    const { access, engines, version, startedAt, hasUpstream, isOpen, closeCommand } = this.#dependencies;
    access.check(caller, 'server.status');
    const mayRead = decide(caller, 'tenant.usage', null).allowed;
    return {
      version,
      startedAt,
      closeCommand: isOpen() ? closeCommand : null,
      hasUpstream,
      engines: engines.names.filter((name) => engines.has(name, caller.tenant)),
      tenant: mayRead ? await this.#tenant(caller) : null,
    };
  }

  async #tenant(caller: Caller): Promise<TenantStatus> {
    const { catalog, queries, limits } = this.#dependencies;
    const { tenant } = caller;
    const [usage, pinned, settling, open] = await Promise.all([
      catalog.usage(tenant),
      catalog.pinned(tenant, pinnedFramesMax),
      catalog.transcodingBacklog(tenant, backlogPartsMax),
      queries.list(caller),
    ]);
    const running = open.filter(({ state }) => state === 'running').length;
    const statements = { waiting: open.length - running, running };
    return { ...usage, pinned, limits: limits.of(tenant), settling, statements };
  }
}
