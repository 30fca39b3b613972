import { isAbsent } from '../../model/errors.ts';
import { otherVersion } from '../../model/other-version.ts';
import type { VersionRecord } from '../../model/version.ts';
import { sliceOf } from '../../model/version-slice.ts';
import type { VersionCatalog } from '../../ports/catalog/versions.ts';

export interface WantedRows {
  readonly tenant: string;
  readonly name: string;
  readonly after: number;
  /** null: the newest. */
  readonly version: number | null;
}

/** The version that is read may be pruned between the two look-ups: then the rows are in a newer one. */
const findTriesMax = 3;

/** The rows that were appended after a version. */
export async function findSlice(
  catalog: Pick<VersionCatalog, 'resolve' | 'rowPositions'>,
  { tenant, name, after, version }: WantedRows,
  now: number,
): Promise<VersionRecord> {
  for (let tries = 1; ; tries++) {
    const rows = await catalog.rowPositions(tenant, name, after, version, now);
    try {
      const record = await catalog.resolve(tenant, name, rows.version, now);
      if (record.versionId !== rows.versionId) throw otherVersion(name, rows.version);
      return sliceOf(record, { ...rows, after });
    } catch (error) {
      if (!isAbsent(error) || tries >= findTriesMax) throw error;
    }
  }
}
