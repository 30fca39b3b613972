import type { Caller } from '../../model/caller.ts';
import { FrameholdError } from '../../model/errors.ts';
import type { ExpectedVersion } from '../../model/expected-version.ts';
import { formatHandle, type Handle } from '../../model/handle.ts';
import type { VersionRecord } from '../../model/version.ts';
import type { Catalog } from '../../ports/catalog/catalog.ts';
import type { Tag } from '../../ports/catalog/tags.ts';
import { type AccessGuard, foundTarget, ownName } from '../access/access-guard.ts';
import type { Audit } from '../access/audit.ts';
import type { Frames } from '../frames.ts';
import { findVersion } from '../reading/find-version.ts';
import { repeatIfUnknown } from '../unknown-outcome.ts';
import type { TagConditions, Tags } from './tags.ts';

export interface TagsDependencies {
  readonly catalog: Pick<Catalog, 'tags' | 'setTag' | 'removeTag' | 'taggedVersion' | 'resolve'>;
  readonly frames: Pick<Frames, 'resolve'>;
  readonly access: AccessGuard;
  readonly audit: Audit;
  readonly now: () => number;
}

export class TagsService implements Tags {
  readonly #dependencies: TagsDependencies;

  constructor(dependencies: TagsDependencies) {
    this.#dependencies = dependencies;
  }

  async list(caller: Caller, handle: Handle, signal: AbortSignal): Promise<readonly Tag[]> {
    const { catalog, frames, access, now } = this.#dependencies;
    const record = await frames.resolve(caller, handle, signal);
    access.check(caller, 'frame.tags', foundTarget(caller, record));
    return catalog.tags(record.tenant, record.name, now());
  }

  async set(
    caller: Caller,
    handle: Handle,
    tag: string,
    conditions: TagConditions,
    signal: AbortSignal,
  ): Promise<Tag> {
    const { catalog, access, audit, now } = this.#dependencies;
    access.check(caller, 'frame.tag', ownName(caller, handle.name));
    if (handle.tenant !== undefined && handle.tenant !== caller.tenant)
      throw new FrameholdError('bad_request', 'Only frames of one’s own tenant can be tagged.', {
        hint: 'Ask the owner, or copy it to your own frame: CREATE TABLE … AS SELECT.',
      });
    signal.throwIfAborted();
    const { tenant, name, version, versionId } = await findVersion(catalog, caller.tenant, handle, now());
    const ifVersion = await this.#expected(tenant, name, tag, conditions);
    const change = { tenant, name, tag, version, versionId, ifVersion, setBy: caller.name, now: now() };
    const made = await repeatIfUnknown(() => catalog.setTag(change));
    audit.done(caller, 'frame.tag', formatHandle(name, version), { detail: tag });
    return made;
  }

  async remove(
    caller: Caller,
    name: string,
    tag: string,
    conditions: TagConditions,
    signal: AbortSignal,
  ): Promise<void> {
    const { catalog, access, audit, now } = this.#dependencies;
    access.check(caller, 'frame.untag', ownName(caller, name));
    signal.throwIfAborted();
    const expected = await this.#expected(caller.tenant, name, tag, conditions);
    const ifVersion = expected === 'none' ? null : expected;
    await catalog.removeTag({ tenant: caller.tenant, name, tag, ifVersion, now: now() });
    audit.done(caller, 'frame.untag', name, { detail: tag });
  }

  async #expected(
    tenant: string,
    name: string,
    tag: string,
    { ifVersion, ifMatch, createOnly }: TagConditions,
  ): Promise<ExpectedVersion | 'none' | null> {
    if (createOnly) return 'none';
    if (ifMatch === undefined) return ifVersion ?? null;
    return ifMatch.allows(await this.#tagged(tenant, name, tag), `The version with the tag ${tag}`);
  }

  async #tagged(tenant: string, name: string, tag: string): Promise<VersionRecord | null> {
    try {
      const { catalog, now } = this.#dependencies;
      return await findVersion(catalog, tenant, { name, version: null, tag }, now());
    } catch (error) {
      if (error instanceof FrameholdError && error.kind === 'tag_not_found') return null;
      throw error;
    }
  }
}
