import { type AccessGuard, ownName } from '../access/access-guard.ts';
import type { Audit } from '../access/audit.ts';
import type { Caller } from '../access/caller.ts';
import { FrameholdError } from '../errors.ts';
import type { Handle } from '../handle.ts';
import { handleTextOf } from '../manifest.ts';
import type { Catalog } from '../ports/catalog/catalog.ts';
import type { SharedPage } from '../ports/catalog/sharing.ts';
import type { Listed } from '../ports/catalog/versions.ts';
import type { Links } from '../ports/links.ts';
import { isTenant, tenantRule } from '../tenants/tenant.ts';
import type { VersionSummary } from '../version.ts';
import type { Sharing, SignedLink } from './sharing.ts';

export interface SharingDependencies {
  readonly catalog: Pick<Catalog, 'share' | 'unshare' | 'shares' | 'shared' | 'resolve'>;
  readonly links: Links;
  readonly access: AccessGuard;
  readonly audit: Audit;
  readonly now: () => number;
}

/** A single link cannot be revoked, so it lives at most a month. */
const linkDaysMax = 30;
const dayMs = 86_400_000;

export class SharingService implements Sharing {
  readonly #dependencies: SharingDependencies;

  constructor(dependencies: SharingDependencies) {
    this.#dependencies = dependencies;
  }

  async share(caller: Caller, name: string, tenant: string, signal: AbortSignal): Promise<readonly string[]> {
    const { catalog, access, audit, now } = this.#dependencies;
    access.check(caller, 'frame.share', ownName(caller, name));
    checkReader(caller, tenant);
    signal.throwIfAborted();
    const readers = await catalog.share(caller.tenant, name, tenant, now());
    audit.done(caller, 'frame.share', `${name} with ${tenant}`);
    return readers;
  }

  async unshare(
    caller: Caller,
    name: string,
    tenant: string,
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    const { catalog, access, audit, now } = this.#dependencies;
    access.check(caller, 'frame.unshare', ownName(caller, name));
    checkReader(caller, tenant);
    signal.throwIfAborted();
    const readers = await catalog.unshare(caller.tenant, name, tenant, now());
    audit.done(caller, 'frame.unshare', `${name} with ${tenant}`);
    return readers;
  }

  async shares(caller: Caller, name: string, signal: AbortSignal): Promise<readonly string[]> {
    const { catalog, access, now } = this.#dependencies;
    access.check(caller, 'frame.shares', ownName(caller, name));
    signal.throwIfAborted();
    return catalog.shares(caller.tenant, name, now());
  }

  async sharedWithMe<Schemas extends boolean = false>(
    caller: Caller,
    page: SharedPage<Schemas>,
    signal: AbortSignal,
  ): Promise<readonly Listed<Schemas>[]> {
    const { catalog, access, now } = this.#dependencies;
    access.check(caller, 'frame.shared-with-me');
    signal.throwIfAborted();
    return (await catalog.shared(caller.tenant, page, now())).map(asReaderSees);
  }

  async link(caller: Caller, handle: Handle, ttlMs: number, signal: AbortSignal): Promise<SignedLink> {
    const { catalog, links, access, audit, now } = this.#dependencies;
    access.check(caller, 'frame.link', ownName(caller, handle.name));
    if (handle.tenant !== undefined && handle.tenant !== caller.tenant)
      throw new FrameholdError('bad_request', 'Only frames of one’s own tenant can be linked to.', {
        hint: 'Ask their owner, or make a frame of your own out of it: CREATE TABLE … AS SELECT.',
      });
    if (ttlMs > linkDaysMax * dayMs)
      throw new FrameholdError('bad_request', `A link lives for ${linkDaysMax} days at most.`, {
        hint: 'For longer access, share the frame with the tenant of the reader.',
      });
    signal.throwIfAborted();
    const record = await catalog.resolve(caller.tenant, handle.name, handle.version, now());
    const { tenant, name, version, life = 0 } = record;
    const expiresAt = now() + ttlMs;
    const link = links.sign({ tenant, name, version, life, expiresAt });
    audit.done(caller, 'frame.link', `${handleTextOf(record)} until ${new Date(expiresAt).toISOString()}`);
    return { record, link, expiresAt };
  }
}

function asReaderSees<Seen extends VersionSummary>(record: Seen): Seen {
  return { ...record, seenAs: `${record.tenant}:${record.name}` };
}

function checkReader(caller: Caller, tenant: string): void {
  if (!isTenant(tenant))
    throw new FrameholdError('bad_request', `${JSON.stringify(tenant.slice(0, 80))} is not a tenant.`, {
      hint: tenantRule,
    });
  if (tenant === caller.tenant)
    throw new FrameholdError('bad_request', 'The tenant already owns the frame.', {
      hint: 'Name another tenant.',
    });
}
