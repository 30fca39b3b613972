import type { Caller } from '../../model/caller.ts';
import { FrameholdError } from '../../model/errors.ts';
import { formatHandle, type Handle, orderedId } from '../../model/handle.ts';
import { handleTextOf } from '../../model/manifest.ts';
import { isTenant, tenantRule } from '../../model/tenant.ts';
import type { VersionSummary } from '../../model/version.ts';
import type { Catalog } from '../../ports/catalog/catalog.ts';
import type { LinkRecord, SharedPage } from '../../ports/catalog/sharing.ts';
import type { Listed } from '../../ports/catalog/versions.ts';
import type { Links } from '../../ports/links.ts';
import { type AccessGuard, ownName } from '../access/access-guard.ts';
import type { Audit } from '../access/audit.ts';
import { findVersion } from '../reading/find-version.ts';
import { repeatIfUnknown } from '../unknown-outcome.ts';
import type { Sharing, SignedLink } from './sharing.ts';

export interface SharingDependencies {
  readonly catalog: Pick<
    Catalog,
    | 'share'
    | 'unshare'
    | 'shares'
    | 'shared'
    | 'addLink'
    | 'links'
    | 'revokeLink'
    | 'resolve'
    | 'taggedVersion'
  >;
  readonly links: Links;
  readonly access: AccessGuard;
  readonly audit: Audit;
  readonly now: () => number;
}

/** Its holder may have passed it on: a forgotten link ends by itself within a month. */
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
        hint: 'Ask the owner, or copy it to your own frame: CREATE TABLE … AS SELECT.',
      });
    if (ttlMs > linkDaysMax * dayMs)
      throw new FrameholdError('bad_request', `A link lives for ${linkDaysMax} days at most.`, {
        hint: 'For longer access, share the frame with the tenant of the reader.',
      });
    signal.throwIfAborted();
    const record = await findVersion(catalog, caller.tenant, handle, now());
    const { tenant, name, version, incarnation = 0 } = record;
    const createdAt = now();
    const expiresAt = createdAt + ttlMs;
    const id = orderedId();
    const made = { id, tenant, name, version, incarnation, createdAt, createdBy: caller.name, expiresAt };
    // Recorded before anybody has it: there is no link that cannot be revoked.
    await repeatIfUnknown(() => catalog.addLink(made, createdAt));
    const link = links.sign(made);
    const frame = `${handleTextOf(record)} until ${new Date(expiresAt).toISOString()}`;
    audit.done(caller, 'frame.link', frame, { detail: id });
    return { record, id, link, expiresAt };
  }

  async links(caller: Caller, name: string, signal: AbortSignal): Promise<readonly LinkRecord[]> {
    const { catalog, access, now } = this.#dependencies;
    access.check(caller, 'frame.links', ownName(caller, name));
    signal.throwIfAborted();
    return catalog.links(caller.tenant, name, now());
  }

  async unlink(caller: Caller, name: string, id: string, signal: AbortSignal): Promise<void> {
    const { catalog, links, access, audit, now } = this.#dependencies;
    access.check(caller, 'frame.unlink', ownName(caller, name));
    signal.throwIfAborted();
    const at = now();
    const { version } = await repeatIfUnknown(() => catalog.revokeLink(caller.tenant, name, id, at));
    links.revoked(id);
    audit.done(caller, 'frame.unlink', formatHandle(name, version), { detail: id });
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
