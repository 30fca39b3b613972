import type { VersionRecord } from '../../model/version.ts';
import { storedVersion } from '../../model/version-slice.ts';
import type { Catalog } from '../../ports/catalog/catalog.ts';
import type { PartsBetween } from '../../ports/catalog/versions.ts';

/** Rows of a record, from its first one. */
export interface RowsOfRecord {
  readonly offset: number;
  readonly rowCount: number;
}

export type PartsCatalog = Pick<Catalog, 'parts' | 'partsBetween'>;

/**
 * The parts that hold rows of a record, in row order; all its rows by default. `rowsBefore`: rows of the record before the first part; below 0 if the record
 * begins inside of that part.
 */
export async function partsOfRows(
  catalog: PartsCatalog,
  record: VersionRecord,
  range: RowsOfRecord = { offset: 0, rowCount: record.rows },
): Promise<PartsBetween> {
  const { tenant, name, rows, slice } = record;
  const { version, versionId } = storedVersion(record);
  if (slice === undefined && range.rowCount === rows)
    return { rowsBefore: 0, parts: await catalog.parts(tenant, name, version, versionId) };
  const firstRow = slice?.firstRow ?? 0;
  const first = firstRow + range.offset;
  const found = await catalog.partsBetween(tenant, name, version, first, first + range.rowCount, versionId);
  return { rowsBefore: found.rowsBefore - firstRow, parts: found.parts };
}

/** Rows of files that have more than these. */
export interface CutRows {
  readonly offset: number;
  readonly limit: number;
}

/** The rows of a record in the parts that hold them; null if these have no others. */
export function cutOf({ rows }: VersionRecord, { parts, rowsBefore }: PartsBetween): CutRows | null {
  const stored = parts.reduce((sum, part) => sum + part.rows, 0);
  return rows === stored ? null : { offset: 0 - rowsBefore, limit: rows };
}
