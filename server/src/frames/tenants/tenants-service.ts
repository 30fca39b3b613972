import type { Caller } from '../../model/caller.ts';
import { FrameholdError } from '../../model/errors.ts';
import { describeChanges, type LimitRules } from '../../model/limits/tenant-limit-values.ts';
import type { TenantSlots } from '../../model/limits/tenant-slots.ts';
import { isTenant, tenantRule } from '../../model/tenant.ts';
import type { Catalog } from '../../ports/catalog/catalog.ts';
import type { SharedCount, TenantHolding } from '../../ports/catalog/sharing.ts';
import type { RunningQueries } from '../../ports/running-queries.ts';
import type { StoredLimits } from '../../ports/stored-limits.ts';
import type { AccessGuard } from '../access/access-guard.ts';
import type { Audit } from '../access/audit.ts';
import type { LimitsInForce } from '../limits/limits-in-force.ts';
import { parseLimits } from '../limits/parse-limits.ts';
import type { RateLimit } from '../limits/rate-limit.ts';
import type { TenantDetail, TenantSummary, Tenants } from './tenants.ts';

export interface TenantsDependencies {
  readonly catalog: Pick<Catalog, 'tenants' | 'tenantShares' | 'usage' | 'pinned' | 'storedBytes'>;
  readonly access: AccessGuard;
  readonly audit: Audit;
  readonly rate: RateLimit;
  readonly queries: TenantSlots;
  /** Those of other nodes count, too. */
  readonly statements: Pick<RunningQueries, 'countElsewhere'>;
  readonly streams: TenantSlots;
  readonly limits: LimitsInForce;
  readonly kept: StoredLimits;
  readonly rules: LimitRules;
  /** Tenants that are known without having held a frame yet. */
  readonly known: () => Iterable<string>;
  /** This node, of which requests and streams are; null on a server alone. */
  readonly node: string | null;
}

/** Counted in a fifth of a second. A tenant that has more of them has terabytes, or puts single rows. */
const storedObjectsMax = 100_000;

export class TenantsService implements Tenants {
  readonly #dependencies: TenantsDependencies;

  constructor(dependencies: TenantsDependencies) {
    this.#dependencies = dependencies;
  }

  async list(caller: Caller, after: string, limit: number): Promise<readonly TenantSummary[]> {
    const { catalog, access, rate, known, statements } = this.#dependencies;
    access.check(caller, 'tenant.list');
    const [page, elsewhere] = await Promise.all([catalog.tenants(after, limit), statements.countElsewhere()]);
    const holdings = new Map(page.map((each) => [each.tenant, each]));
    const others = [...known(), ...rate.tenants].filter((tenant) => tenant > after && isTenant(tenant));
    const names = [...new Set([...holdings.keys(), ...others])].sort().slice(0, limit);
    return names.map((tenant) => this.#summary(holdings.get(tenant) ?? nothingHeld(tenant), elsewhere));
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
    const { catalog, statements } = this.#dependencies;
    const [usage, { versions, bytes }, { given, received }, stored, elsewhere] = await Promise.all([
      catalog.usage(tenant),
      catalog.pinned(tenant, 0),
      catalog.tenantShares(tenant),
      catalog.storedBytes(tenant, storedObjectsMax),
      statements.countElsewhere(),
    ]);
    const shares = { sharesGiven: framesOf(given), sharesReceived: framesOf(received) };
    const summary = this.#summary({ tenant, ...usage, ...shares }, elsewhere);
    return { ...summary, pinned: { versions, bytes }, stored, sharedWith: given, sharedBy: received };
  }

  #summary(holding: TenantHolding, elsewhere: ReadonlyMap<string, number>): TenantSummary {
    const { rate, queries, streams, limits, node } = this.#dependencies;
    const { tenant } = holding;
    return {
      ...holding,
      activity: {
        ...rate.requestsOf(tenant),
        queries: queries.count(tenant) + (elsewhere.get(tenant) ?? 0),
        streams: streams.count(tenant),
      },
      node,
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
