import type { Handle } from '../../model/handle.ts';
import { otherVersion } from '../../model/other-version.ts';
import type { VersionRecord } from '../../model/version.ts';
import type { TagCatalog } from '../../ports/catalog/tags.ts';
import type { VersionCatalog } from '../../ports/catalog/versions.ts';
import { againIfPruned } from './again-if-pruned.ts';

/** The version that a handle names now: by its number, by a tag, or the newest. */
export function findVersion(
  catalog: Pick<VersionCatalog, 'resolve'> & Pick<TagCatalog, 'taggedVersion'>,
  tenant: string,
  { name, version, tag }: Pick<Handle, 'name' | 'version' | 'tag'>,
  now: number,
): Promise<VersionRecord> {
  if (tag === undefined || version !== null) return catalog.resolve(tenant, name, version, now);
  return againIfPruned(
    () => catalog.taggedVersion(tenant, name, tag, now),
    async (tagged) => {
      const record = await catalog.resolve(tenant, name, tagged.version, now);
      if (record.versionId !== tagged.versionId) throw otherVersion(name, tagged.version);
      return record;
    },
  );
}
