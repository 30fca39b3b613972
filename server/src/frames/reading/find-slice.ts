import { otherVersion } from '../../model/other-version.ts';
import type { VersionRecord } from '../../model/version.ts';
import { sliceOf } from '../../model/version-slice.ts';
import type { VersionCatalog } from '../../ports/catalog/versions.ts';
import { againIfPruned } from './again-if-pruned.ts';

export interface WantedRows {
  readonly tenant: string;
  readonly name: string;
  readonly after: number;
  /** null: the newest. */
  readonly version: number | null;
}

/** The rows that were appended after a version. */
export function findSlice(
  catalog: Pick<VersionCatalog, 'resolve' | 'rowPositions'>,
  { tenant, name, after, version }: WantedRows,
  now: number,
): Promise<VersionRecord> {
  return againIfPruned(
    () => catalog.rowPositions(tenant, name, after, version, now),
    async (rows) => {
      const record = await catalog.resolve(tenant, name, rows.version, now);
      if (record.versionId !== rows.versionId) throw otherVersion(name, rows.version);
      return sliceOf(record, { ...rows, after });
    },
  );
}
