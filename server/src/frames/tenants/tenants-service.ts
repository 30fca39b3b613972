import type { AccessGuard } from '../access/access-guard.ts';
import type { Audit } from '../access/audit.ts';
import type { Caller } from '../access/caller.ts';
import { FrameholdError } from '../errors.ts';
import type { LimitsInForce } from '../limits/limits-in-force.ts';
import { parseLimits } from '../limits/parse-limits.ts';
import type { RateLimit } from '../limits/rate-limit.ts';
import { describeChanges, type LimitRules } from '../limits/tenant-limit-values.ts';
import type { TenantPlaces } from '../limits/tenant-places.ts';
import type { Catalog } from '../ports/catalog/catalog.ts';
import type { SharedCount, TenantHolding } from '../ports/catalog/sharing.ts';
import type { KeptLimits } from '../ports/kept-limits.ts';
import { isTenant, tenantRule } from './tenant.ts';
import type { TenantDetail, TenantSummary, Tenants } from './tenants.ts';

export interface TenantsDependencies {
  readonly catalog: Pick<Catalog, 'tenants' | 'tenantShares' | 'usage' | 'pinned'>;
  readonly access: AccessGuard;
  readonly audit: Audit;
  readonly rate: RateLimit;
  readonly queries: TenantPlaces;
  readonly streams: TenantPlaces;
  readonly limits: LimitsInForce;
  readonly kept: KeptLimits;
  readonly rules: LimitRules;
  /** Tenants that are known without having held a frame yet. */
  readonly known: () => Iterable<string>;
}

export class TenantsService implements Tenants {
  readonly #dependencies: TenantsDependencies;

  constructor(dependencies: TenantsDependencies) {
    this.#dependencies = dependencies;
  }

  async list(caller: Caller, after: string, limit: number): Promise<readonly TenantSummary[]> {
    const { catalog, access, rate, known } = this.#dependencies;
    access.check(caller, 'tenant.list');
    const holdings = new Map((await catalog.tenants(after, limit)).map((each) => [each.tenant, each]));
    const others = [...known(), ...rate.tenants].filter((tenant) => tenant > after && isTenant(tenant));
    const names = [...new Set([...holdings.keys(), ...others])].sort().slice(0, limit);
    return names.map((tenant) => this.#summary(holdings.get(tenant) ?? nothingHeld(tenant)));
  }

  async show(caller: Caller, tenant: string): Promise<TenantDetail> {
    this.#dependencies.access.check(caller, 'tenant.show');
    checkTenant(tenant);
    return this.#detail(tenant);
  }

  async own(caller: Caller): Promise<TenantDetail> {
    this.#dependencies.access.check(caller, 'tenant.usage');
    return this.#detail(caller.tenant);
  }

  async setLimits(
    caller: Caller,
    tenant: string,
    given: Readonly<Record<string, unknown>>,
  ): Promise<TenantDetail> {
    const { access, audit, kept, rules } = this.#dependencies;
    access.check(caller, 'tenant.set');
    checkTenant(tenant);
    const changes = parseLimits(given, rules);
    await kept.set(tenant, changes);
    audit.done(caller, 'tenant.set', null, { tenant, detail: describeChanges(changes) });
    return this.#detail(tenant);
  }

  async #detail(tenant: string): Promise<TenantDetail> {
    const { catalog } = this.#dependencies;
    const [usage, { versions, bytes }, { given, received }] = await Promise.all([
      catalog.usage(tenant),
      catalog.pinned(tenant, 0),
      catalog.tenantShares(tenant),
    ]);
    const shares = { sharesGiven: framesOf(given), sharesReceived: framesOf(received) };
    const summary = this.#summary({ tenant, ...usage, ...shares });
    return { ...summary, pinned: { versions, bytes }, sharedWith: given, sharedBy: received };
  }

  #summary(holding: TenantHolding): TenantSummary {
    const { rate, queries, streams, limits } = this.#dependencies;
    const { tenant } = holding;
    return {
      ...holding,
      activity: {
        ...rate.requestsOf(tenant),
        queries: queries.count(tenant),
        streams: streams.count(tenant),
      },
      limits: limits.of(tenant),
      limitsSet: limits.setFor(tenant),
    };
  }
}

function framesOf(counts: readonly SharedCount[]): number {
  return counts.reduce((sum, { frames }) => sum + frames, 0);
}

function nothingHeld(tenant: string): TenantHolding {
  return { tenant, frames: 0, bytes: 0, sharesGiven: 0, sharesReceived: 0 };
}

function checkTenant(tenant: string): void {
  if (isTenant(tenant)) return;
  throw new FrameholdError('bad_request', `${JSON.stringify(tenant.slice(0, 100))} cannot be a tenant.`, {
    hint: tenantRule,
  });
}
